// SPDX-License-Identifier: LGPL-2.1-or-later
#include "correlation.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace {

/// Four numbers of a pixel, which the compiler handles as a vector.
typedef float Lanes __attribute__((vector_size(16), may_alias));
/// What the lanes of a pixel contain: the warped image, its gradient, the template.
enum Lane { value, dx, dy, model };

/// Number of parameters of an affine transform.
constexpr int parameters = 6;
/// Variance below which an image is plain.
constexpr double leastVariance = 1e-8;
/// Largest element of a transform that can make sense, in pixels.
constexpr double mostMovement = 1e6;

using Vector = cv::Vec<double, parameters>;
using Square = cv::Matx<double, parameters, parameters>;

cv::Mat1f smoothed(const cv::Mat &picture, int smoothing) {
  cv::Mat1f result;
  picture.convertTo(result, CV_32F);
  cv::GaussianBlur(result, result, cv::Size(smoothing, smoothing), 0);
  result -= cv::mean(result)[0];
  return result;
}

/// The pixels of a row that a transform maps into an image.
struct Span {
  double first, last;

  /// Leaves those for which `start` + x · `slope` is in 0…`limit`.
  void clip(double start, double slope, double limit) {
    if (std::abs(slope) < 1e-9) {
      if (start < 0 || start > limit)
        last = -1;
      return;
    }
    const double a = -start / slope, b = (limit - start) / slope;
    first = std::max(first, std::min(a, b));
    last = std::min(last, std::max(a, b));
  }
};

/// Sums over the pixels of a row, each a product of two lanes and a power of x.
struct RowSums {
  Lanes byValue{}, byX[3]{}, byY[3]{}, plain[2]{};
  float models = 0;

  void add(const Lanes &pixel, float x) {
    const Lanes alongX = pixel * pixel[dx], alongY = pixel * pixel[dy];
    byValue += pixel * pixel[value];
    models += pixel[model] * pixel[model];
    plain[0] += pixel;
    plain[1] += pixel * x;
    byX[0] += alongX;
    byX[1] += alongX * x;
    byX[2] += alongX * (x * x);
    byY[0] += alongY;
    byY[1] += alongY * x;
    byY[2] += alongY * (x * x);
  }
};

} // namespace

/// What the algorithm needs to know of the pixels that are in both images. The Jacobian of a pixel is its gradient times
/// x, y and 1, from the middle of the template.
struct CorrelationAlignment::Sums {
  double count = 0, values = 0, models = 0, squaredValues = 0, squaredModels = 0, products = 0;
  Square hessian = Square::zeros();
  /// The Jacobian times 1, the image and the template.
  Vector jacobian, byValue, byModel;

  void add(const RowSums &row, double y, int pixels) {
    count += pixels;
    values += row.plain[0][value];
    models += row.plain[0][model];
    squaredValues += row.byValue[value];
    products += row.byValue[model];
    squaredModels += row.models;
    auto addProjection = [&](Vector &to, auto alongX, auto alongY) {
      to += Vector(alongX(1), alongY(1), y * alongX(0), y * alongY(0), alongX(0), alongY(0));
    };
    addProjection(
        jacobian, [&](int i) { return row.plain[i][dx]; }, [&](int i) { return row.plain[i][dy]; });
    addProjection(
        byValue, [&](int i) { return row.byX[i][value]; }, [&](int i) { return row.byY[i][value]; });
    addProjection(
        byModel, [&](int i) { return row.byX[i][model]; }, [&](int i) { return row.byY[i][model]; });
    // Parameters come in pairs: the two gradients times x, y and 1. Each factor is a power of x and one of y.
    const int powersOfX[] = {1, 0, 0};
    const double factors[] = {1, y, 1};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const int power = powersOfX[i] + powersOfX[j];
        const double factor = factors[i] * factors[j];
        hessian(2 * i, 2 * j) += factor * row.byX[power][dx];
        hessian(2 * i, 2 * j + 1) += factor * row.byX[power][dy];
        hessian(2 * i + 1, 2 * j) += factor * row.byY[power][dx];
        hessian(2 * i + 1, 2 * j + 1) += factor * row.byY[power][dy];
      }
  }

  /// Subtracts the means of both images from all of their pixels.
  void center() {
    const double meanValue = values / count, meanModel = models / count;
    squaredValues -= meanValue * values;
    squaredModels -= meanModel * models;
    products -= meanValue * models;
    byValue -= meanValue * jacobian;
    byModel -= meanModel * jacobian;
  }

  bool isPlain() const { return std::min(squaredValues, squaredModels) < leastVariance * count; }

  double correlation() const { return products / std::sqrt(squaredValues * squaredModels); }

  /// Computes the change of the parameters (theorem 1 of the paper).
  /// - Returns: false if no step increases the correlation.
  bool step(Vector &change) const {
    change = Vector();
    cv::Matx<double, parameters, 2> projections, solution;
    for (int i = 0; i < parameters; i++) {
      projections(i, 0) = byValue[i];
      projections(i, 1) = byModel[i];
    }
    // Gradients that tell nothing about a parameter leave all as it is.
    if (!cv::solve(hessian, projections, solution, cv::DECOMP_CHOLESKY))
      return true;
    const Vector ofValue(solution.col(0).val), ofModel(solution.col(1).val);
    const double numerator = squaredValues - byValue.dot(ofValue), denominator = products - byModel.dot(ofValue);
    if (!(denominator > 0))
      return false;
    change = ofModel * (numerator / denominator) - ofValue;
    return true;
  }
};

