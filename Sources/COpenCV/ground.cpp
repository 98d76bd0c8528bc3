// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ground.hpp"
#include "guarded.hpp"

#include <cmath>
#include <opencv2/imgproc.hpp>

namespace {

constexpr int terms = 6;
/// Offset that is added to levels before the logarithm is taken, so that noise in the dark has little effect.
constexpr double offset = 8;
constexpr float colorWeight = 4;
/// Limit for shadows, which are tinted by the remaining light: squares of distances up to this multiple of the light's
/// alone.
constexpr float shadeTint = 6;
/// Logarithm at which levels are clipped, a little below 255 for noise. A background may exceed it undetected.
const float ceiling = static_cast<float>(std::log(250 + offset));
/// Logarithm from which up to the ceiling the colour has less and less weight: noise is clipped there, too, unevenly by
/// channel.
const float bright = static_cast<float>(std::log(230 + offset));

cv::Vec<double, terms> basis(double x, double y) { return {1, x, y, x * x, x * y, y * y}; }

/// Returns the position of a pixel, −1…1 along a length of pixels.
double position(int pixel, int length) { return (2.0 * pixel + 1) / length - 1; }

/// Factor by which the median of absolute values estimates a normal distribution's standard deviation.
constexpr double madFactor = 1.4826;

/// Returns about every third of the pixels along the edge, at most about 1500 of them.
std::vector<cv::Point> edgePixels(cv::Size size) {
  const int width = std::max(2, std::min(size.width, size.height) / 25);
  std::vector<cv::Point> all;
  forEachEdgePixel(size, width, [&](int x, int y) { all.emplace_back(x, y); });
  const size_t step = std::max<size_t>(1, all.size() / 1500) | 1;
  std::vector<cv::Point> some;
  for (size_t i = 0; i < all.size(); i += step)
    some.push_back(all[i]);
  return some;
}

/// Returns the coefficients of the background, a column for each channel.
cv::Mat fit(const cv::Mat &logarithm, const std::vector<cv::Point> &pixels) {
  // Room for the channels, as many as fill whole vectors of the processor.
  constexpr int columns = 4;
  const size_t count = pixels.size();
  const int channels = logarithm.channels();
  CV_Assert(channels <= columns);
  // The basis at each pixel, and the background: the observed value, or more where levels are clipped.
  struct Place {
    double basis[terms], levels[columns];
  };
  std::vector<Place> places(count);
  for (size_t i = 0; i < count; i++) {
    const cv::Vec<double, terms> own =
        basis(position(pixels[i].x, logarithm.cols), position(pixels[i].y, logarithm.rows));
    std::copy_n(own.val, terms, places[i].basis);
    std::copy_n(logarithm.ptr<float>(pixels[i].y) + pixels[i].x * channels, channels, places[i].levels);
  }
  cv::Mat coefficients;
  std::vector<double> weights(count, 1), residuals(count);
  for (int round = 0; round < 8; round++) {
    // Normal equations, solved by singular values for tiny pictures, where they have no single solution.
    double squares[terms][terms] = {}, products[terms][columns] = {};
    for (size_t i = 0; i < count; i++)
      for (int j = 0; j < terms; j++) {
        const double weighted = weights[i] * places[i].basis[j];
        for (int k = 0; k < terms; k++)
          squares[j][k] += weighted * places[i].basis[k];
        for (int c = 0; c < columns; c++)
          products[j][c] += weighted * places[i].levels[c];
      }
    cv::Mat left(terms, terms, CV_64F, squares);
    cv::completeSymm(left, true);
    cv::solve(left, cv::Mat(terms, columns, CV_64F, products).colRange(0, channels), coefficients, cv::DECOMP_SVD);
    double factors[terms][columns] = {};
    for (int j = 0; j < terms; j++)
      std::copy_n(coefficients.ptr<double>(j), channels, factors[j]);
    for (size_t i = 0; i < count; i++) {
      Place &place = places[i];
      double background[columns] = {};
      for (int j = 0; j < terms; j++)
        for (int c = 0; c < columns; c++)
          background[c] += place.basis[j] * factors[j][c];
      residuals[i] = 0;
      for (int c = 0; c < channels; c++) {
        double &level = place.levels[c];
        if (level >= ceiling)
          level = std::max(ceiling, static_cast<float>(background[c]));
        residuals[i] = std::max(residuals[i], std::abs(level - background[c]));
      }
    }
    const double sigma = std::max(0.008, madFactor * quantile(residuals, 1, 2));
    for (size_t i = 0; i < count; i++) {
      const double ratio = residuals[i] / (4 * sigma), share = std::max(0.0, 1 - ratio * ratio);
      // Little is known in the first round: no pixel is left out.
      weights[i] = round == 0 ? 1 / ((1 + 4 * ratio) * (1 + 4 * ratio)) : share * share;
    }
  }
  return coefficients;
}

/// Computes the squares of the distances of a row's pixels from the background, and their shade; see `GroundDistance`.
class RowDistance {
public:
  RowDistance(int width, int channels)
      : width(width), channels(channels), residual(static_cast<size_t>(width) * channels), blue(width), green(width),
        red(width), brightest(width) {}

