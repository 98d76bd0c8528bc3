// SPDX-License-Identifier: LGPL-2.1-or-later
#include "descriptors.hpp"

#include <climits>
#include <cstring>

bool isBinary(const cv::Mat &descriptors) { return descriptors.type() == CV_8U; }

cv::BFMatcher matcher(const cv::Mat &descriptors) {
  return cv::BFMatcher(isBinary(descriptors) ? cv::NORM_HAMMING : cv::NORM_L2);
}

namespace {

/// Returns the descriptors, which are bits, in whole words.
std::vector<uint64_t> words(const cv::Mat &descriptors, size_t each) {
  std::vector<uint64_t> result(each * descriptors.rows, 0);
  for (int i = 0; i < descriptors.rows; i++)
    std::memcpy(&result[each * i], descriptors.ptr(i), descriptors.cols);
  return result;
}

/// Does the same as `nearest` for descriptors that are bits: BFMatcher calls a function for each pair, which takes longer
/// than counting.
std::vector<Nearest> nearestBits(const cv::Mat &from, const cv::Mat &to) {
  const size_t each = (from.cols + sizeof(uint64_t) - 1) / sizeof(uint64_t);
  CV_Assert(isBinary(from) && isBinary(to) && from.cols == to.cols && from.cols > 0);
  const std::vector<uint64_t> queries = words(from, each), all = words(to, each);
  std::vector<Nearest> result(from.rows);
  for (int i = 0; i < from.rows; i++) {
    const uint64_t *query = &queries[each * i];
    int best = INT_MAX, next = INT_MAX;
    for (int j = 0; j < to.rows; j++) {
      const uint64_t *other = &all[each * j];
      int bits = 0;
      for (size_t k = 0; k < each; k++)
        bits += __builtin_popcountll(query[k] ^ other[k]);
      if (bits >= next)
        continue;
      if (bits < best) {
        next = best;
        best = bits;
        result[i].index = j;
      } else {
        next = bits;
      }
    }
    result[i].distance = static_cast<float>(best);
    result[i].next = static_cast<float>(next);
  }
  return result;
}

} // namespace

std::vector<Nearest> nearest(const cv::Mat &from, const cv::Mat &to) {
  if (isBinary(from))
    return nearestBits(from, to);
  std::vector<std::vector<cv::DMatch>> matches;
  matcher(from).knnMatch(from, to, matches, 2);
  std::vector<Nearest> result(from.rows);
  for (size_t i = 0; i < matches.size(); i++)
    if (matches[i].size() == 2)
      result[i] = {matches[i][0].trainIdx, matches[i][0].distance, matches[i][1].distance};
  return result;
}
