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

int sv_check_threads(void) { return cv::getNumThreads(); }
