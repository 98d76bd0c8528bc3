// SPDX-License-Identifier: LGPL-2.1-or-later
#include "primitives.hpp"
#include "touching.hpp"

int sv_cv_separate(SVCVMatrix mask, SVCVMatrix labels, int *count, char *error) {
  return writing(labels, error, [&](cv::Mat &out) {
    const std::vector<cv::Mat> parts = separated(view(mask));
    *count = static_cast<int>(parts.size()) + 1;
    out.setTo(0);
    for (size_t i = 0; i < parts.size(); i++)
      out.setTo(static_cast<int>(i) + 1, parts[i]);
  });
}
