// SPDX-License-Identifier: LGPL-2.1-or-later
#include "appearance.hpp"
#include "correlation.hpp"
#include "keypoints.hpp"

#include <memory>
#include <opencv2/imgproc.hpp>

namespace {

using appearance::Contours;

const cv::Matx33d fromCore(1, 0, appearance::coreStart, 0, 1, appearance::coreStart, 0, 0, 1);
const cv::Size normalSize(appearance::side, appearance::side);

SVCVAlignment asAlignment(const cv::Matx33d &map) {
  return {{map(0, 0), map(0, 1), map(0, 2), map(1, 0), map(1, 1), map(1, 2)}};
}

/// Returns a rotation about the centre of the normal position.
cv::Matx33d rotation(double radians) {
  const double c = std::cos(radians), s = std::sin(radians), middle = (appearance::side - 1) / 2.0;
  return {c, -s, middle - c * middle + s * middle, s, c, middle - s * middle - c * middle, 0, 0, 1};
}

/// What both appearances have.
struct Appearance : SVCVObject {
  cv::Mat sharp;
  cv::Mat soft;
  /// Where contours are the object's own: 255.
  cv::Mat inner;
  double plainness = 1;
  cv::Mat chroma;
  std::unique_ptr<Keypoints> keypoints;
};

struct QueryAppearance : Appearance {
  /// Map from the core's pixels to the picture's.
  cv::Matx33d core;
  /// The polar picture rotated to every angle, one a column.
  cv::Mat turns;
  /// Picture for keypoints, which are found on demand.
  cv::Mat picture;
  SVCVFeatures features;

  /// Length of a pixel of the picture in normal position.
  double unit = 1;

  QueryAppearance(const SVCVImage &image, const Shape &shape, const appearance::Ellipse &ellipse, SVCVFeatures features)
      : picture(view(image).clone()), features(features) {
    const cv::Matx33d position = appearance::normalPosition(ellipse);
    unit = appearance::radius / ellipse.size();
    const cv::Mat normal = appearance::sampled(picture, position, normalSize);
    const Contours contours(normal);
    core = position * fromCore;
    sharp = contours.sharp(appearance::core).clone();
    soft = contours.soft(appearance::core).clone();
    inner = appearance::innerMask(shape.silhouette, position, normalSize)(appearance::core) & appearance::coreMask();
    plainness = appearance::plainness(sharp, inner);
    chroma = appearance::chromaticity(normal(appearance::core), picture);
    const cv::Mat row = appearance::polar(contours.soft);
    turns.create(appearance::angles * appearance::radii, appearance::angles, CV_32F);
    for (int angle = 0; angle < appearance::angles; angle++)
      for (int i = 0; i < row.cols; i++)
        turns.at<float>(i, angle) = row.at<float>((i + angle * appearance::radii) % row.cols);
  }
};

struct TrainedAppearance : Appearance {
  /// Map from the map's pixels to the picture's.
  cv::Matx33d map;
  /// Polar pictures, one a row, and their positions: from normal position to the map's pixels.
  cv::Mat views;
  std::vector<cv::Matx33d> positions;

