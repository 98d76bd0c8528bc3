#include "guarded.hpp"
#include "keypoints.hpp"
#include "look.hpp"

#include <memory>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

struct SVCVSeenThing {
  /// Map from the core's pixels to the picture's.
  cv::Matx33d core;
  cv::Mat sharp;
  cv::Mat soft;
  double plainness = 1;
  cv::Mat chroma;
  /// The polar picture rotated to every angle, one a column.
  cv::Mat turns;
  /// Picture for keypoints, which are found on demand.
  cv::Mat picture;
  int features;
  std::unique_ptr<Keypoints> keypoints;
};

struct SVCVKnownThing {
  /// Map from the map's pixels to the picture's.
  cv::Matx33d map;
  cv::Mat sharp;
  cv::Mat soft;
  double plainness = 1;
  cv::Mat chroma;
  /// Polar pictures, one a row, and their positions: from normal position to the map's pixels.
  cv::Mat views;
  std::vector<cv::Matx33d> positions;
  std::unique_ptr<Keypoints> keypoints;
};

namespace {

std::vector<cv::Point2f> points(const SVCVPoint *outline, int corners) {
  std::vector<cv::Point2f> result;
  for (int i = 0; i < corners; i++)
    result.emplace_back(static_cast<float>(outline[i].x), static_cast<float>(outline[i].y));
  return result;
}

const cv::Matx33d fromCore(1, 0, look::coreStart, 0, 1, look::coreStart, 0, 0, 1);

/// Returns a rotation about the centre of the normal position.
cv::Matx33d turn(double radians) {
  const double c = std::cos(radians), s = std::sin(radians), middle = (look::side - 1) / 2.0;
  return {c, -s, middle - c * middle + s * middle, s, c, middle - s * middle - c * middle, 0, 0, 1};
}

void see(SVCVSeenThing &thing, const cv::Mat &picture, const std::vector<cv::Point2f> &outline, int features) {
  const cv::Matx33d position = look::normalPosition(look::Ellipse(outline));
  const cv::Mat normal = look::Source(picture).sample(position, cv::Size(look::side, look::side));
  const look::Contours contours(normal);
  thing.core = position * fromCore;
  thing.sharp = contours.sharp(look::core).clone();
  thing.soft = contours.soft(look::core).clone();
  thing.plainness = look::plainness(thing.sharp);
  thing.chroma = look::Chroma(picture).of(normal(look::core));
  const cv::Mat row = look::polar(contours.soft);
  thing.turns.create(look::angles * look::radii, look::angles, CV_32F);
  for (int angle = 0; angle < look::angles; angle++)
    for (int i = 0; i < row.cols; i++)
      thing.turns.at<float>(i, angle) = row.at<float>((i + angle * look::radii) % row.cols);
  thing.picture = picture.clone();
  thing.features = features;
}

/// Adds views in several sizes and positions: an outline may include a shadow.
void know(SVCVKnownThing &thing, const cv::Mat &picture, const std::vector<cv::Point2f> &outline, int features) {
  const look::Ellipse ellipse(outline);
  const look::Source source(picture);
  // The thing has the same size in the map as in normal position.
  const double scale = std::min({look::radius / ellipse.size(), 256.0 / picture.cols, 256.0 / picture.rows});
  const cv::Size size(std::max(1, cvRound(picture.cols * scale)), std::max(1, cvRound(picture.rows * scale)));
  thing.map = {1 / scale, 0, 0.5 / scale - 0.5, 0, 1 / scale, 0.5 / scale - 0.5, 0, 0, 1};
  const cv::Mat map = source.sample(thing.map, size);
  const look::Contours contours(map);
  thing.sharp = contours.sharp;
  thing.soft = contours.soft;
  thing.chroma = look::Chroma(picture).of(map);
  for (const double growth : {0.94, 1.0, 1.07})
    for (int place = 0; place < 7; place++) {
      const double angle = place * CV_PI / 3, distance = place == 6 ? 0 : 0.09;
      const cv::Point2d shift(distance * std::cos(angle), distance * std::sin(angle));
      const cv::Matx33d position = look::normalPosition(ellipse, growth, shift);
      const cv::Mat view = source.sample(position, cv::Size(look::side, look::side));
      const look::Contours seen(view);
      thing.views.push_back(look::polar(seen.soft));
      // The plainest one is used: contours of the edge may be in view.
      thing.plainness = std::max(thing.views.rows == 1 ? 0 : thing.plainness, look::plainness(seen.sharp(look::core)));
      thing.positions.push_back(thing.map.inv() * position);
    }
  if (features != sv_cv_features_none)
    thing.keypoints = std::make_unique<Keypoints>(picture, features);
}

/// Returns whether the map stretches by about as much everywhere, and not much: no thing is that skewed.
bool isSound(const cv::Mat &map) {
  cv::Mat values;
  cv::SVD::compute(map.colRange(0, 2), values, cv::SVD::NO_UV);
  const double large = values.at<float>(0), small = values.at<float>(1);
  return cv::checkRange(map) && small > 0.55 && large < 1.8 && large < 2 * small;
}

/// Improves `map` by the enhanced correlation coefficient (Evangelidis and Psarakis, 2008), unless that fails, as with
/// plain things and those that look the same at any rotation.
void improve(const cv::Mat &seen, const cv::Mat &known, int rounds, cv::Mat &map) {
  const cv::TermCriteria criteria(cv::TermCriteria::COUNT | cv::TermCriteria::EPS, rounds, 1e-3);
  cv::Mat better = map.clone();
  try {
    cv::findTransformECC(seen, known, better, cv::MOTION_AFFINE, criteria, cv::noArray(), 1);
  } catch (const cv::Exception &exception) {
    if (exception.code != cv::Error::StsNoConv)
      throw;
    return;
  }
  if (isSound(better))
    map = better;
}

/// Returns the correlation of two pictures within the core, −1…1.
double correlation(const cv::Mat &a, const cv::Mat &b) {
  const cv::Mat &mask = look::coreMask();
  cv::Mat x = a - cv::mean(a, mask), y = b - cv::mean(b, mask);
  x.setTo(0, mask == 0);
  y.setTo(0, mask == 0);
  const double lengths = cv::norm(x) * cv::norm(y);
  return lengths > 0 ? x.dot(y) / lengths : 0;
}

/// Raises a likeness: two plain things are alike.
double raised(double likeness, double plainness) { return likeness + (1 - likeness) * plainness; }

} // namespace

