#include "guarded.hpp"

#include <opencv2/imgproc.hpp>

namespace {

/// Returns cv::cvtColor's code for pixels of these channels whose first colour is red or blue.
int grayCode(int channels, bool redFirst) {
  if (channels == 3)
    return redFirst ? cv::COLOR_RGB2GRAY : cv::COLOR_BGR2GRAY;
  return redFirst ? cv::COLOR_RGBA2GRAY : cv::COLOR_BGRA2GRAY;
}

} // namespace

int sv_cv_gray(SVCVImage input, int red, int blue, SVCVImage output, char *error) {
  return guarded(error, [&] {
    CV_Assert(input.channels == 3 || input.channels == 4);
    CV_Assert(input.width == output.width && input.height == output.height && output.channels == 1);
    const int first = std::min(red, blue), code = grayCode(input.channels, red < blue);
    CV_Assert(std::abs(red - blue) == 2 && first >= 0 && first + 3 <= input.channels);
    cv::Mat out = view(output);
    if (first == 0) {
      cv::cvtColor(view(input), out, code);
    } else {
      // The byte before the colours serves as the previous pixel's fourth, so the very last pixel lacks one.
      SVCVImage shifted = input, rest = input;
      shifted.data += first;
      shifted.height -= 1;
      if (shifted.height > 0) {
        cv::Mat part = out.rowRange(0, shifted.height);
        cv::cvtColor(view(shifted), part, code);
      }
      rest.data += first + (input.height - 1) * input.stride;
      rest.height = 1;
      rest.width -= 1;
      if (rest.width > 0) {
        cv::Mat part = out.row(input.height - 1).colRange(0, rest.width);
        cv::cvtColor(view(rest), part, code);
      }
      cv::Mat pixel(1, 1, CV_8UC3, rest.data + rest.width * 4), part = out.row(input.height - 1).col(rest.width);
      cv::cvtColor(pixel, part, grayCode(3, red < blue));
    }
    CV_Assert(out.data == output.data);
  });
}

int sv_cv_reduce(SVCVImage input, double scale, SVCVImage output, char *error) {
  return guarded(error, [&] {
    cv::Mat out = view(output);
    cv::resize(view(input), out, cv::Size(), scale, scale, cv::INTER_AREA);
    // The result would have been stored elsewhere if the sizes differed.
    CV_Assert(out.data == output.data);
  });
}

int sv_cv_blur(SVCVImage input, double sigma, SVCVImage output, char *error) {
  return guarded(error, [&] {
    cv::Mat out = view(output);
    cv::GaussianBlur(view(input), out, cv::Size(), sigma);
    CV_Assert(out.data == output.data);
  });
}

int sv_cv_equalize(SVCVImage input, SVCVImage output, char *error) {
  return guarded(error, [&] {
    cv::Mat out = view(output);
    cv::equalizeHist(view(input), out);
    CV_Assert(out.data == output.data);
  });
}

int sv_cv_clahe(SVCVImage input, SVCVImage output, char *error) {
  return guarded(error, [&] {
    cv::Mat out = view(output);
    cv::createCLAHE()->apply(view(input), out);
    CV_Assert(out.data == output.data);
  });
}

int sv_cv_patch(SVCVImage input, double x, double y, double size, double degrees, SVCVImage output, char *error) {
  return guarded(error, [&] {
    cv::Mat out = view(output);
    const double step = size / output.width, radians = degrees * CV_PI / 180;
    const double c = std::cos(radians) * step, s = std::sin(radians) * step;
    // From the centre of an output pixel to the centre of an input pixel.
    const double half = (output.width - 1) / 2.0;
    cv::Matx23d map(c, -s, x - 0.5 - c * half + s * half, s, c, y - 0.5 - s * half - c * half);
    cv::warpAffine(view(input), out, map, out.size(), cv::INTER_LINEAR | cv::WARP_INVERSE_MAP, cv::BORDER_REPLICATE);
    CV_Assert(out.data == output.data);
  });
}

int sv_cv_match(SVCVImage input, SVCVImage pattern, double *x, double *y, double *score, char *error) {
  return guarded(error, [&] {
    cv::Mat scores;
    cv::matchTemplate(view(input), view(pattern), scores, cv::TM_CCOEFF_NORMED);
    cv::Point best;
    cv::minMaxLoc(scores, nullptr, score, nullptr, &best);
    // The vertex of the parabola through three values.
    auto top = [](double before, double middle, double after) {
      const double curve = before - 2 * middle + after;
      return curve < 0 ? std::max(-0.5, std::min(0.5, (before - after) / (2 * curve))) : 0;
    };
    const float *row = scores.ptr<float>(best.y);
    *x = best.x;
    *y = best.y;
    if (best.x > 0 && best.x + 1 < scores.cols)
      *x += top(row[best.x - 1], row[best.x], row[best.x + 1]);
    if (best.y > 0 && best.y + 1 < scores.rows)
      *y += top(scores.at<float>(best.y - 1, best.x), row[best.x], scores.at<float>(best.y + 1, best.x));
  });
}