  TrainedAppearance(const SVCVImage &image, const Shape &shape, const appearance::Ellipse &ellipse,
                    SVCVFeatures features) {
    const cv::Mat picture = view(image);
    // The object has the same size in the map as in normal position.
    const double scale = std::min({appearance::radius / ellipse.size(), 256.0 / picture.cols, 256.0 / picture.rows});
    const cv::Size size(std::max(1, cvRound(picture.cols * scale)), std::max(1, cvRound(picture.rows * scale)));
    map = {1 / scale, 0, 0.5 / scale - 0.5, 0, 1 / scale, 0.5 / scale - 0.5, 0, 0, 1};
    const cv::Mat whole = appearance::sampled(picture, map, size);
    const Contours contours(whole);
    sharp = contours.sharp;
    soft = contours.soft;
    inner = appearance::innerMask(shape.silhouette, map, size);
    chroma = appearance::chromaticity(whole, picture);
    // Views in several sizes and positions: an outline may include a shadow. The first one is that of the outline.
    for (const double growth : {1.0, 0.94, 1.07})
      for (int place = 0; place < 7; place++) {
        const double angle = place * CV_PI / 3, distance = place == 0 ? 0 : 0.09;
        const cv::Point2d shift(distance * std::cos(angle), distance * std::sin(angle));
        const cv::Matx33d position = appearance::normalPosition(ellipse, growth, shift);
        const Contours seen(appearance::sampled(picture, position, normalSize));
        views.push_back(appearance::polar(seen.soft));
        // The plainest one is used: contours of the edge may be in view.
        const cv::Mat own = appearance::innerMask(shape.silhouette, position, normalSize)(appearance::core);
        plainness = std::max(views.rows == 1 ? 0 : plainness,
                             appearance::plainness(seen.sharp(appearance::core), own & appearance::coreMask()));
        positions.push_back(map.inv() * position);
      }
    if (features != sv_cv_features_none)
      keypoints = std::make_unique<Keypoints>(picture, features);
  }
};

/// Returns whether a map from the query's normal position, in which it may be stretched, to the trained one's map
/// stretches the object itself by about as much everywhere, and not much: none is that skewed.
bool isSound(const cv::Matx23d &map, const QueryAppearance &query) {
  if (!cv::checkRange(map))
    return false;
  const cv::Matx22d own = query.core.get_minor<2, 2>(0, 0) * query.unit;
  const Stretch stretch(map.get_minor<2, 2>(0, 0) * own.inv());
  return stretch.least > 0.55 && stretch.most < 1.8 && stretch.most < 2 * stretch.least;
}

/// Correlation of blurred pictures above which an alignment is worth being made exact: in 600 scenes with hard shadows
/// the sharp pictures correlated by 0.45 at most where the blurred ones did so by less, and mostly by more than that where
/// the blurred ones did so by more than 0.7.
constexpr double leastLikeness = 0.5;

/// Improves `map` by the enhanced correlation coefficient, unless that fails, as with plain objects and those that look the
/// same at any rotation.
/// - Returns: the coefficient before the last step; 1 if `map` was not improved.
double improve(const QueryAppearance &own, const cv::Mat &query, const cv::Mat &trained, int rounds, cv::Matx23d &map) {
  cv::Matx23d better = map;
  const std::optional<double> likeness = CorrelationAlignment(query, trained, 1).improve(better, rounds, 1e-3);
  if (!likeness || !isSound(better, own))
    return 1;
  map = better;
  return *likeness;
}

/// Returns the correlation of two pictures under a mask, −1…1.
double correlation(const cv::Mat &a, const cv::Mat &b, const cv::Mat &mask) {
  cv::Mat x = a - cv::mean(a, mask), y = b - cv::mean(b, mask);
  x.setTo(0, mask == 0);
  y.setTo(0, mask == 0);
  const double lengths = cv::norm(x) * cv::norm(y);
  return lengths > 0 ? x.dot(y) / lengths : 0;
}

/// Makes the appearance of an object with this shape; null with a text in `error` if that fails.
template <typename Kind>
SVCVObject *appearanceOf(const SVCVImage &picture, SVCVShape *shape, SVCVFeatures features, char *error) {
  SVCVObject *object = nullptr;
  guardedInThisThread(error, [&]() -> Problem {
    const Shape &own = as<Shape>(shape);
    const appearance::Ellipse ellipse(own.silhouette.outline);
    if (!ellipse.isSound)
      return "the outline has no area";
    object = new Kind(picture, own, ellipse, features);
    return {};
  });
  return object;
}

/// Raises a likeness: two plain objects are alike.
double raised(double likeness, double plainness) { return likeness + (1 - likeness) * plainness; }

} // namespace

SVCVQueryAppearance *sv_cv_query_create(SVCVImage picture, SVCVShape *shape, SVCVFeatures features, char *error) {
  return appearanceOf<QueryAppearance>(picture, shape, features, error);
}

SVCVTrainedAppearance *sv_cv_trained_create(SVCVImage picture, SVCVShape *shape, SVCVFeatures features, char *error) {
  return appearanceOf<TrainedAppearance>(picture, shape, features, error);
}

double sv_cv_appearance_plainness(SVCVObject *appearance) {
  const Appearance *own = dynamic_cast<const Appearance *>(appearance);
  return own ? own->plainness : 1;
}

