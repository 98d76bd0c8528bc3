// SPDX-License-Identifier: LGPL-2.1-or-later
#include "guarded.hpp"
#include "warping.hpp"

#include <opencv2/imgproc.hpp>

namespace {

bool haveSameSize(const SVCVImage &a, const SVCVImage &b) { return a.width == b.width && a.height == b.height; }

/// Returns the code for cv::cvtColor that converts pixels to grey.
/// - Parameters:
///   - channels: the number of channels, 3 or 4.
///   - redFirst: true if red comes before green and blue; false if blue comes first.
int grayCode(int channels, bool redFirst) {
  if (channels == 3)
    return redFirst ? cv::COLOR_RGB2GRAY : cv::COLOR_BGR2GRAY;
  return redFirst ? cv::COLOR_RGBA2GRAY : cv::COLOR_BGRA2GRAY;
}

} // namespace

int sv_cv_gray(SVCVImage input, int red, int blue, SVCVImage output, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    CV_Assert(input.channels == 3 || input.channels == 4);
    CV_Assert(haveSameSize(input, output) && output.channels == 1);
    const int first = std::min(red, blue), code = grayCode(input.channels, red < blue);
    CV_Assert(std::abs(red - blue) == 2 && first >= 0 && first + 3 <= input.channels);
    if (first == 0)
      return cv::cvtColor(view(input), out, code);
    // The first byte of each pixel is not a colour, as in the format xRGB. So convert an image that starts one byte
    // later. In this image, the fourth byte of a pixel is the unused first byte of the next pixel. The last pixel has
    // no fourth byte, so convert the last row separately.
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
  });
}

int sv_cv_colors(SVCVImage input, int red, int green, int blue, double scale, SVCVImage output, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    CV_Assert(input.channels >= 3 && output.channels == 3);
    CV_Assert(std::min({red, green, blue}) >= 0 && std::max({red, green, blue}) < input.channels);
    cv::Mat small = view(input);
    if (scale != 1)
      inThisThread([&] { cv::resize(view(input), small, cv::Size(), scale, scale, cv::INTER_AREA); });
    CV_Assert(small.size() == out.size());
    const int places[] = {blue, 0, green, 1, red, 2};
    cv::mixChannels(&small, 1, &out, 1, places, 3);
  });
}

int sv_cv_reduce(SVCVImage input, double across, double down, SVCVImage output, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    inThisThread([&] { cv::resize(view(input), out, cv::Size(), across, down, cv::INTER_AREA); });
  });
}

int sv_cv_resize(SVCVImage input, SVCVImage output, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    inThisThread([&] { cv::resize(view(input), out, out.size(), 0, 0, cv::INTER_AREA); });
  });
}

int sv_cv_blur(SVCVImage input, double sigma, SVCVImage output, char *error) {
  return writing(output, error, [&](cv::Mat &out) { cv::GaussianBlur(view(input), out, cv::Size(), sigma); });
}

int sv_cv_equalize(SVCVImage input, SVCVImage output, char *error) {
  return writing(output, error, [&](cv::Mat &out) { cv::equalizeHist(view(input), out); });
}

int sv_cv_clahe(SVCVImage input, SVCVImage output, char *error) {
  return writing(output, error, [&](cv::Mat &out) { cv::createCLAHE()->apply(view(input), out); });
}

int sv_cv_laplacian_edges(SVCVImage input, SVCVImage output, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    cv::Mat blurred;
    cv::GaussianBlur(view(input), blurred, cv::Size(5, 5), 0);
    cv::Laplacian(blurred, out, CV_8U, 3);
  });
}

int sv_cv_noise(SVCVImage input, double *deviation, char *error) {
  return guarded(error, [&] {
    *deviation = 0;
    if (input.width < 3 || input.height < 3)
      return;
    inThisThread([&] {
      // The difference of two Laplacian kernels. The response of this kernel to edges is small, so the response mostly
      // shows noise.
      const cv::Matx33f difference(1, -2, 1, -2, 4, -2, 1, -2, 1);
      cv::Mat plane = view(input), filtered;
      if (input.channels > 1)
        cv::extractChannel(view(input), plane, 1);
      cv::filter2D(plane, filtered, CV_16S, difference);
      const cv::Mat inside = filtered(cv::Rect(1, 1, input.width - 2, input.height - 2));
      *deviation = std::sqrt(CV_PI / 2) * cv::norm(inside, cv::NORM_L1) / (6.0 * inside.total());
    });
  });
}

