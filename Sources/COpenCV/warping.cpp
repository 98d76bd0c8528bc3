// SPDX-License-Identifier: LGPL-2.1-or-later
#include "warping.hpp"

#include <algorithm>
#include <climits>
#include <cmath>

namespace {

constexpr int longestSide = SHRT_MAX - 1;
/// `tileSide`: maximum side of an output tile, in pixels. `reducedSide`: if the part of the input for a tile is too
/// long for OpenCV, the sides of this part are reduced to this length.
constexpr int tileSide = 4096, reducedSide = 8192;

bool isTooLong(const cv::Mat &image) { return std::max(image.cols, image.rows) > longestSide; }

/// Returns the range of input columns or rows from which a tile is interpolated. The range has at least one element.
/// - Parameters:
///   - across: the distance in the input between neighbouring columns of the tile.
///   - down: the distance in the input between neighbouring rows of the tile.
///   - start: the position in the input for the first pixel of the tile.
cv::Range neededRange(double across, double down, double start, cv::Size tile, int length) {
  const double ends[] = {0, across * (tile.width - 1), down * (tile.height - 1)};
  const double low = start + std::min(ends[0], ends[1]) + std::min(ends[0], ends[2]);
  const double high = start + std::max(ends[0], ends[1]) + std::max(ends[0], ends[2]);
  const auto inside = [&](double place) { return static_cast<int>(std::max(0.0, std::min(length - 1.0, place))); };
  // Interpolation and rounding need two more pixels at each end of the range.
  return {inside(std::floor(low) - 2), inside(std::ceil(high) + 2) + 1};
}

/// Fills a tile of the output.
/// - Parameter map: maps positions in the tile to positions in the input.
void warpTile(const cv::Mat &input, cv::Mat tile, cv::Matx23d map, int flags, int border) {
  const cv::Range columns = neededRange(map(0, 0), map(0, 1), map(0, 2), tile.size(), input.cols);
  const cv::Range rows = neededRange(map(1, 0), map(1, 1), map(1, 2), tile.size(), input.rows);
  cv::Mat part = input(rows, columns);
  map(0, 2) -= columns.start;
  map(1, 2) -= rows.start;
  if (isTooLong(part)) {
    const cv::Size size(std::min(part.cols, reducedSide), std::min(part.rows, reducedSide));
    const double scale[] = {static_cast<double>(size.width) / part.cols, static_cast<double>(size.height) / part.rows};
    const bool isNearest = (flags & cv::INTER_MAX) == cv::INTER_NEAREST;
    cv::Mat reduced;
    cv::resize(part, reduced, size, 0, 0, isNearest ? cv::INTER_NEAREST : cv::INTER_AREA);
    part = reduced;
    for (int axis = 0; axis < 2; axis++) {
      map(axis, 0) *= scale[axis];
      map(axis, 1) *= scale[axis];
      // For the map, the centre of the top left pixel is at (0, 0).
      map(axis, 2) = (map(axis, 2) + 0.5) * scale[axis] - 0.5;
    }
  }
  cv::warpAffine(part, tile, map, tile.size(), flags | cv::WARP_INVERSE_MAP, border);
}

} // namespace

void warp(const cv::Mat &input, cv::Mat &output, const cv::Matx23d &map, cv::Size size, int flags, int border) {
  if (!isTooLong(input))
    return cv::warpAffine(input, output, map, size, flags, border);
  cv::Mat inverse = cv::Mat(map);
  if (!(flags & cv::WARP_INVERSE_MAP))
    cv::invertAffineTransform(map, inverse);
  const cv::Matx23d back = inverse;
  // If `output` and `input` are the same image, the result needs separate memory. Without separate memory, the function
  // would overwrite input pixels before it reads them.
  cv::Mat result = output.data == input.data ? cv::Mat() : output;
  result.create(size, input.type());
  for (int y = 0; y < size.height; y += tileSide)
    for (int x = 0; x < size.width; x += tileSide) {
      const cv::Rect place = cv::Rect(x, y, tileSide, tileSide) & cv::Rect({}, size);
      cv::Matx23d part = back;
      for (int axis = 0; axis < 2; axis++)
        part(axis, 2) += back(axis, 0) * x + back(axis, 1) * y;
      warpTile(input, result(place), part, flags, border);
    }
  output = result;
}
