#ifndef SV_GUARDED_HPP
#define SV_GUARDED_HPP

#include "COpenCV.h"

#include <cstdio>
#include <exception>
#include <opencv2/core.hpp>

/// Runs `body`; an exception becomes a text and 1.
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

inline cv::Mat view(const SVCVImage &image) {
  return cv::Mat(image.height, image.width, CV_8UC(image.channels), image.data, image.stride);
}

#endif
