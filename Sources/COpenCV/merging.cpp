#include "guarded.hpp"

#include <opencv2/imgproc.hpp>

int sv_cv_align(SVCVImage input, const double *from, const double *to, int border, SVCVImage output, char *error) {
  return guarded(error, [&] {
    CV_Assert(input.channels == output.channels);
    cv::Point2f before[3], after[3];
    for (int i = 0; i < 3; i++) {
      before[i] = cv::Point2f(float(from[2 * i] - 0.5), float(from[2 * i + 1] - 0.5));
      after[i] = cv::Point2f(float(to[2 * i] - 0.5), float(to[2 * i + 1] - 0.5));
    }
    const cv::Mat in = view(input), map = cv::getAffineTransform(before, after);
    cv::Mat out = view(output);
    const int mode = border == sv_cv_border_repeated ? cv::BORDER_REPLICATE : cv::BORDER_CONSTANT;
    inThisThread([&] { cv::warpAffine(in, out, map, out.size(), cv::INTER_LINEAR, mode); });
    // The result would have been stored elsewhere if the types differed.
    CV_Assert(out.data == output.data);
  });
}

int sv_cv_multiply(SVCVImage image, SVCVImage other, char *error) {
  return guarded(error, [&] {
    cv::Mat out = view(image);
    cv::multiply(out, view(other), out, 1.0 / 255);
    CV_Assert(out.data == image.data);
  });
}

int sv_cv_lab(SVCVImage input, SVCVImage output, char *error) {
  return guarded(error, [&] {
    cv::Mat out = view(output);
    inThisThread([&] { cv::cvtColor(view(input), out, cv::COLOR_BGR2Lab); });
    CV_Assert(out.data == output.data);
  });
}

int sv_cv_bgr_of_lab(SVCVImage input, const uint8_t *table, SVCVImage output, char *error) {
  return guarded(error, [&] {
    CV_Assert(input.channels == 3 && output.channels == 4);
    CV_Assert(input.width == output.width && input.height == output.height);
    cv::Mat out = view(output), lab, bgr;
    const cv::Mat values(1, 256, CV_8UC3, const_cast<uint8_t *>(table));
    inThisThread([&] {
      cv::LUT(view(input), values, lab);
      cv::cvtColor(lab, bgr, cv::COLOR_Lab2BGR);
    });
    const int colors[] = {0, 0, 1, 1, 2, 2};
    cv::mixChannels(&bgr, 1, &out, 1, colors, 3);
  });
}
