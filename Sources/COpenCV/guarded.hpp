// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_GUARDED_HPP
#define SV_GUARDED_HPP

#include "COpenCV.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>
#include <string>
#include <type_traits>
#include <vector>

struct SVCVObject {
  virtual ~SVCVObject() = default;
};

/// Why something failed; empty if it succeeded.
///
/// What data can make fail returns a problem, and throws no exception: OpenCV's exceptions are caught below, but in a
/// process with two unwinders an exception ends the process. That is so in Python programs that import numpy or cv2 before
/// GStreamer: then the C++ runtime uses the unwinder of GCC, and OpenCV that of libunwind, which GStreamer loads.
using Problem = std::string;

/// Runs `body`, and returns its problem if it returns one.
template <typename Body> Problem problemOf(Body &body) {
  if constexpr (std::is_same_v<decltype(body()), Problem>) {
    return body();
  } else {
    body();
    return {};
  }
}

/// Runs `body`; writes its problem, or the text of an exception, and returns 1.
template <typename Body> int guarded(char *error, Body body) {
  try {
    const Problem problem = problemOf(body);
    if (problem.empty())
      return 0;
    std::snprintf(error, sv_cv_error_size, "%s", problem.c_str());
  } catch (const std::exception &exception) {
    std::snprintf(error, sv_cv_error_size, "%s", exception.what());
  } catch (...) {
    std::snprintf(error, sv_cv_error_size, "unknown C++ exception");
  }
  return 1;
}

/// Makes an object; null with a text in `error` if that fails.
template <typename Object, typename... Arguments> SVCVObject *made(char *error, const Arguments &...arguments) {
  SVCVObject *object = nullptr;
  guarded(error, [&] { object = new Object(arguments...); });
  return object;
}

/// Returns the object that a pointer from outside stands for; throws if it is of another kind.
template <typename Object> Object &as(SVCVObject *object) { return dynamic_cast<Object &>(*object); }

/// Lends the elements of an array to the caller.
template <typename Element> void lend(const std::vector<Element> &array, const Element **elements, int *count) {
  *elements = array.data();
  *count = static_cast<int>(array.size());
}

/// Runs `body` so that OpenCV stays in the calling thread: a loop inside a parallel loop is not divided again, and one
/// of a single step stays in its thread. OpenCV knows of one parallel loop in the process: loops that other threads
/// begin meanwhile stay in theirs, too.
template <typename Body> void inThisThread(Body body) {
  cv::parallel_for_(cv::Range(0, 1), [&](const cv::Range &) { body(); });
}

/// Calls `body`, guarded, in this thread: for work that is too small to be shared with others.
template <typename Body> int guardedInThisThread(char *error, Body body) {
  return guarded(error, [&] {
    Problem problem;
    inThisThread([&] { problem = problemOf(body); });
    return problem;
  });
}

inline cv::Mat view(const SVCVImage &image) {
  return cv::Mat(image.height, image.width, CV_8UC(image.channels), image.data, image.stride);
}

/// Runs `body`, guarded, with a view of `output` to write to. OpenCV would have stored the result elsewhere if its size
/// or type differed: that is an error.
template <typename Body> int writing(const SVCVImage &output, char *error, Body body) {
  return guarded(error, [&] {
    cv::Mat out = view(output);
    body(out);
    CV_Assert(out.data == output.data);
  });
}

inline SVCVBox boxed(const cv::Rect &box) { return {box.x, box.y, box.width, box.height}; }

#endif
