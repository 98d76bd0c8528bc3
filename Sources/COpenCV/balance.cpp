// SPDX-License-Identifier: LGPL-2.1-or-later
#include "guarded.hpp"

#include <dlfcn.h>
#include <opencv2/imgproc.hpp>

// The code loads OpenCV's module xphoto on demand. Only this file needs the module, and the package of the module has
// many dependencies (Qt, HDF5, Tesseract). These declarations replace the module's header
// opencv2/xphoto/white_balance.hpp. This header is the same in OpenCV 3.3 and all later versions of OpenCV 3 and 4.
namespace cv {
namespace xphoto {

class WhiteBalancer : public Algorithm {
public:
  virtual void balanceWhite(InputArray source, OutputArray result) = 0;
};

class LearningBasedWB : public WhiteBalancer {};

} // namespace xphoto
} // namespace cv

namespace {

using Create = cv::Ptr<cv::xphoto::LearningBasedWB> (*)(const cv::String &);

/// Loads the xphoto library of the same version as OpenCV's core. Returns the library's function
/// cv::xphoto::createLearningBasedWB(const cv::String &). Returns null if the library is not installed. The library
/// stays loaded.
Create findCreate() {
  static const Create create = [] {
    // The file name contains 406 for version 4.6, and 410 for version 4.10.
    char file[64];
    std::snprintf(file, sizeof file, "libopencv_xphoto.so.%d%02d", CV_VERSION_MAJOR, CV_VERSION_MINOR);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const char *symbol = "_ZN2cv6xphoto21createLearningBasedWBERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
    return library ? reinterpret_cast<Create>(dlsym(library, symbol)) : nullptr;
  }();
  return create;
}

} // namespace

int sv_cv_learned_balance(SVCVImage input, double *gains, char *error) {
  return guarded(error, [&]() -> Problem {
    const Create create = findCreate();
    if (!create)
      return "OpenCV's module xphoto is not installed (libopencv_xphoto, version " CV_VERSION ")";
    CV_Assert(input.channels == 3);
    cv::Mat bgr, balanced;
    cv::cvtColor(view(input), bgr, cv::COLOR_RGB2BGR);
    create(cv::String())->balanceWhite(bgr, balanced);
    CV_Assert(balanced.size() == bgr.size() && balanced.type() == bgr.type());
    // The algorithm does not return the gains that it applies, so compute the gains from the pixels. The algorithm
    // rounds its results down, so add 0.5 levels, which is the mean rounding error.
    double sums[3] = {0, 0, 0}, results[3] = {0, 0, 0}, most = 0;
    for (int y = 0; y < bgr.rows; y++) {
      const uint8_t *from = bgr.ptr(y), *to = balanced.ptr(y);
      for (int x = 0; x < 3 * bgr.cols; x++) {
        if (from[x] < 32 || to[x] == 255)
          continue;
        sums[2 - x % 3] += from[x];
        results[2 - x % 3] += to[x] + 0.5;
      }
    }
    for (int i = 0; i < 3; i++) {
      gains[i] = sums[i] > 0 && results[i] > 0 ? results[i] / sums[i] : 1;
      most = std::max(most, gains[i]);
    }
    for (int i = 0; i < 3; i++)
      gains[i] /= most;
    return {};
  });
}
