#include "guarded.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <opencv2/objdetect.hpp>
#include <sys/stat.h>
#include <vector>

struct SVCVCascade {
  cv::CascadeClassifier classifier;
  std::vector<SVCVFind> finds;
};

namespace {

int refuse(int status, const char *text, char *error) {
  std::snprintf(error, sv_cv_error_size, "%s", text);
  return status;
}

/// Why OpenCV does not take the file at `path` as a cascade.
int reason(const char *path, char *error) {
  cv::String kind;
  if (guarded(error, [&] {
        cv::FileStorage file(path, cv::FileStorage::READ);
        cv::FileNode type = file.getFirstTopLevelNode()["featureType"];
        if (type.isString())
          kind = cv::String(type);
      }))
    return sv_cv_cascade_invalid;
  if (!kind.empty() && kind != "HAAR" && kind != "LBP") {
    std::snprintf(error, sv_cv_error_size, "features of the kind %s", kind.c_str());
    return sv_cv_cascade_unsupported;
  }
  return refuse(sv_cv_cascade_invalid, "no cascade in it", error);
}

int load(const char *path, SVCVCascade &cascade, char *error) {
  struct stat status;
  if (stat(path, &status) != 0) {
    const bool isMissing = errno == ENOENT || errno == ENOTDIR;
    return refuse(isMissing ? sv_cv_cascade_missing : sv_cv_cascade_invalid, std::strerror(errno), error);
  }
  if (!S_ISREG(status.st_mode))
    return refuse(sv_cv_cascade_invalid, "not a file", error);
  if (!std::ifstream(path))
    return refuse(sv_cv_cascade_invalid, "cannot be read", error);
  bool isLoaded = false;
  if (guarded(error, [&] { isLoaded = cascade.classifier.load(path) && !cascade.classifier.empty(); }) || !isLoaded)
    return reason(path, error);
  return 0;
}

} // namespace

SVCVCascade *sv_cv_cascade_load(const char *path, int *status, char *error) {
  std::unique_ptr<SVCVCascade> cascade;
  *status = sv_cv_cascade_failed;
  if (guarded(error, [&] {
        cascade = std::make_unique<SVCVCascade>();
        *status = load(path, *cascade, error);
      }) ||
      *status != 0)
    return nullptr;
  return cascade.release();
}

void sv_cv_cascade_free(SVCVCascade *cascade) { delete cascade; }

void sv_cv_cascade_describe(const SVCVCascade *cascade, int *width, int *height, int *features) {
  const cv::Size window = cascade->classifier.getOriginalWindowSize();
  *width = window.width;
  *height = window.height;
  *features = cascade->classifier.getFeatureType() == 1 ? sv_cv_features_lbp : sv_cv_features_haar;
}

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
      // weights are asked for only where nothing is to be grouped.
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
