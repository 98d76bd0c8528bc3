// SPDX-License-Identifier: LGPL-2.1-or-later
#include "primitives.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace {

/// Sets the state of OpenCV's random numbers, which cv::grabCut uses, and restores the previous state.
class FixedRandomNumbers {
  const cv::RNG before = cv::theRNG();

public:
  FixedRandomNumbers() { cv::theRNG() = cv::RNG(1); }
  ~FixedRandomNumbers() { cv::theRNG() = before; }
};

cv::Mat magnitude(const cv::Mat &gray) {
  cv::Mat across, down, result;
  cv::Sobel(gray, across, CV_32F, 1, 0);
  cv::Sobel(gray, down, CV_32F, 0, 1);
  cv::magnitude(across, down, result);
  return result;
}

/// Returns the element at this fraction of the sorted values. The values are reordered, and must not be empty.
float quantile(std::vector<float> &values, double fraction) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(fraction * (values.size() - 1));
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double edgeBlur(const cv::Mat &image) {
  /// The weakest gradient of an edge, for Sobel's kernel: 4 levels per pixel.
  constexpr float weakest = 32;
  constexpr double second = 1, strongest = 0.97, largest = 4;
  if (std::min(image.cols, image.rows) < 8)
    return -1;
  cv::Mat gray, blurred;
  cv::cvtColor(image, gray, cv::COLOR_BGRA2GRAY);
  cv::GaussianBlur(gray, blurred, cv::Size(), second);
  const cv::Mat before = magnitude(gray), after = magnitude(blurred);
  std::vector<float> gradients(before.begin<float>(), before.end<float>()), ratios;
  const float limit = std::max(weakest, quantile(gradients, strongest));
  for (int y = 0; y < before.rows; y++)
    for (int x = 0; x < before.cols; x++)
      if (before.at<float>(y, x) >= limit && after.at<float>(y, x) > 0)
        ratios.push_back(before.at<float>(y, x) / after.at<float>(y, x));
  if (ratios.size() < 12)
    return -1;
  const double ratio = std::max(1.005, double(quantile(ratios, 0.5)));
  return std::min(largest, second / std::sqrt(ratio * ratio - 1));
}

void measureNoise(const cv::Mat &image, double *sigma, double *edges) {
  if (std::min(image.cols, image.rows) < 8)
    return;
  cv::Mat gray, response;
  cv::cvtColor(image, gray, cv::COLOR_BGRA2GRAY);
  const cv::Mat kernel = (cv::Mat_<float>(3, 3) << 1, -2, 1, -2, 4, -2, 1, -2, 1);
  cv::filter2D(gray, response, CV_32F, kernel);
  std::vector<float> sizes(response.begin<float>(), response.end<float>());
  for (float &size : sizes)
    size = std::abs(size);
  // The kernel multiplies the deviation of noise by 6. Of the magnitudes of a normal distribution, the
  // median is 0.6745 deviations, and the mean is 0.7979 deviations.
  *edges = cv::mean(sizes)[0] / (6 * 0.7979);
  *sigma = double(quantile(sizes, 0.5)) / (6 * 0.6745);
}

/// Returns noise with a normal distribution of deviation 1. Images repeat it in tiles, because random numbers are slow.
const cv::Mat &normalNoise() {
  static const cv::Mat noise = [] {
    cv::Mat pixels(256, 256, CV_32F);
    cv::RNG random(1);
    random.fill(pixels, cv::RNG::NORMAL, 0, 1);
    return pixels;
  }();
  return noise;
}

} // namespace

int sv_cv_grab_cut(SVCVMatrix picture, SVCVMatrix labels, int iterations, int *isSegmented, char *error) {
  return guardedInThisThread(error, [&] {
    cv::Mat mask = view(labels), background, foreground;
    const int all = mask.rows * mask.cols, bright = cv::countNonZero(mask & 1);
    *isSegmented = bright > 0 && bright < all;
    if (!*isSegmented)
      return;
    const FixedRandomNumbers random;
    cv::grabCut(view(picture), mask, cv::Rect(), background, foreground, iterations, cv::GC_INIT_WITH_MASK);
  });
}

int sv_cv_warp_grid(SVCVImage input, const float *nodes, int columns, int rows, int step, SVCVImage output,
                    char *error) {
  return guardedInThisThread(error, [&]() -> Problem {
    if (step < 1 || (columns - 1) * step < output.width - 1 || (rows - 1) * step < output.height - 1)
      return "the grid is smaller than the image";
    cv::Mat map(output.height, output.width, CV_32FC2), out = view(output);
    std::vector<cv::Vec2f> line(columns);
    for (int y = 0; y < output.height; y++) {
      const int row = y / step;
      const float down = float(y % step) / step;
      const auto *upper = reinterpret_cast<const cv::Vec2f *>(nodes) + static_cast<std::ptrdiff_t>(row) * columns;
      const auto *lower = row + 1 < rows ? upper + columns : upper;
      for (int i = 0; i < columns; i++)
        line[i] = upper[i] + down * (lower[i] - upper[i]);
      auto *place = map.ptr<cv::Vec2f>(y);
      for (int x = 0, column = 0; x < output.width; column++) {
        // OpenCV has the centre of the first pixel at (0, 0).
        cv::Vec2f at = line[column] - cv::Vec2f(0.5f, 0.5f);
        const cv::Vec2f slope = column + 1 < columns ? (line[column + 1] - line[column]) / float(step) : cv::Vec2f();
        for (const int end = std::min(x + step, output.width); x < end; x++, at += slope)
          place[x] = at;
      }
    }
    cv::remap(view(input), out, map, cv::noArray(), cv::INTER_LINEAR, cv::BORDER_CONSTANT);
    return out.data == output.data ? Problem() : "the image was moved";
  });
}

int sv_cv_edge_blur(SVCVImage image, double *sigma, char *error) {
  return guardedInThisThread(error, [&] { *sigma = edgeBlur(view(image)); });
}

int sv_cv_grain(SVCVImage image, double *sigma, double *edges, char *error) {
  *sigma = -1;
  *edges = 0;
  return guardedInThisThread(error, [&] { measureNoise(view(image), sigma, edges); });
}

int sv_cv_add_noise(SVCVImage image, double sigma, char *error) {
  return guardedInThisThread(error, [&] {
    cv::Mat pixels = view(image);
    const cv::Mat &noise = normalNoise();
    for (int y = 0; y < pixels.rows; y++) {
      auto *row = pixels.ptr<cv::Vec4b>(y);
      const auto *change = noise.ptr<float>(y % noise.rows);
      for (int x = 0; x < pixels.cols; x++) {
        const double level = sigma * change[x % noise.cols];
        for (int i = 0; i < 3; i++)
          row[x][i] = cv::saturate_cast<uint8_t>(row[x][i] + level);
      }
    }
  });
}

int sv_cv_refocus(SVCVImage image, double sigma, double amount, char *error) {
  return guardedInThisThread(error, [&] {
    cv::Mat pixels = view(image), blurred;
    cv::GaussianBlur(pixels, blurred, cv::Size(), sigma);
    if (amount > 0)
      cv::addWeighted(pixels, 1 + amount, blurred, -amount, 0, blurred);
    constexpr int channels[] = {0, 0, 1, 1, 2, 2};
    cv::mixChannels(&blurred, 1, &pixels, 1, channels, 3);
  });
}
