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

/// An error message that a function returns. The message is empty if the function has succeeded.
///
/// If input data may cause an error, functions return a `Problem` instead of throwing an exception. If a process
/// contains two stack unwinders, an exception can end the process, although `guarded` catches all exceptions. Python
/// programs that import numpy or cv2 before GStreamer contain two unwinders: the C++ runtime uses the unwinder of GCC,
/// and OpenCV uses the unwinder of libunwind, which GStreamer loads.
using Problem = std::string;

/// Runs `body`, and returns the problem that `body` returns. If `body` has no return value, returns an empty problem.
template <typename Body> Problem problemOf(Body &body) {
  if constexpr (std::is_same_v<decltype(body()), Problem>) {
    return body();
  } else {
    body();
    return {};
  }
}

/// Runs `body`. If `body` returns a problem or throws an exception, writes the message to `error` and returns 1.
/// Otherwise returns 0.
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

/// Creates an object. If an exception occurs, writes its message to `error` and returns null.
template <typename Object, typename... Arguments> SVCVObject *made(char *error, const Arguments &...arguments) {
  SVCVObject *object = nullptr;
  guarded(error, [&] { object = new Object(arguments...); });
  return object;
}

/// Casts a pointer to the type `Object`. If the object has another type, throws an exception.
template <typename Object> Object &as(SVCVObject *object) { return dynamic_cast<Object &>(*object); }

/// Stores the address of an array in `elements`, and the number of its elements in `count`. The array still belongs to
/// its owner.
template <typename Element> void lend(const std::vector<Element> &array, const Element **elements, int *count) {
  *elements = array.data();
  *count = static_cast<int>(array.size());
}

/// Runs `body` so that OpenCV uses only the calling thread: `body` is the only step of a parallel loop. OpenCV runs
/// such a loop in the calling thread, and does not divide loops inside of it. OpenCV divides only one parallel loop per
/// process at a time. So while `body` runs, the loops of all other threads also run only in their threads.
template <typename Body> void inThisThread(Body body) {
  cv::parallel_for_(cv::Range(0, 1), [&](const cv::Range &) { body(); });
}

/// Runs `body` like `guarded`, but only in the calling thread. Use this function for work that is too small for several
/// threads.
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

/// Runs `body` like `guarded`, with a cv::Mat that uses the memory of `output`. If the result does not have the size
/// and type of `output`, OpenCV allocates new memory. In this case, reports an error.
template <typename Body> int writing(const SVCVImage &output, char *error, Body body) {
  return guarded(error, [&] {
    cv::Mat out = view(output);
    body(out);
    CV_Assert(out.data == output.data);
  });
}

inline SVCVBox boxed(const cv::Rect &box) { return {box.x, box.y, box.width, box.height}; }

#endif
