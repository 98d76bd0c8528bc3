// SPDX-License-Identifier: LGPL-2.1-or-later
#include "guarded.hpp"

#include <algorithm>
#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <string>

namespace {

bool operator==(const SVCVInputChannel &a, const SVCVInputChannel &b) {
  return a.source == b.source && a.mean == b.mean && a.scale == b.scale;
}

struct Network : SVCVObject {
  cv::dnn::Net net;
  std::vector<cv::String> names;
  cv::Mat scaled, mirrored, single, input;
  std::vector<cv::Mat> results;
  std::vector<SVCVTensor> outputs;

  Network(const uint8_t *bytes, size_t count, const char *list) {
    net = cv::dnn::readNetFromONNX(reinterpret_cast<const char *>(bytes), count);
    net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
    // OpenCV 4.6 merges a batch normalisation into the weights of the deconvolution before it. OpenCV repeats this
    // merge at each new input size. So from the second size on, the outputs would be wrong. To prevent this, disable
    // the merge.
    std::vector<cv::String> types;
    net.getLayerTypes(types);
    if (std::find(types.begin(), types.end(), "Deconvolution") != types.end())
      net.enableFusion(false);
    std::istringstream stream(list);
    for (std::string name; std::getline(stream, name, ',');)
      names.push_back(name);
  }

  /// Fills the input of the network with the scaled image. The image is in the upper left corner of the input. Beyond
  /// the image, the pixels of its right and lower edges are repeated.
  void fill(const cv::Mat &image, const SVCVNetworkInput &form) {
    CV_Assert(image.depth() == CV_8U && form.width > 0 && form.height > 0 && form.multiple > 0);
    const int multiple = form.multiple, width = (form.width + multiple - 1) / multiple * multiple;
    const int height = (form.height + multiple - 1) / multiple * multiple, size[] = {1, 3, height, width};
    input.create(4, size, CV_32F);
    cv::Mat small = image;
    if (image.cols != form.width || image.rows != form.height) {
      const bool shrinks = form.width < image.cols;
      cv::resize(image, scaled, cv::Size(form.width, form.height), 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
      small = scaled;
    }
    if (form.isMirrored) {
      cv::flip(small, mirrored, 1);
      small = mirrored;
    }
    const cv::Rect inside(0, 0, form.width, form.height);
    for (int index = 0; index < 3; index++) {
      const SVCVInputChannel &channel = form.channels[index];
      cv::Mat plane(height, width, CV_32F, input.ptr<float>(0, index)), part = plane(inside);
      if (index > 0 && channel == form.channels[0]) {
        cv::Mat(height, width, CV_32F, input.ptr<float>(0, 0)).copyTo(plane);
        continue;
      }
      cv::extractChannel(small, single, channel.source);
      single.convertTo(part, CV_32F, channel.scale, -channel.mean * channel.scale);
      cv::copyMakeBorder(part, plane, 0, height - form.height, 0, width - form.width,
                         cv::BORDER_REPLICATE | cv::BORDER_ISOLATED);
    }
  }

  Problem run(const cv::Mat &image, const SVCVNetworkInput &form) {
    outputs.clear();
    fill(image, form);
    net.setInput(input);
    net.forward(results, names);
    for (const cv::Mat &result : results) {
      if (result.type() != CV_32F || !result.isContinuous() || result.dims > sv_cv_tensor_dimensions)
        return "OpenCV computed an output of another type";
      SVCVTensor tensor = {result.ptr<float>(), result.total(), {}, result.dims};
      std::copy_n(result.size.p, result.dims, tensor.sizes);
      outputs.push_back(tensor);
    }
    return {};
  }
};

} // namespace

SVCVNetwork *sv_cv_network_create(const uint8_t *bytes, size_t count, const char *outputs, char *error) {
  return made<Network>(error, bytes, count, outputs);
}

int sv_cv_network_run(SVCVNetwork *network, SVCVImage image, SVCVNetworkInput input, const SVCVTensor **outputs,
                      int *count, char *error) {
  return guarded(error, [&] {
    Network &own = as<Network>(network);
    Problem problem;
    if (input.usesThreads)
      problem = own.run(view(image), input);
    else
      inThisThread([&] { problem = own.run(view(image), input); });
    lend(own.outputs, outputs, count);
    return problem;
  });
}
