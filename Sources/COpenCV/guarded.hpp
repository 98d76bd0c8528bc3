#ifndef SV_GUARDED_HPP
#define SV_GUARDED_HPP

#include "COpenCV.h"

#include <cstdio>
#include <exception>
#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>

/// Runs `body`; turns an exception into a text and returns 1.
template <typename Body> int guarded(char *error, Body body) {
  try {
    body();
    return 0;
  } catch (const std::exception &exception) {
    std::snprintf(error, sv_cv_error_size, "%s", exception.what());
  } catch (...) {
    std::snprintf(error, sv_cv_error_size, "unknown C++ exception");
  }
  return 1;
}

/// Runs `body` so that OpenCV stays in the calling thread: a loop inside a parallel loop is not divided again, and one
/// of a single step stays in its thread.
template <typename Body> void inThisThread(Body body) {
  cv::parallel_for_(cv::Range(0, 1), [&](const cv::Range &) { body(); });
}

inline cv::Mat view(const SVCVImage &image) {
  return cv::Mat(image.height, image.width, CV_8UC(image.channels), image.data, image.stride);
}

#endif
