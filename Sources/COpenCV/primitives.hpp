// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_PRIMITIVES_HPP
#define SV_PRIMITIVES_HPP

#include "guarded.hpp"

inline cv::Mat view(const SVCVMatrix &matrix) {
  const int depth = matrix.kind == sv_cv_bytes ? CV_8U : matrix.kind == sv_cv_integers ? CV_32S : CV_32F;
  return cv::Mat(matrix.height, matrix.width, CV_MAKETYPE(depth, matrix.channels), matrix.data, matrix.stride);
}

/// Runs `body` like `guardedInThisThread`, with a cv::Mat that uses the memory of `output`. If the result does not have
/// the size and type of `output`, OpenCV allocates new memory. In this case, reports an error.
template <typename Body> int writing(const SVCVMatrix &output, char *error, Body body) {
  return guardedInThisThread(error, [&] {
    cv::Mat out = view(output);
    body(out);
    CV_Assert(out.data == output.data);
  });
}

/// Returns a cv::Mat that uses the pixels of a contour without a copy. The cv::Mat does not own the pixels.
inline cv::Mat view(const SVCVPixel *pixels, int count) {
  return cv::Mat(count, 1, CV_32SC2, const_cast<SVCVPixel *>(pixels));
}

#endif
