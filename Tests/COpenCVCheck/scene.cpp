// SPDX-License-Identifier: LGPL-2.1-or-later
#include "COpenCVCheck.h"

#include <opencv2/imgproc.hpp>

namespace {

/// Returns the transform for the points of an object: a rotation and scaling about the centre of their bounding circle.
cv::Matx23d placement(const std::vector<cv::Point2f> &outline, const SVCheckScene &scene) {
  cv::Point2f middle;
  float radius = 1;
  cv::minEnclosingCircle(outline, middle, radius);
  const double scale = scene.size / (2 * radius), radians = scene.angle * CV_PI / 180;
  const double c = std::cos(radians) * scale, s = std::sin(radians) * scale;
  return {c, -s, scene.x - c * middle.x + s * middle.y, s, c, scene.y - s * middle.x - c * middle.y};
}

/// Blends `top` over `ground`, with weights 0…1. Both are 32-bit BGR images.
void lay(cv::Mat &ground, const cv::Mat &top, const cv::Mat &weight) {
  cv::Mat weights, difference;
  cv::merge(std::vector<cv::Mat>(3, weight), weights);
  cv::subtract(top, ground, difference);
  cv::multiply(difference, weights, difference);
  ground += difference;
}

/// Draws the object and its shadow on `canvas`, and returns the object's bounding box.
SVCheckRectangle place(const SVCheckThing &thing, const SVCheckScene &scene, cv::Mat &canvas) {
  std::vector<cv::Point2f> outline;
  for (int i = 0; i < thing.corners; i++)
    outline.emplace_back(thing.outline[2 * i], thing.outline[2 * i + 1]);
  const cv::Matx23d map = placement(outline, scene);
  std::vector<cv::Point2f> placed;
  cv::transform(outline, placed, map);

  // The coverage of the object. It is drawn with four times the size and then reduced, so that edges are smooth.
  std::vector<cv::Point> corners;
  for (const cv::Point2f &point : placed)
    corners.emplace_back(cvRound(point.x * 64), cvRound(point.y * 64));
  cv::Mat large(canvas.size() * 4, CV_8U, cv::Scalar(0)), cover;
  cv::fillPoly(large, std::vector<std::vector<cv::Point>>{corners}, cv::Scalar(255), cv::LINE_8, 4);
  cv::resize(large, cover, canvas.size(), 0, 0, cv::INTER_AREA);
  cover.convertTo(cover, CV_32F, 1.0 / 255);

  cv::Mat shadow, dark;
  const cv::Matx23d shift(1, 0, scene.shadowX, 0, 1, scene.shadowY);
  cv::warpAffine(cover, shadow, shift, canvas.size());
  if (scene.shadowBlur > 0)
    cv::GaussianBlur(shadow, shadow, cv::Size(), scene.shadowBlur);
  dark = canvas * (1 - scene.shadow);
  lay(canvas, dark, shadow);

  // Bilinear warping reads only four pixels. If a result pixel covers more pixels, they are averaged by a blur first.
  cv::Mat picture(thing.height, thing.width, CV_8UC4, const_cast<uint8_t *>(thing.pixels), thing.stride), colors, laid;
  cv::cvtColor(picture, colors, cv::COLOR_BGRA2BGR);
  colors.convertTo(colors, CV_32F);
  const double scale = std::hypot(map(0, 0), map(1, 0));
  if (scale < 0.7)
    cv::GaussianBlur(colors, colors, cv::Size(), 0.4 / scale);
  cv::warpAffine(colors, laid, map, canvas.size(), cv::INTER_LINEAR, cv::BORDER_REPLICATE);
  lay(canvas, laid, cover);
  const cv::Rect box = cv::boundingRect(placed);
  return {box.x, box.y, box.width, box.height};
}

/// Multiplies the pixels by the light and its gradient.
void illuminate(cv::Mat &canvas, const SVCheckScene &scene) {
  const double radians = scene.gradientAngle * CV_PI / 180, c = std::cos(radians), s = std::sin(radians);
  for (int y = 0; y < canvas.rows; y++) {
    cv::Vec3f *row = canvas.ptr<cv::Vec3f>(y);
    for (int x = 0; x < canvas.cols; x++) {
      const double u = 2.0 * x / canvas.cols - 1, v = 2.0 * y / canvas.rows - 1;
      const double factor = 1 + scene.gradient * (c * u + s * v);
      for (int i = 0; i < 3; i++)
        row[x][i] = static_cast<float>(row[x][i] * factor * scene.light[i]);
    }
  }
}

} // namespace

int sv_check_scene(const SVCheckThing *thing, const SVCheckScene *scene, uint8_t *pixels, size_t stride,
                   SVCheckRectangle *truth) {
  try {
    cv::RNG random(scene->seed);
    cv::Mat canvas(scene->height, scene->width, CV_32FC3,
                   cv::Scalar(scene->paper[0], scene->paper[1], scene->paper[2]));
    cv::Mat grain(canvas.size(), CV_32F), noise(canvas.size(), CV_32FC3);
    random.fill(grain, cv::RNG::NORMAL, 0, 2 * scene->grain);
    cv::GaussianBlur(grain, grain, cv::Size(), 1);
    cv::merge(std::vector<cv::Mat>(3, grain), noise);
    canvas += noise;
    *truth = {};
    if (thing)
      *truth = place(*thing, *scene, canvas);
    illuminate(canvas, *scene);
    if (scene->blur > 0)
      cv::GaussianBlur(canvas, canvas, cv::Size(), scene->blur);
    random.fill(noise, cv::RNG::NORMAL, 0, scene->noise);
    canvas += noise;
    cv::Mat output(scene->height, scene->width, CV_8UC4, pixels, stride), bytes;
    canvas.convertTo(bytes, CV_8U);
    cv::cvtColor(bytes, output, cv::COLOR_BGR2BGRA);
    return 0;
  } catch (...) {
    return -1;
  }
}