CorrelationAlignment::CorrelationAlignment(const cv::Mat &target, const cv::Mat &image, int smoothing)
    : target(smoothed(target, smoothing)), field(image.size()) {
  const cv::Mat1f picture = smoothed(image, smoothing);
  const int right = picture.cols - 1, bottom = picture.rows - 1;
  for (int y = 0; y <= bottom; y++) {
    const float *row = picture[y], *above = picture[std::max(0, y - 1)], *below = picture[std::min(bottom, y + 1)];
    // Central differences; there are none along the edge.
    const float down = y > 0 && y < bottom ? 0.5f : 0;
    cv::Vec4f *to = field[y];
    for (int x = 0; x <= right; x++) {
      const float across = x > 0 && x < right ? 0.5f * (row[x + 1] - row[x - 1]) : 0;
      to[x] = {row[x], across, down * (below[x] - above[x]), 0};
    }
  }
}

CorrelationAlignment::Sums CorrelationAlignment::sums(const cv::Matx23d &warp) const {
  Sums sums;
  const int right = field.cols - 1, bottom = field.rows - 1;
  const float middleX = 0.5f * static_cast<float>(target.cols - 1), middleY = 0.5f * static_cast<float>(target.rows - 1);
  for (int y = 0; y < target.rows; y++) {
    const double startX = warp(0, 1) * y + warp(0, 2), startY = warp(1, 1) * y + warp(1, 2);
    Span span{0, target.cols - 1.0};
    span.clip(startX, warp(0, 0), right);
    span.clip(startY, warp(1, 0), bottom);
    if (!(span.first <= span.last))
      continue;
    const int first = static_cast<int>(std::ceil(span.first)), last = static_cast<int>(std::floor(span.last));
    const float *models = target[y];
    RowSums row;
    for (int x = first; x <= last; x++) {
      const float u = static_cast<float>(startX + warp(0, 0) * x), v = static_cast<float>(startY + warp(1, 0) * x);
      // Rounding may have taken them out by a little.
      const int left = std::max(0, std::min(right - 1, static_cast<int>(u)));
      const int top = std::max(0, std::min(bottom - 1, static_cast<int>(v)));
      const float across = u - static_cast<float>(left), down = v - static_cast<float>(top);
      const Lanes *upper = reinterpret_cast<const Lanes *>(field[top] + left);
      const Lanes *lower = reinterpret_cast<const Lanes *>(field[top + 1] + left);
      const Lanes high = upper[0] + across * (upper[1] - upper[0]), low = lower[0] + across * (lower[1] - lower[0]);
      Lanes pixel = high + down * (low - high);
      pixel[model] = models[x];
      row.add(pixel, static_cast<float>(x) - middleX);
    }
    sums.add(row, y - middleY, std::max(0, last - first + 1));
  }
  return sums;
}

std::optional<double> CorrelationAlignment::improve(cv::Matx23d &warp, int iterations, double precision) const {
  if (std::min({field.cols, field.rows, target.cols, target.rows}) < 2)
    return std::nullopt;
  const double middleX = (target.cols - 1) / 2.0, middleY = (target.rows - 1) / 2.0;
  cv::Matx23d better = warp;
  double coefficient = -1;
  for (int i = 0; i < iterations; i++) {
    if (!std::all_of(better.val, better.val + parameters, [](double m) { return std::abs(m) < mostMovement; }))
      return std::nullopt;
    Sums own = sums(better);
    if (own.count == 0)
      return std::nullopt;
    own.center();
    Vector change;
    if (own.isPlain() || !own.step(change))
      return std::nullopt;
    const double before = coefficient;
    coefficient = own.correlation();
    for (int row = 0; row < 2; row++) {
      better(row, 0) += change[row];
      better(row, 1) += change[2 + row];
      better(row, 2) += change[4 + row] - middleX * change[row] - middleY * change[2 + row];
    }
    if (i > 0 && std::abs(coefficient - before) < precision)
      break;
  }
  warp = better;
  return coefficient;
}