  void measure(const float *logarithm, const float *ground, float *square, uint8_t *shade) {
    // Copies, so that the compiler knows that they stay the same while results are written.
    const float limit = ceiling, range = ceiling - bright;
    for (int i = 0; i < width * channels; i++)
      residual[i] = std::min(logarithm[i], limit) - std::min(ground[i], limit);
    if (channels == 1) {
      for (int x = 0; x < width; x++) {
        square[x] = residual[x] * residual[x];
        shade[x] = residual[x] < 0 ? 255 : 0;
      }
      return;
    }
    // Channel by channel, so that what follows is done for several pixels at once.
    for (int x = 0; x < width; x++) {
      const float *own = residual.data() + 3 * x, *pixel = logarithm + 3 * x;
      blue[x] = own[0];
      green[x] = own[1];
      red[x] = own[2];
      brightest[x] = std::max(std::max(pixel[0], pixel[1]), pixel[2]);
    }
    const float *b = blue.data(), *g = green.data(), *r = red.data(), *top = brightest.data();
    for (int x = 0; x < width; x++) {
      const float luma = (b[x] + g[x] + r[x]) / 3;
      const float color =
          (b[x] - luma) * (b[x] - luma) + (g[x] - luma) * (g[x] - luma) + (r[x] - luma) * (r[x] - luma);
      const float share = std::max(0.0f, std::min(1.0f, (limit - top[x]) / range));
      const float weight = 1 + (colorWeight - 1) * share;
      square[x] = luma * luma + weight * weight * color;
      shade[x] = ((luma < 0) & (shadeTint * luma * luma > square[x])) ? 255 : 0;
    }
  }

private:
  const int width, channels;
  std::vector<float> residual, blue, green, red, brightest;
};

} // namespace

cv::Mat logarithmOf(const cv::Mat &picture, int smoothing) {
  cv::Mat smooth, logarithm, table(1, 256, CV_32F);
  cv::GaussianBlur(picture, smooth, cv::Size(smoothing, smoothing), 0);
  for (int i = 0; i < 256; i++)
    table.at<float>(i) = static_cast<float>(std::log(i + offset));
  cv::LUT(smooth, table, logarithm);
  return logarithm;
}

Ground Ground::continuingEdge(const cv::Mat &logarithm) {
  Ground ground;
  ground.edge = edgePixels(logarithm.size());
  ground.coefficients = fit(logarithm, ground.edge);
  return ground;
}

