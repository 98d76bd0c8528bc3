// SPDX-License-Identifier: LGPL-2.1-or-later
#include "COpenCVCheck.h"

#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

int sv_check_blobs(const uint8_t *pixels, int width, int height, size_t stride, double scale, double stdDevs,
                   SVCheckRectangle *found, int capacity) {
  try {
    const cv::Mat image(height, width, CV_8UC4, const_cast<uint8_t *>(pixels), stride);
    cv::Mat small, mask, edges;
    cv::resize(image, small, cv::Size(), scale, scale, cv::INTER_AREA);
    cv::Scalar mean, deviation;
    cv::meanStdDev(small, mean, deviation);
    cv::inRange(small, mean - stdDevs * deviation, mean + stdDevs * deviation, mask);
    const int kernel = static_cast<int>(std::min(small.cols, small.rows) * 0.005);
    if (kernel > 0)
      cv::erode(mask, mask, cv::getStructuringElement(cv::MORPH_RECT, {kernel, kernel}), {-1, -1}, 8);
    cv::Canny(mask, edges, 191, 255);
    std::vector<std::vector<cv::Point>> contours;
    cv::findContours(edges, contours, cv::RETR_TREE, cv::CHAIN_APPROX_SIMPLE);
    const int smallest = static_cast<int>(std::min(width, height) * 0.05);
    std::vector<cv::Rect> boxes;
    for (const auto &contour : contours) {
      cv::Rect box = cv::boundingRect(contour);
      box.x /= scale;
      box.y /= scale;
      box.width /= scale;
      box.height /= scale;
      if (box.width >= smallest && box.height >= smallest)
        boxes.push_back(box);
    }
    std::vector<cv::Rect> outer;
    for (size_t i = 0; i < boxes.size(); i++) {
      bool isNested = false;
      for (size_t j = 0; j < boxes.size(); j++)
        isNested = isNested || ((boxes[i] & boxes[j]) == boxes[i] && (boxes[i] != boxes[j] || j < i));
      if (!isNested)
        outer.push_back(boxes[i]);
    }
    for (size_t i = 0; i < outer.size() && i < static_cast<size_t>(capacity); i++)
      found[i] = {outer[i].x, outer[i].y, outer[i].width, outer[i].height};
    return static_cast<int>(outer.size());
  } catch (...) {
    return -1;
  }
}

namespace {

struct Look {
  cv::Mat histogram;
  cv::Mat descriptors;

  explicit Look(const cv::Mat &picture) {
    const int channels[] = {0, 1, 2}, bins[] = {32, 32, 32};
    const float range[] = {0, 256}, *ranges[] = {range, range, range};
    cv::calcHist(&picture, 1, channels, cv::Mat(), histogram, 3, bins, ranges);
    histogram *= 1.0f / (picture.rows * picture.cols);
    cv::Mat gray;
    cv::cvtColor(picture, gray, cv::COLOR_BGRA2GRAY);
    cv::createCLAHE()->apply(gray, gray);
    std::vector<cv::KeyPoint> keypoints;
    const auto orb = cv::ORB::create();
    orb->detect(gray, keypoints);
    orb->compute(gray, keypoints, descriptors);
  }
};

} // namespace

int sv_check_distance(const uint8_t *seen, int seenWidth, int seenHeight, size_t seenStride, const uint8_t *known,
                      int knownWidth, int knownHeight, size_t knownStride, double *histograms, double *sum,
                      int *count) {
  try {
    const Look a(cv::Mat(seenHeight, seenWidth, CV_8UC4, const_cast<uint8_t *>(seen), seenStride));
    const Look b(cv::Mat(knownHeight, knownWidth, CV_8UC4, const_cast<uint8_t *>(known), knownStride));
    *histograms = cv::compareHist(a.histogram, b.histogram, cv::HISTCMP_CHISQR_ALT);
    std::vector<cv::DMatch> matches;
    cv::DescriptorMatcher::create("BruteForce-HammingLUT")->match(a.descriptors, b.descriptors, matches);
    *sum = 0;
    for (const cv::DMatch &match : matches)
      *sum += match.distance;
    *count = static_cast<int>(matches.size());
    return 0;
  } catch (...) {
    return -1;
  }
}