int sv_cv_patch(SVCVImage input, SVCVPoint center, double size, double degrees, SVCVImage output, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    const double step = size / output.width, radians = degrees * CV_PI / 180;
    const double c = std::cos(radians) * step, s = std::sin(radians) * step;
    // Maps positions in the output to positions in the input. In both images, the centre of the top left pixel is at
    // (0, 0).
    const double half = (output.width - 1) / 2.0;
    cv::Matx23d map(c, -s, center.x - 0.5 - c * half + s * half, s, c, center.y - 0.5 - s * half - c * half);
    warp(view(input), out, map, out.size(), cv::INTER_LINEAR | cv::WARP_INVERSE_MAP, cv::BORDER_REPLICATE);
  });
}

int sv_cv_match(SVCVImage input, SVCVImage pattern, SVCVPoint *corner, double *score, char *error) {
  return guarded(error, [&] {
    cv::Mat scores;
    cv::matchTemplate(view(input), view(pattern), scores, cv::TM_CCOEFF_NORMED);
    cv::Point best;
    cv::minMaxLoc(scores, nullptr, score, nullptr, &best);
    // Fits a parabola through three values. Returns the position of the parabola's maximum, relative to the middle
    // value.
    auto top = [](double before, double middle, double after) {
      const double curve = before - 2 * middle + after;
      return curve < 0 ? std::max(-0.5, std::min(0.5, (before - after) / (2 * curve))) : 0;
    };
    const float *row = scores.ptr<float>(best.y);
    *corner = {static_cast<double>(best.x), static_cast<double>(best.y)};
    if (best.x > 0 && best.x + 1 < scores.cols)
      corner->x += top(row[best.x - 1], row[best.x], row[best.x + 1]);
    if (best.y > 0 && best.y + 1 < scores.rows)
      corner->y += top(scores.at<float>(best.y - 1, best.x), row[best.x], scores.at<float>(best.y + 1, best.x));
  });
}

int sv_cv_align(SVCVImage input, const SVCVPoint *from, const SVCVPoint *to, SVCVBorder border, SVCVImage output,
                char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    CV_Assert(input.channels == output.channels);
    // In OpenCV, the centre of the top left pixel is at (0, 0).
    auto point = [](SVCVPoint point) { return cv::Point2f(float(point.x - 0.5), float(point.y - 0.5)); };
    const cv::Point2f before[] = {point(from[0]), point(from[1]), point(from[2])};
    const cv::Point2f after[] = {point(to[0]), point(to[1]), point(to[2])};
    const cv::Mat map = cv::getAffineTransform(before, after);
    const int mode = border == sv_cv_border_repeated ? cv::BORDER_REPLICATE : cv::BORDER_CONSTANT;
    inThisThread([&] { warp(view(input), out, map, out.size(), cv::INTER_LINEAR, mode); });
  });
}

int sv_cv_multiply(SVCVImage image, SVCVImage other, char *error) {
  return writing(image, error, [&](cv::Mat &out) { cv::multiply(out, view(other), out, 1.0 / 255); });
}

int sv_cv_lab(SVCVImage input, SVCVImage output, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    inThisThread([&] { cv::cvtColor(view(input), out, cv::COLOR_BGR2Lab); });
  });
}

int sv_cv_bgr_of_lab(SVCVImage input, const uint8_t *table, const float *shares, SVCVLight light, SVCVImage output,
                     char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    CV_Assert(input.channels == 3 && output.channels == 4 && haveSameSize(input, output));
    const cv::Mat from = view(input);
    cv::Mat lab(from.size(), CV_8UC3), bgr;
    for (int y = 0; y < from.rows; y++) {
      const auto *old = from.ptr<cv::Vec3b>(y);
      auto *changed = lab.ptr<cv::Vec3b>(y);
      for (int x = 0; x < from.cols; x++) {
        const cv::Vec3b color = old[x];
        const float more = light.offset + light.across * float(x) + light.down * float(y);
        const float level = float(table[3 * color[0]]) + std::min(light.limit, std::max(-light.limit, more));
        changed[x][0] = cv::saturate_cast<uint8_t>(level);
        for (int i = 1; i < 3; i++) {
          const float change = float(table[3 * color[i] + i]) - float(color[i]);
          changed[x][i] = cv::saturate_cast<uint8_t>(float(color[i]) + shares[color[0]] * change);
        }
      }
    }
    inThisThread([&] { cv::cvtColor(lab, bgr, cv::COLOR_Lab2BGR); });
    const int colors[] = {0, 0, 1, 1, 2, 2};
    cv::mixChannels(&bgr, 1, &out, 1, colors, 3);
  });
}