void Ground::find(int y, cv::Size size, const cv::Rect2d &place, Row &row) const {
  const int channels = surface.empty() ? coefficients.cols : surface.channels();
  std::vector<float> &levels = row.levels;
  levels.resize(static_cast<size_t>(size.width) * channels);
  if (!surface.empty()) {
    const double v = (place.y + place.height * (y + 0.5) / size.height) * surface.rows - 0.5;
    const int top = std::max(0, std::min(surface.rows - 1, static_cast<int>(std::floor(v))));
    const int bottom = std::min(surface.rows - 1, top + 1);
    const float below = static_cast<float>(std::max(0.0, std::min(1.0, v - top)));
    const float *upper = surface.ptr<float>(top), *lower = surface.ptr<float>(bottom);
    for (int x = 0; x < size.width; x++) {
      const double u = (place.x + place.width * (x + 0.5) / size.width) * surface.cols - 0.5;
      const int left = std::max(0, std::min(surface.cols - 1, static_cast<int>(std::floor(u))));
      const int right = std::min(surface.cols - 1, left + 1);
      const float beside = static_cast<float>(std::max(0.0, std::min(1.0, u - left)));
      for (int c = 0; c < channels; c++) {
        const int l = left * channels + c, r = right * channels + c;
        const float a = upper[l] + beside * (upper[r] - upper[l]), b = lower[l] + beside * (lower[r] - lower[l]);
        levels[x * channels + c] = a + below * (b - a);
      }
    }
    return;
  }
  if (row.constant.empty()) {
    const float step = static_cast<float>(2 * place.width / size.width);
    const float start = static_cast<float>(2 * place.x - 1) + step / 2;
    for (int x = 0; x < size.width; x++)
      for (int c = 0; c < channels; c++) {
        auto k = [&](int i) { return static_cast<float>(coefficients.at<double>(i, c)); };
        const float u = start + step * x;
        row.constant.push_back(k(0) + u * (k(1) + u * k(3)));
        row.slope.push_back(k(2) + u * k(4));
        row.curve.push_back(k(5));
      }
  }
  const float v = static_cast<float>(2 * place.y - 1 + place.height * (2.0 * y + 1) / size.height);
  const float *constant = row.constant.data(), *slope = row.slope.data(), *curve = row.curve.data();
  float *to = levels.data();
  for (int i = 0; i < size.width * channels; i++)
    to[i] = constant[i] + v * (slope[i] + v * curve[i]);
}

GroundDistance Ground::distance(const cv::Mat &logarithm, const cv::Rect2d &place) const {
  GroundDistance result;
  result.distance.create(logarithm.size(), CV_32F);
  result.shade.create(logarithm.size(), CV_8U);
  Row row;
  RowDistance own(logarithm.cols, logarithm.channels());
  for (int y = 0; y < logarithm.rows; y++) {
    find(y, logarithm.size(), place, row);
    own.measure(logarithm.ptr<float>(y), row.levels.data(), result.distance.ptr<float>(y), result.shade.ptr(y));
  }
  cv::sqrt(result.distance, result.distance);
  return result;
}

cv::Mat Ground::residual(const cv::Mat &logarithm, const cv::Rect &part, const cv::Rect2d &whole, int step) const {
  cv::Mat result((part.height + step - 1) / step, (part.width + step - 1) / step, logarithm.type());
  const double width = whole.width / logarithm.cols, height = whole.height / logarithm.rows, shift = (1 - step) / 2.0;
  const cv::Rect2d place(whole.x + (part.x + shift) * width, whole.y + (part.y + shift) * height,
                         result.cols * step * width, result.rows * step * height);
  const int channels = logarithm.channels();
  Row row;
  for (int y = 0; y < result.rows; y++) {
    find(y, result.size(), place, row);
    const float *from = logarithm.ptr<float>(part.y + y * step) + part.x * channels, *level = row.levels.data();
    float *to = result.ptr<float>(y);
    for (int x = 0; x < result.cols; x++, from += step * channels)
      for (int c = 0; c < channels; c++)
        *to++ = std::min(from[c], ceiling) - std::min(*level++, ceiling);
  }
  return result;
}

double Ground::noiseAlongEdge(const cv::Mat &distance) {
  std::vector<float> values;
  forEachEdgePixel(distance.size(), 2, [&](int x, int y) { values.push_back(distance.at<float>(y, x)); });
  return madFactor * quantile(std::move(values), 1, 2);
}

double Ground::noise(const cv::Mat &distance) const {
  std::vector<double> values;
  for (const cv::Point &pixel : edge)
    values.push_back(distance.at<float>(pixel));
  return madFactor * quantile(values, 1, 2);
}