SVCVSeenThing *sv_cv_seen_create(SVCVImage picture, const SVCVPoint *outline, int corners, int features, char *error) {
  std::unique_ptr<SVCVSeenThing> thing;
  if (guarded(error, [&] {
        thing = std::make_unique<SVCVSeenThing>();
        see(*thing, view(picture), points(outline, corners), features);
      }))
    return nullptr;
  return thing.release();
}

void sv_cv_seen_free(SVCVSeenThing *thing) { delete thing; }

SVCVKnownThing *sv_cv_known_create(SVCVImage picture, const SVCVPoint *outline, int corners, int features,
                                   char *error) {
  std::unique_ptr<SVCVKnownThing> thing;
  if (guarded(error, [&] {
        thing = std::make_unique<SVCVKnownThing>();
        know(*thing, view(picture), points(outline, corners), features);
      }))
    return nullptr;
  return thing.release();
}

void sv_cv_known_free(SVCVKnownThing *thing) { delete thing; }

int sv_cv_align_contours(const SVCVSeenThing *seen, const SVCVKnownThing *known, SVCVAlignment *alignment,
                         double *score, char *error) {
  return guarded(error, [&] {
    cv::Mat scores;
    cv::gemm(known->views, seen->turns, 1, cv::noArray(), 0, scores);
    cv::Point best;
    cv::minMaxLoc(scores, nullptr, score, nullptr, &best);
    *score = raised(*score, seen->plainness * known->plainness);
    const cv::Matx33d back = turn(-2 * CV_PI * best.x / look::angles);
    *alignment = look::alignment(known->positions[best.y] * back * fromCore);
  });
}

int sv_cv_align_keypoints(SVCVSeenThing *seen, const SVCVKnownThing *known, SVCVAlignment *alignment, double *score,
                          char *error) {
  *score = 0;
  return guarded(error, [&] {
    if (!known->keypoints)
      return;
    if (!seen->keypoints)
      seen->keypoints = std::make_unique<Keypoints>(seen->picture, seen->features);
    cv::Matx33d map;
    *score = findSimilarity(*seen->keypoints, *known->keypoints, map);
    if (*score > 0)
      *alignment = look::alignment(known->map.inv() * map * seen->core);
  });
}

int sv_cv_compare(const SVCVSeenThing *seen, const SVCVKnownThing *known, SVCVAlignment alignment, int bins,
                  SVCVLikeness *result, char *error) {
  *result = {0, 0, 1};
  return guarded(error, [&] {
    cv::Mat map(look::homogeneous(alignment).get_minor<2, 3>(0, 0)), sharp, chroma;
    map.convertTo(map, CV_32F);
    if (!isSound(map))
      return;
    improve(seen->soft, known->soft, 25, map);
    improve(seen->sharp, known->sharp, 15, map);
    const cv::Size size(look::coreSide, look::coreSide);
    cv::warpAffine(known->sharp, sharp, map, size, cv::INTER_LINEAR | cv::WARP_INVERSE_MAP);
    const double plainness = seen->plainness * look::plainness(sharp);
    *result = {raised(correlation(seen->sharp, sharp), plainness), plainness, -1};
    if (seen->chroma.empty() || known->chroma.empty())
      return;
    cv::warpAffine(known->chroma, chroma, map, size, cv::INTER_NEAREST | cv::WARP_INVERSE_MAP, cv::BORDER_REPLICATE);
    result->color = look::colorDistance(seen->chroma, chroma, bins);
  });
}
