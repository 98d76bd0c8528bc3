// SPDX-License-Identifier: LGPL-2.1-or-later
#include "guarded.hpp"

#include <memory>
#include <opencv2/objdetect.hpp>

namespace {

struct CascadeText : SVCVObject {
  cv::FileStorage nodes;

  explicit CascadeText(const char *text) : nodes(text, cv::FileStorage::READ | cv::FileStorage::MEMORY) {}
};

struct Cascade : SVCVObject {
  cv::CascadeClassifier classifier;
  std::vector<SVCVFind> finds;

  void detect(const cv::Mat &picture, const SVCVSearch &search) {
    std::vector<cv::Rect> boxes;
    std::vector<int> neighbors;
    std::vector<double> weights;
    const cv::Size smallest(search.minSize, search.minSize), largest(search.maxSize, search.maxSize);
    // If weights are requested, OpenCV 4 mistakes the number of stages for the number of neighbours, and compares this
    // number with minNeighbors. So request weights only if detections are not grouped.
    if (search.minNeighbors < 0)
      classifier.detectMultiScale(picture, boxes, neighbors, weights, search.scaleFactor, 0, 0, smallest, largest,
                                  true);
    else
      classifier.detectMultiScale(picture, boxes, neighbors, search.scaleFactor, search.minNeighbors, 0, smallest,
                                  largest);
    finds.clear();
    finds.reserve(boxes.size());
    for (size_t i = 0; i < boxes.size(); i++)
      finds.push_back({boxed(boxes[i]), i < neighbors.size() ? neighbors[i] : 1, i < weights.size() ? weights[i] : 0});
  }
};

} // namespace

SVCVCascadeText *sv_cv_cascade_text_create(const char *text, char *error) { return made<CascadeText>(error, text); }

SVCVCascade *sv_cv_cascade_create(SVCVCascadeText *text, char *error) {
  SVCVObject *object = nullptr;
  guarded(error, [&]() -> Problem {
    auto cascade = std::make_unique<Cascade>();
    if (!cascade->classifier.read(as<CascadeText>(text).nodes.getFirstTopLevelNode()))
      return "OpenCV cannot load the cascade";
    object = cascade.release();
    return {};
  });
  return object;
}

int sv_cv_cascade_detect(SVCVCascade *cascade, SVCVImage image, SVCVSearch search, const SVCVFind **finds, int *count,
                         char *error) {
  return guarded(error, [&] {
    Cascade &own = as<Cascade>(cascade);
    if (search.usesThreads)
      own.detect(view(image), search);
    else
      inThisThread([&] { own.detect(view(image), search); });
    lend(own.finds, finds, count);
  });
}

void sv_cv_free(SVCVObject *object) { delete object; }
