// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shape.hpp"

#include <cmath>
#include <opencv2/imgproc.hpp>

namespace {

/// Length of the longer side of things that are cut out, in pixels.
constexpr double side = 144;
/// Width of the ground that is looked at, as a share of the thing's longer side.
constexpr double margin = 0.15;
/// Half of the width of the widest gaps that are closed, in pixels of the cut-out.
constexpr int finest = 1;
/// Smallest hole as a share of the thing's area.
constexpr double smallestHole = 0.004;

cv::Mat square(int side) { return cv::Mat::ones(side, side, CV_8U); }

Polygon transformed(const Polygon &polygon, double scale, cv::Point2f shift) {
  Polygon result;
  for (const cv::Point2f &corner : polygon)
    result.push_back(corner * scale + shift);
  return result;
}

/// Fills polygons, of which the first is the outline and the others are holes; corners are in coordinates where a pixel
/// covers 0…1.
cv::Mat filled(const std::vector<Polygon> &polygons, cv::Size size) {
  constexpr int shift = 4;
  std::vector<std::vector<cv::Point>> fixed;
  for (const Polygon &polygon : polygons) {
    fixed.emplace_back();
    for (const cv::Point2f &corner : polygon) {
      auto place = [](float value) { return cvRound((std::max(-8000.0f, std::min(8000.0f, value)) - 0.5f) * (1 << shift)); };
      fixed.back().emplace_back(place(corner.x), place(corner.y));
    }
  }
  cv::Mat mask = cv::Mat::zeros(size, CV_8U);
  cv::fillPoly(mask, fixed, cv::Scalar(255), cv::LINE_8, shift);
  return mask;
}

/// Returns the difference of each pixel from the ground, CV_32F, in levels, where differences in colour count more than
/// those in light. The ground is a plane for each channel, fitted to some pixels with Tukey's weights, as some may show
/// other things.
cv::Mat contrastOf(const cv::Mat &picture, const cv::Mat &ground) {
  constexpr int terms = 3;
  constexpr float colorWeight = 2;
  const int channels = picture.channels();
  std::vector<cv::Point> pixels;
  cv::findNonZero(ground, pixels);
  const size_t step = std::max<size_t>(1, pixels.size() / 700) | 1;
  std::vector<cv::Point> some;
  for (size_t i = 0; i < pixels.size(); i += step)
    some.push_back(pixels[i]);
  auto basis = [&](const cv::Point &pixel) {
    return cv::Vec3d(1, 2.0 * pixel.x / picture.cols - 1, 2.0 * pixel.y / picture.rows - 1);
  };
  std::vector<double> weights(some.size(), 1), residuals(some.size());
  cv::Mat coefficients;
  for (int round = 0; round < 5; round++) {
    cv::Matx<double, terms, terms> left = cv::Matx<double, terms, terms>::eye() * 1e-6;
    cv::Mat right = cv::Mat::zeros(terms, channels, CV_64F);
    for (size_t i = 0; i < some.size(); i++) {
      const cv::Vec3d row = basis(some[i]);
      const uint8_t *pixel = picture.ptr(some[i].y) + some[i].x * channels;
      for (int j = 0; j < terms; j++) {
        for (int k = 0; k < terms; k++)
          left(j, k) += weights[i] * row[j] * row[k];
        for (int c = 0; c < channels; c++)
          right.at<double>(j, c) += weights[i] * row[j] * pixel[c];
      }
    }
    cv::solve(left, right, coefficients, cv::DECOMP_SVD);
    for (size_t i = 0; i < some.size(); i++) {
      const cv::Vec3d row = basis(some[i]);
      const uint8_t *pixel = picture.ptr(some[i].y) + some[i].x * channels;
      residuals[i] = 0;
      for (int c = 0; c < channels; c++) {
        double level = 0;
        for (int j = 0; j < terms; j++)
          level += row[j] * coefficients.at<double>(j, c);
        residuals[i] = std::max(residuals[i], std::abs(pixel[c] - level));
      }
    }
    const double sigma = std::max(1.5, 1.4826 * quantile(residuals, 1, 2));
    for (size_t i = 0; i < some.size(); i++) {
      const double ratio = residuals[i] / (4 * sigma), share = std::max(0.0, 1 - ratio * ratio);
      weights[i] = round == 0 ? 1 / ((1 + 4 * ratio) * (1 + 4 * ratio)) : share * share;
    }
  }
  cv::Mat contrast(picture.size(), CV_32F);
  for (int y = 0; y < picture.rows; y++) {
    const uint8_t *pixel = picture.ptr(y);
    float *to = contrast.ptr<float>(y);
    float start[3] = {}, slope[3] = {};
    for (int c = 0; c < channels; c++) {
      const cv::Vec3d row = basis({0, y});
      start[c] = static_cast<float>(coefficients.at<double>(0, c) - coefficients.at<double>(1, c) +
                                    row[2] * coefficients.at<double>(2, c));
      slope[c] = static_cast<float>(2 * coefficients.at<double>(1, c) / picture.cols);
    }
    for (int x = 0; x < picture.cols; x++, pixel += channels) {
      if (channels == 1) {
        to[x] = std::abs(pixel[0] - start[0] - slope[0] * x);
        continue;
      }
      const float blue = pixel[0] - start[0] - slope[0] * x, green = pixel[1] - start[1] - slope[1] * x,
                  red = pixel[2] - start[2] - slope[2] * x, luma = (blue + green + red) / 3;
      const float color =
          (blue - luma) * (blue - luma) + (green - luma) * (green - luma) + (red - luma) * (red - luma);
      to[x] = std::sqrt(luma * luma + colorWeight * colorWeight * color);
    }
  }
  return contrast;
}

/// Returns the pixels of the thing of which a mask has the coarse outline's: near that outline those with more than half
/// of the contrast that the thing has thereabouts, and inside all but holes. Nothing if there is too little ground or
/// contrast.
/// - Parameter band: how far the coarse outline may be off, in pixels.
cv::Mat foreground(const cv::Mat &picture, const cv::Mat &coarse, int band) {
  constexpr int surroundings = 15;
  cv::Mat wide, narrow, far;
  cv::dilate(coarse, wide, square(2 * band + 1));
  cv::erode(coarse, narrow, square(2 * band + 1), cv::Point(-1, -1), 1, cv::BORDER_CONSTANT, cv::Scalar(0));
  far = ~wide;
  if (cv::countNonZero(far) * 20 < picture.rows * picture.cols)
    return {};
  const cv::Mat contrast = contrastOf(picture, far);
  // The outline may have holes in it, which may be most of it.
  const float own = quantileUnder(contrast, coarse, 9, 10, 4), noise = quantileUnder(contrast, far, 1, 2, 4);
  const double faint = std::max(8.0, 4.0 * noise);
  if (own < faint)
    return {};
  // Means of the thing's contrast in the surroundings.
  cv::Mat inside, sums, counts, certain = coarse & (contrast > std::max(faint, 0.3 * own));
  certain.convertTo(inside, CV_32F, 1 / 255.0);
  const cv::Size reach(surroundings, surroundings);
  cv::blur(contrast.mul(inside), sums, reach);
  cv::blur(inside, counts, reach);
  counts += 1e-3;
  const cv::Mat means = sums / counts;
  cv::Mat thing = contrast > cv::max(0.5 * means, faint);
  const cv::Mat hole = contrast < cv::max(0.35 * means, faint);
  thing |= narrow & ~hole;
  thing &= wide;
  return thing;
}

/// Closes gaps that small pictures of the same thing do not show.
cv::Mat withoutGaps(const cv::Mat &thing) {
  cv::Mat closed;
  cv::copyMakeBorder(thing, closed, finest, finest, finest, finest, cv::BORDER_CONSTANT);
  cv::morphologyEx(closed, closed, cv::MORPH_CLOSE,
                   cv::getStructuringElement(cv::MORPH_ELLIPSE, cv::Size(2 * finest + 1, 2 * finest + 1)));
  return closed(cv::Rect({finest, finest}, thing.size())).clone();
}

using Contour = std::vector<cv::Point>;

/// Contours of a mask's parts and holes, and which of them is the outline of the largest part.
struct Contours {
  std::vector<Contour> all;
  std::vector<cv::Vec4i> hierarchy;
  size_t outer = 0;
  double area = 0;

