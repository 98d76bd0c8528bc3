// SPDX-License-Identifier: LGPL-2.1-or-later
#include "guarded.hpp"

#include <cmath>
#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

namespace {

/// Distances of the cells of the three grids, in pixels of the input; its sides are multiples of the last.
const int strides[] = {8, 16, 32};

/// What a network tells of each cell, and how many numbers that takes.
enum Kind { classScore, objectScore, boxShape, points, kinds };
const char *const names[kinds] = {"cls", "obj", "bbox", "kps"};
const int lengths[kinds] = {1, 1, 4, 10};

struct FaceNetwork : SVCVObject {
  cv::dnn::Net net;
  std::vector<cv::String> outputs;
  cv::Mat scaled, single, input;
  std::vector<cv::Mat> results;
  std::vector<SVCVFace> faces;

  FaceNetwork(const uint8_t *bytes, size_t count) {
    net = cv::dnn::readNetFromONNX(reinterpret_cast<const char *>(bytes), count);
    net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
    for (const char *name : names)
      for (int stride : strides)
        outputs.push_back(std::string(name) + "_" + std::to_string(stride));
  }

  /// Computes the outputs, and checks their shapes.
  Problem run() {
    net.setInput(input);
    net.forward(results, outputs);
    Problem problem;
    for (int kind = 0; kind < kinds; kind++)
      for (int grid = 0; grid < 3 && problem.empty(); grid++)
        problem = problemOf(result(kind, grid), outputs[kind * 3 + grid], cells(grid), lengths[kind]);
    return problem;
  }

  const cv::Mat &result(int kind, int grid) const { return results.at(kind * 3 + grid); }

  int cells(int grid) const { return input.size[2] / strides[grid] * (input.size[3] / strides[grid]); }

  static Problem problemOf(const cv::Mat &result, const std::string &name, int cells, int length) {
    if (result.dims == 3 && result.size[0] == 1 && result.size[1] == cells && result.size[2] == length &&
        result.type() == CV_32F && result.isContinuous())
      return {};
    std::string shape;
    for (int i = 0; i < result.dims; i++)
      shape += (i ? "x" : "") + std::to_string(result.size[i]);
    return "output " + name + " is " + shape + ", not 1x" + std::to_string(cells) + "x" + std::to_string(length);
  }

  /// Fills the input with the picture, stretched, in its upper left corner, whose edge is repeated beyond.
  void fill(const cv::Mat &picture, const SVCVFaceSearch &search) {
    CV_Assert((picture.type() == CV_8UC1 || picture.type() == CV_8UC3) && search.width > 0 && search.height > 0);
    const int last = strides[2], width = (search.width + last - 1) / last * last;
    const int height = (search.height + last - 1) / last * last, size[] = {1, 3, height, width};
    input.create(4, size, CV_32F);
    cv::Mat small = picture;
    if (picture.cols != search.width || picture.rows != search.height) {
      const bool shrinks = search.width < picture.cols;
      cv::resize(picture, scaled, cv::Size(search.width, search.height), 0, 0,
                 shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
      small = scaled;
    }
    const cv::Rect inside(0, 0, search.width, search.height);
    for (int channel = 0; channel < 3; channel++) {
      cv::Mat plane(height, width, CV_32F, input.ptr<float>(0, channel)), part = plane(inside);
      if (channel > 0 && small.channels() == 1) {
        cv::Mat(height, width, CV_32F, input.ptr<float>(0, 0)).copyTo(plane);
        continue;
      }
      cv::extractChannel(small, single, small.channels() == 1 ? 0 : channel);
      single.convertTo(part, CV_32F);
      cv::copyMakeBorder(part, plane, 0, height - search.height, 0, width - search.width,
                         cv::BORDER_REPLICATE | cv::BORDER_ISOLATED);
    }
  }

  /// Reads the faces from the outputs: the formulas of YuNet's authors (libfacedetection.train).
  void read(double minConfidence, double across, double down) {
    faces.clear();
    for (int grid = 0; grid < 3; grid++) {
      const int stride = strides[grid], columns = input.size[3] / stride, count = cells(grid);
      const float *cls = result(classScore, grid).ptr<float>(), *obj = result(objectScore, grid).ptr<float>();
      const float *box = result(boxShape, grid).ptr<float>(), *kps = result(points, grid).ptr<float>();
      for (int i = 0; i < count; i++) {
        const double score = std::sqrt(std::max(0.f, cls[i]) * std::max(0.f, obj[i]));
        // What is not a number is not greater.
        if (!(score >= minConfidence))
          continue;
        const double left = i % columns, top = i / columns;
        const float *shape = box + 4 * i, *place = kps + 10 * i;
        SVCVFace face;
        face.confidence = std::min(1.0, score);
        face.width = std::exp(double(shape[2])) * stride * across;
        face.height = std::exp(double(shape[3])) * stride * down;
        face.x = (left + shape[0]) * stride * across - face.width / 2;
        face.y = (top + shape[1]) * stride * down - face.height / 2;
        for (int k = 0; k < 5; k++)
          face.points[k] = {(left + place[2 * k]) * stride * across, (top + place[2 * k + 1]) * stride * down};
        if (isSound(face))
          faces.push_back(face);
      }
    }
  }

  static bool isSound(const SVCVFace &face) {
    auto isPlace = [](double value) { return std::abs(value) < 1e6; };
    if (!isPlace(face.x) || !isPlace(face.y) || !(face.width > 0 && face.width < 1e6) ||
        !(face.height > 0 && face.height < 1e6))
      return false;
    return std::all_of(face.points, face.points + 5,
                       [&](const SVCVPoint &point) { return isPlace(point.x) && isPlace(point.y); });
  }

  Problem detect(const cv::Mat &picture, const SVCVFaceSearch &search) {
    faces.clear();
    fill(picture, search);
    const Problem problem = run();
    if (problem.empty())
      read(search.minConfidence, double(picture.cols) / search.width, double(picture.rows) / search.height);
    return problem;
  }
};

} // namespace

SVCVFaceNetwork *sv_cv_face_network_create(const uint8_t *bytes, size_t count, char *error) {
  return made<FaceNetwork>(error, bytes, count);
}

int sv_cv_face_network_detect(SVCVFaceNetwork *network, SVCVImage image, SVCVFaceSearch search, const SVCVFace **faces,
                              int *count, char *error) {
  return guarded(error, [&] {
    FaceNetwork &own = as<FaceNetwork>(network);
    Problem problem;
    if (search.usesThreads)
      problem = own.detect(view(image), search);
    else
      inThisThread([&] { problem = own.detect(view(image), search); });
    lend(own.faces, faces, count);
    return problem;
  });
}
