// SPDX-License-Identifier: LGPL-2.1-or-later
#include "COpenCVCheck.h"

#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>

int sv_check_detect(const uint8_t *gray, int width, int height, size_t stride, double scale, const char *path,
                    SVCheckRectangle part, double scaleFactor, int minNeighbors, int minSize, double minFraction,
                    SVCheckRectangle *found, int capacity) {
  try {
    cv::Mat picture(height, width, CV_8UC1, const_cast<uint8_t *>(gray), stride), small;
    cv::resize(picture, small, cv::Size(), scale, scale, cv::INTER_AREA);
    cv::equalizeHist(small, small);
    if (minFraction > 0)
      minSize = static_cast<int>(std::min(small.cols, small.rows) * minFraction);
    if (part.width > 0)
      small = small(cv::Rect(part.x, part.y, part.width, part.height));
    std::vector<cv::Rect> boxes;
    const cv::Size smallest(minSize, minSize);
    cv::CascadeClassifier(path).detectMultiScale(small, boxes, scaleFactor, minNeighbors, 0, smallest);
    for (size_t i = 0; i < boxes.size() && i < static_cast<size_t>(capacity); i++)
      found[i] = {boxes[i].x, boxes[i].y, boxes[i].width, boxes[i].height};
    return static_cast<int>(boxes.size());
  } catch (...) {
    return -1;
  }
}

namespace {

cv::Mat picture(const SVCheckFace &face) {
  return cv::Mat(face.height, face.width, CV_8UC(face.channels), const_cast<uint8_t *>(face.pixels)).clone();
}

void widen(cv::Mat &image, int channels) {
  if (image.channels() == channels)
    return;
  if (image.channels() == 3)
    cv::cvtColor(image, image, cv::COLOR_BGR2BGRA);
  else
    cv::cvtColor(image, image, channels == 3 ? cv::COLOR_GRAY2BGR : cv::COLOR_GRAY2BGRA);
}

} // namespace

int sv_check_merge(SVCheckFace first, SVCheckFace second, uint8_t *output, size_t capacity) {
  try {
    const bool firstIsBigger = first.width * first.height > second.width * second.height;
    const SVCheckFace &bigger = firstIsBigger ? first : second, &smaller = firstIsBigger ? second : first;
    cv::Point2f from[3], to[3];
    for (int i = 0; i < 3; i++) {
      from[i] = cv::Point2f(smaller.points[2 * i], smaller.points[2 * i + 1]);
      to[i] = cv::Point2f(bigger.points[2 * i], bigger.points[2 * i + 1]);
    }
    cv::Mat warped, other = picture(bigger);
    cv::warpAffine(picture(smaller), warped, cv::getAffineTransform(from, to), other.size());
    const int channels = std::max(warped.channels(), other.channels());
    widen(warped, channels);
    widen(other, channels);
    cv::multiply(warped, other, warped, 1.0 / 255.0);
    if (warped.total() * warped.elemSize() > capacity)
      return -1;
    std::copy(warped.datastart, warped.dataend, output);
    return channels;
  } catch (...) {
    return -1;
  }
}

int sv_check_lab(double red, double green, double blue, double *lab) {
  try {
    cv::Mat color(1, 1, CV_32FC3, cv::Scalar(blue / 255, green / 255, red / 255)), result;
    cv::cvtColor(color, result, cv::COLOR_BGR2Lab);
    for (int i = 0; i < 3; i++)
      lab[i] = result.at<cv::Vec3f>(0)[i];
    return 0;
  } catch (...) {
    return -1;
  }
}

int sv_check_threads(void) { return cv::getNumThreads(); }
