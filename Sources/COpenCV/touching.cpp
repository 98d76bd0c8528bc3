// SPDX-License-Identifier: LGPL-2.1-or-later
#include "touching.hpp"

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <tuple>

// The watershed of the distance to the edge takes touching things apart (L. Vincent and P. Soille: Watersheds in digital
// spaces, 1991), flooded from the summits downwards. Two summits are of different things if the saddle between them is
// low and they are no farther from each other than those of two round things that touch: the ends of a wrench are one
// thing. OpenCV's own watershed floods by differences between neighbours, which are the same everywhere here.

namespace {

/// Height of the saddle as a share of the lower summit, above which there is only one thing.
constexpr float highestSaddle = 0.8f;
/// Distance of the summits as a share of the sum of their heights, above which there is only one thing.
constexpr float farthest = 1.3f;

/// A summit, the higher one to which the flood has joined it, and the one of the same thing.
struct Summit {
  cv::Point place;
  float height;
  int joined;
  int thing;
};

using Summits = std::vector<Summit>;

int rootOf(Summits &summits, int Summit::*parent, int index) {
  while (summits[index].*parent != index)
    index = summits[index].*parent = summits[summits[index].*parent].*parent;
  return index;
}

/// Joins what two summits stand for.
void join(Summits &summits, int a, int b, float level) {
  const int first = rootOf(summits, &Summit::joined, a), second = rootOf(summits, &Summit::joined, b);
  if (first == second)
    return;
  const bool isFirstHigher = summits[first].height >= summits[second].height;
  const int high = isFirstHigher ? first : second, low = isFirstHigher ? second : first;
  // The summits of the two things that meet here, not those of all that have met before.
  const int one = rootOf(summits, &Summit::thing, a), other = rootOf(summits, &Summit::thing, b);
  const float lower = std::min(summits[one].height, summits[other].height);
  const double distance = cv::norm(summits[one].place - summits[other].place);
  if (level >= highestSaddle * lower || distance >= farthest * (summits[one].height + summits[other].height)) {
    const bool isOneHigher = summits[one].height >= summits[other].height;
    summits[isOneHigher ? other : one].thing = isOneHigher ? one : other;
  }
  summits[low].joined = high;
}

/// Floods a surface from its summits, and returns them; each pixel above 0 has its summit's number in `owners`, others
/// -1. The surface has an edge of zeros.
Summits flooded(const cv::Mat &height, cv::Mat &owners) {
  std::vector<cv::Point> order;
  for (int y = 1; y + 1 < height.rows; y++)
    for (int x = 1; x + 1 < height.cols; x++)
      if (height.at<float>(y, x) > 0)
        order.emplace_back(x, y);
  std::sort(order.begin(), order.end(), [&](cv::Point a, cv::Point b) {
    const float first = height.at<float>(a), second = height.at<float>(b);
    return std::make_tuple(second, a.y, a.x) < std::make_tuple(first, b.y, b.x);
  });
  owners.create(height.size(), CV_32S);
  owners.setTo(-1);
  Summits summits;
  for (const cv::Point &place : order) {
    const float level = height.at<float>(place);
    int own = -1;
    float highest = 0;
    int others[8], count = 0;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        const cv::Point near(place.x + dx, place.y + dy);
        const int other = owners.at<int>(near);
        if (other < 0)
          continue;
        others[count++] = other;
        if (height.at<float>(near) > highest) {
          highest = height.at<float>(near);
          own = other;
        }
      }
    if (own < 0) {
      own = static_cast<int>(summits.size());
      summits.push_back({place, level, own, own});
    }
    owners.at<int>(place) = own;
    for (int i = 0; i < count; i++)
      if (others[i] != own)
        join(summits, own, others[i], level);
  }
  return summits;
}

} // namespace

std::vector<cv::Mat> separated(const cv::Mat &mask) {
  // What has no necks is one thing.
  std::vector<std::vector<cv::Point>> contours;
  std::vector<cv::Point> points, hull;
  cv::findContours(mask, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_SIMPLE);
  double area = 0;
  for (const std::vector<cv::Point> &contour : contours) {
    points.insert(points.end(), contour.begin(), contour.end());
    area += cv::contourArea(contour);
  }
  if (points.empty())
    return {};
  cv::convexHull(points, hull);
  if (area > 0.95 * cv::contourArea(hull))
    return {mask};
  cv::Mat height, smooth, owners;
  cv::distanceTransform(mask, height, cv::DIST_L2, cv::DIST_MASK_PRECISE);
  cv::GaussianBlur(height, smooth, cv::Size(3, 3), 0);
  smooth.setTo(0, mask == 0);
  Summits summits = flooded(smooth, owners);
  std::vector<cv::Mat> parts;
  std::vector<int> places(summits.size(), -1);
  for (int y = 0; y < mask.rows; y++) {
    const int *row = owners.ptr<int>(y);
    for (int x = 0; x < mask.cols; x++) {
      if (row[x] < 0)
        continue;
      int &place = places[rootOf(summits, &Summit::thing, row[x])];
      if (place < 0) {
        place = static_cast<int>(parts.size());
        parts.push_back(cv::Mat::zeros(mask.size(), CV_8U));
      }
      parts[place].at<uint8_t>(y, x) = 255;
    }
  }
  return parts;
}
