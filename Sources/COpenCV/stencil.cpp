#include "guarded.hpp"

#include <opencv2/imgproc.hpp>

int sv_cv_stencil(SVCVImage input, SVCVImage output, char *error) {
  return guarded(error, [&] {
    cv::Mat in = view(input), out = view(output), blurred;
    cv::GaussianBlur(in, blurred, cv::Size(5, 5), 0);
    cv::Laplacian(blurred, out, CV_8U, 3);
    // The result would have been stored elsewhere if the sizes or types differed.
    CV_Assert(out.data == output.data);
  });
}
