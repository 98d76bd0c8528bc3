// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_DESCRIPTORS_HPP
#define SV_DESCRIPTORS_HPP

#include <opencv2/features2d.hpp>
#include <vector>

/// Whether descriptors of keypoints, one in each row, are bits: as those of ORB and AKAZE, not of SIFT.
bool isBinary(const cv::Mat &descriptors);

/// Returns what finds the best matches of such descriptors by brute force.
cv::BFMatcher matcher(const cv::Mat &descriptors);

/// The descriptor that is nearest to another one, and its distance; that of the next one.
struct Nearest {
  int index = -1;
  float distance = 0, next = 0;
};

/// Finds the nearest two of `to`, which has at least two, to each of `from`: by the number of bits that differ, or by the
/// lengths of differences.
std::vector<Nearest> nearest(const cv::Mat &from, const cv::Mat &to);

#endif
