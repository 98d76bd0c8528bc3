// SPDX-License-Identifier: LGPL-2.1-or-later
#include "COpenCVCheck.h"

#include <algorithm>
#include <cmath>
#include <vector>

// This is the scene that tests draw most often. The code is in C++, because debug builds also optimise this target.

namespace {

struct Corner {
  double x, y;
};
using Part = std::vector<Corner>;

/// For each pixel, the blurred fraction inside the polygons (even-odd rule).
class Area {
public:
  Area(const std::vector<Part> &parts, double blur, int frameWidth, int frameHeight) {
    double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
    for (const Part &part : parts)
      for (const Corner &corner : part) {
        low[0] = std::min(low[0], corner.x);
        low[1] = std::min(low[1], corner.y);
        high[0] = std::max(high[0], corner.x);
        high[1] = std::max(high[1], corner.y);
      }
    if (low[0] > high[0])
      return;
    const double margin = 3 * blur + 2;
    left = std::max(0, static_cast<int>(low[0] - margin));
    top = std::max(0, static_cast<int>(low[1] - margin));
    width = std::max(0, std::min(frameWidth, static_cast<int>(high[0] + margin)) - left);
    height = std::max(0, std::min(frameHeight, static_cast<int>(high[1] + margin)) - top);
    shares.assign(static_cast<size_t>(width) * height, 0);
    for (int row = 0; row < height; row++)
      for (int line = 0; line < lines; line++)
        fill(parts, row, top + row + (line + 0.5) / lines);
    if (blur > 0) {
      smooth(blur, 1, width, height, width);
      smooth(blur, width, height, width, 1);
    }
  }

  double cover(int x, int y) const {
    if (x < left || x >= left + width || y < top || y >= top + height)
      return 0;
    return shares[static_cast<size_t>(y - top) * width + x - left];
  }

private:
  static constexpr int lines = 4;
  int left = 0, top = 0, width = 0, height = 0;
  std::vector<double> shares;

  void fill(const std::vector<Part> &parts, int row, double y) {
    std::vector<double> crossings;
    for (const Part &part : parts)
      for (size_t i = 0; i < part.size(); i++) {
        const Corner &a = part[i], &b = part[(i + 1) % part.size()];
        if ((a.y <= y) != (b.y <= y))
          crossings.push_back(a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y));
      }
    std::sort(crossings.begin(), crossings.end());
    for (size_t i = 0; i + 1 < crossings.size(); i += 2) {
      const double start = std::max(0.0, crossings[i] - left), end = std::min<double>(width, crossings[i + 1] - left);
      for (int x = static_cast<int>(start); start < end && x < std::min(width, static_cast<int>(std::ceil(end))); x++)
        shares[static_cast<size_t>(row) * width + x] += (std::min(end, x + 1.0) - std::max<double>(start, x)) / lines;
    }
  }

  /// Applies a Gaussian filter to `count` lines of `length` pixels. `step` is the distance between the pixels of a
  /// line, and `next` is the distance between lines.
  void smooth(double sigma, int step, int length, int count, int next) {
    const int reach = static_cast<int>(std::ceil(3 * sigma));
    std::vector<double> kernel, from = shares;
    double sum = 0;
    for (int i = -reach; i <= reach; i++)
      sum += kernel.emplace_back(std::exp(-i * i / (2 * sigma * sigma)));
    for (int line = 0; line < count; line++)
      for (int place = 0; place < length; place++) {
        double value = 0;
        for (int i = std::max(-reach, -place); i <= std::min(reach, length - 1 - place); i++)
          value += kernel[i + reach] * from[static_cast<size_t>(line) * next + (place + i) * step];
        shares[static_cast<size_t>(line) * next + place * step] = value / sum;
      }
  }
};

} // namespace

int sv_check_silhouette(const SVCheckSilhouette *scene, uint8_t *pixels, int width, int height, size_t stride) {
  try {
    std::vector<Part> thing, cast;
    const double *corner = scene->corners;
    for (int i = 0; i < scene->parts; i++) {
      thing.emplace_back();
      for (int j = 0; j < scene->counts[i]; j++, corner += 2)
        thing.back().push_back({corner[0], corner[1]});
    }
    if (scene->darkness > 0)
      cast = thing;
    for (Part &part : cast)
      for (Corner &one : part)
        one = {one.x + scene->shadowX, one.y + scene->shadowY};
    const Area area(thing, scene->blur, width, height);
    const Area dark(cast, std::hypot(scene->blur, scene->penumbra), width, height);
    for (int y = 0; y < height; y++) {
      uint8_t *row = pixels + y * stride;
      int place = scene->starts[y];
      for (int x = 0; x < width; x++) {
        place = (place + 1) % scene->errorCount;
        const double share = area.cover(x, y), paper = 1 - scene->darkness * dark.cover(x, y);
        for (int channel = 0; channel < 3; channel++) {
          const double level = paper * scene->ground[channel] * (1 - share) + scene->color[channel] * share;
          row[4 * x + channel] =
              static_cast<uint8_t>(std::max(0.0, std::min(255.0, level * scene->lights[x] + scene->errors[place])));
        }
      }
    }
    return 0;
  } catch (...) {
    return -1;
  }
}
