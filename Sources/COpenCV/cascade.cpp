#include "guarded.hpp"

#include <memory>
#include <opencv2/objdetect.hpp>
#include <vector>

struct SVCVCascade {
  cv::CascadeClassifier classifier;
  std::vector<SVCVFind> finds;
};

SVCVCascade *sv_cv_cascade_make(const char *text, char *error) {
  std::unique_ptr<SVCVCascade> cascade;
  if (guarded(error, [&] {
        auto made = std::make_unique<SVCVCascade>();
        cv::FileStorage file(text, cv::FileStorage::READ | cv::FileStorage::MEMORY);
        if (made->classifier.read(file.getFirstTopLevelNode()))
          cascade = std::move(made);
        else
          std::snprintf(error, sv_cv_error_size, "OpenCV takes it for no cascade");
      }))
    return nullptr;
  return cascade.release();
}

void sv_cv_cascade_free(SVCVCascade *cascade) { delete cascade; }

int sv_cv_cascade_detect(SVCVCascade *cascade, SVCVImage image, SVCVSearch search, const SVCVFind **finds, int *count,
                         char *error) {
  *finds = nullptr;
  *count = 0;
  return guarded(error, [&] {
    std::vector<cv::Rect> boxes;
    std::vector<int> neighbors;
    std::vector<double> weights;
    const cv::Size smallest(search.minWidth, search.minHeight), largest(search.maxWidth, search.maxHeight);
    auto detect = [&] {
      const cv::Mat picture = view(image);
      // With weights, OpenCV 4 compares minNeighbors with the number of stages instead of counting neighbours; so
      // weights are requested only if nothing is to be grouped.
      if (search.candidates)
        cascade->classifier.detectMultiScale(picture, boxes, neighbors, weights, search.scaleFactor, 0, 0, smallest,
                                             largest, true);
      else
        cascade->classifier.detectMultiScale(picture, boxes, neighbors, search.scaleFactor, search.minNeighbors, 0,
                                             smallest, largest);
    };
    if (search.singleThreaded)
      inThisThread(detect);
    else
      detect();
    cascade->finds.clear();
    cascade->finds.reserve(boxes.size());
    for (size_t i = 0; i < boxes.size(); i++) {
      const cv::Rect &box = boxes[i];
      cascade->finds.push_back({box.x, box.y, box.width, box.height, i < neighbors.size() ? neighbors[i] : 1,
                                i < weights.size() ? weights[i] : 0});
    }
    *finds = cascade->finds.data();
    *count = static_cast<int>(cascade->finds.size());
  });
}

int sv_cv_set_threads(int count, char *error) {
  return guarded(error, [&] { cv::setNumThreads(count > 0 ? count : -1); });
}
