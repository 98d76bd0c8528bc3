#include "guarded.hpp"

#include <opencv2/imgproc.hpp>

int sv_cv_colors(SVCVImage input, int red, int green, int blue, double scale, SVCVImage output, char *error) {
  return guarded(error, [&] {
    CV_Assert(input.channels >= 3 && output.channels == 3);
    CV_Assert(std::min({red, green, blue}) >= 0 && std::max({red, green, blue}) < input.channels);
    cv::Mat small = view(input), out = view(output);
    if (scale != 1)
      inThisThread([&] { cv::resize(view(input), small, cv::Size(), scale, scale, cv::INTER_AREA); });
    CV_Assert(small.size() == out.size());
    const int places[] = {blue, 0, green, 1, red, 2};
    cv::mixChannels(&small, 1, &out, 1, places, 3);
  });
}