int sv_cv_align_shapes(SVCVQueryAppearance *query, SVCVTrainedAppearance *trained, SVCVSimilarity between,
                       SVCVAlignment *alignment, char *error) {
  return guardedInThisThread(error, [&] {
    *alignment = asAlignment(as<TrainedAppearance>(trained).map.inv() * matrix(between) * as<QueryAppearance>(query).core);
  });
}

int sv_cv_estimate_contours(SVCVQueryAppearance *query, SVCVTrainedAppearance *trained, double *score, char *error) {
  return guardedInThisThread(error, [&] {
    const QueryAppearance &a = as<QueryAppearance>(query);
    const TrainedAppearance &b = as<TrainedAppearance>(trained);
    cv::Mat scores;
    cv::gemm(b.views.row(0), a.turns, 1, cv::noArray(), 0, scores);
    cv::minMaxLoc(scores, nullptr, score);
    *score = raised(*score, a.plainness * b.plainness);
  });
}

int sv_cv_align_contours(SVCVQueryAppearance *query, SVCVTrainedAppearance *trained, SVCVAlignment *alignment,
                         double *score, char *error) {
  return guardedInThisThread(error, [&] {
    const QueryAppearance &a = as<QueryAppearance>(query);
    const TrainedAppearance &b = as<TrainedAppearance>(trained);
    cv::Mat scores;
    cv::gemm(b.views, a.turns, 1, cv::noArray(), 0, scores);
    cv::Point best;
    cv::minMaxLoc(scores, nullptr, score, nullptr, &best);
    *score = raised(*score, a.plainness * b.plainness);
    const cv::Matx33d back = rotation(-2 * CV_PI * best.x / appearance::angles);
    *alignment = asAlignment(b.positions[best.y] * back * fromCore);
  });
}

int sv_cv_align_keypoints(SVCVQueryAppearance *query, SVCVTrainedAppearance *trained, SVCVAlignment *alignment,
                          double *score, char *error) {
  *score = 0;
  return guardedInThisThread(error, [&] {
    QueryAppearance &a = as<QueryAppearance>(query);
    const TrainedAppearance &b = as<TrainedAppearance>(trained);
    if (!b.keypoints)
      return;
    if (!a.keypoints)
      a.keypoints = std::make_unique<Keypoints>(a.picture, a.features);
    cv::Matx33d map;
    *score = findSimilarity(*a.keypoints, *b.keypoints, map);
    if (*score > 0)
      *alignment = asAlignment(b.map.inv() * map * a.core);
  });
}

int sv_cv_compare(SVCVQueryAppearance *query, SVCVTrainedAppearance *trained, SVCVAlignment alignment, int bins,
                  SVCVLikeness *result, char *error) {
  *result = {0, 0, 1};
  return guardedInThisThread(error, [&] {
    const QueryAppearance &a = as<QueryAppearance>(query);
    const Appearance &b = as<TrainedAppearance>(trained);
    cv::Matx23d map(alignment.m);
    cv::Mat sharp, chroma, inner;
    if (!isSound(map, a))
      return;
    // Where blurred pictures differ that much, sharp ones do.
    if (improve(a, a.soft, b.soft, 25, map) > leastLikeness)
      improve(a, a.sharp, b.sharp, 15, map);
    const cv::Size size(appearance::coreSide, appearance::coreSide);
    cv::warpAffine(b.sharp, sharp, map, size, cv::INTER_LINEAR | cv::WARP_INVERSE_MAP);
    cv::warpAffine(b.inner, inner, map, size, cv::INTER_NEAREST | cv::WARP_INVERSE_MAP);
    inner &= a.inner;
    const double plainness = a.plainness * appearance::plainness(sharp, inner);
    *result = {raised(correlation(a.sharp, sharp, inner), plainness), plainness, -1};
    if (a.chroma.empty() || b.chroma.empty())
      return;
    cv::warpAffine(b.chroma, chroma, map, size, cv::INTER_NEAREST | cv::WARP_INVERSE_MAP, cv::BORDER_REPLICATE);
    const cv::Mat &mask = cv::countNonZero(inner) > 0 ? inner : appearance::coreMask();
    result->color = appearance::colorDistance(a.chroma, chroma, mask, bins);
  });
}