  explicit Contours(const cv::Mat &mask) {
    cv::Mat padded;
    cv::copyMakeBorder(mask, padded, 1, 1, 1, 1, cv::BORDER_CONSTANT);
    cv::findContours(padded, all, hierarchy, cv::RETR_CCOMP, cv::CHAIN_APPROX_NONE, cv::Point(-1, -1));
    for (size_t i = 0; i < all.size(); i++)
      if (hierarchy[i][3] < 0 && cv::contourArea(all[i]) > area) {
        outer = i;
        area = cv::contourArea(all[i]);
      }
  }
};

} // namespace

Silhouette::Silhouette(const cv::Mat &picture, const Polygon &coarse, double precision) : outline(coarse) {
  const cv::Rect whole({}, picture.size());
  const cv::Rect box = cv::boundingRect(coarse) & whole;
  CV_Assert(!box.empty());
  const int longer = std::max(box.width, box.height), around = std::max(3, cvRound(margin * longer));
  const cv::Rect part = (box + cv::Size(2 * around, 2 * around) - cv::Point(around, around)) & whole;
  const double scale = std::min(6.0, side / longer);
  cv::Mat small;
  const cv::Size size(std::max(1, cvRound(part.width * scale)), std::max(1, cvRound(part.height * scale)));
  cv::resize(picture(part), small, size, 0, 0, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
  const cv::Point2f corner = part.tl();
  const cv::Mat rough = filled({transformed(coarse, scale, -corner * scale)}, small.size());
  const int roughArea = cv::countNonZero(rough);
  const int band = std::max(4, std::min(14, cvRound(precision * scale)));
  cv::Mat own = roughArea > 0 && small.cols > 4 && small.rows > 4 ? foreground(small, rough, band) : cv::Mat();
  if (!own.empty()) {
    const Contours found(withoutGaps(own));
    auto placed = [&](const Contour &contour) {
      Polygon result;
      for (const cv::Point &pixel : contour)
        result.push_back(cv::Point2f(pixel.x + 0.5f, pixel.y + 0.5f) * (1 / scale) + corner);
      return result;
    };
    // Else it is something else, such as a neighbour as well, or a part alone.
    if (found.area > 0.5 * roughArea && found.area < 2 * roughArea) {
      outline = placed(found.all[found.outer]);
      for (size_t i = 0; i < found.all.size(); i++)
        if (found.hierarchy[i][3] == static_cast<int>(found.outer) &&
            cv::contourArea(found.all[i]) > smallestHole * found.area)
          holes.push_back(placed(found.all[i]));
    }
  }
  const cv::Matx33d map(1 / scale, 0, corner.x + 0.5 / scale - 0.5, 0, 1 / scale, corner.y + 0.5 / scale - 0.5, 0, 0, 1);
  cv::Mat inside = mask(map, small.size()), beyond, core;
  cv::dilate(inside, beyond, square(9));
  cv::erode(inside, core, square(5));
  beyond = ~beyond;
  const bool hasGround = cv::countNonZero(beyond) > 0;
  channels = picture.channels();
  cv::Scalar ground = cv::Scalar::all(255);
  if (hasGround) {
    std::vector<cv::Mat> planes;
    cv::split(small, planes);
    for (size_t c = 0; c < planes.size(); c++) {
      cv::Mat values;
      planes[c].convertTo(values, CV_32F);
      ground[static_cast<int>(c)] = quantileUnder(values, beyond, 1, 2, 4);
    }
  }
  tone = cv::mean(small, cv::countNonZero(core) > 0 ? core : inside);
  for (int c = 0; c < channels; c++)
    tone[c] = tone[c] / std::max(20.0, ground[c]);
}

cv::Mat Silhouette::mask(const cv::Matx33d &map, cv::Size size) const {
  const cv::Matx33d inverse = map.inv();
  std::vector<Polygon> polygons{outline};
  polygons.insert(polygons.end(), holes.begin(), holes.end());
  for (Polygon &polygon : polygons)
    for (cv::Point2f &corner : polygon) {
      const cv::Vec3d to = inverse * cv::Vec3d(corner.x - 0.5, corner.y - 0.5, 1);
      corner = cv::Point2f(static_cast<float>(to[0] + 0.5), static_cast<float>(to[1] + 0.5));
    }
  return filled(polygons, size);
}
