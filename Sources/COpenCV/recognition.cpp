// SPDX-License-Identifier: LGPL-2.1-or-later
#include "guarded.hpp"

#include <cfloat>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace {

/// Returns the local binary pattern of each pixel. A pattern has a bit for each of eight neighbours at a distance of 1
/// pixel, counter-clockwise from the right neighbour. The levels of diagonal neighbours are interpolated. A bit is 1 if
/// the neighbour is at least as bright as the pixel. The arithmetic is the same as in cv::face::LBPHFaceRecognizer, so
/// that the results are exactly equal.
cv::Mat1b patterns(const cv::Mat1b &face) {
  cv::Mat1b codes = cv::Mat1b::zeros(face.rows - 2, face.cols - 2);
  for (int n = 0; n < 8; n++) {
    const float x = float(std::cos(2 * CV_PI * n / 8)), y = float(-std::sin(2 * CV_PI * n / 8));
    const int left = int(std::floor(x)), right = int(std::ceil(x)), top = int(std::floor(y)), low = int(std::ceil(y));
    const float u = x - left, v = y - top;
    const float weights[4] = {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v};
    for (int i = 1; i < face.rows - 1; i++) {
      const uint8_t *above = face[i + top], *below = face[i + low], *here = face[i];
      uint8_t *code = codes[i - 1];
      for (int j = 1; j < face.cols - 1; j++) {
        const float level = weights[0] * above[j + left] + weights[1] * above[j + right] +
                            weights[2] * below[j + left] + weights[3] * below[j + right];
        const bool isBright = level > here[j] || std::abs(level - here[j]) < FLT_EPSILON;
        code[j - 1] = uint8_t(code[j - 1] | isBright << n);
      }
    }
  }
  return codes;
}

} // namespace

int sv_cv_pattern_counts(const uint8_t *face, int side, int grid, uint8_t *counts, char *error) {
  return guarded(error, [&] {
    CV_Assert(side >= 3 && grid > 0);
    const cv::Mat1b codes = patterns(cv::Mat1b(side, side, const_cast<uint8_t *>(face)));
    const int width = codes.cols / grid, height = codes.rows / grid;
    CV_Assert(width * height <= 255);
    std::fill(counts, counts + grid * grid * sv_cv_patterns, uint8_t(0));
    for (int y = 0; y < grid * height; y++)
      for (int x = 0; x < grid * width; x++)
        counts[((y / height) * grid + x / width) * sv_cv_patterns + codes(y, x)]++;
  });
}

int sv_cv_subspace(const uint8_t *pictures, const int *labels, int count, int length, int components, float *mean,
                   float *basis, int *kept, char *error) {
  return guarded(error, [&] {
    CV_Assert(count > 0 && length > 0 && components > 0);
    cv::Mat data;
    cv::Mat(count, length, CV_8U, const_cast<uint8_t *>(pictures)).convertTo(data, CV_64F);
    const cv::PCA pca(data, cv::Mat(), cv::PCA::DATA_AS_ROW, components);
    int rank = 0;
    while (rank < pca.eigenvalues.rows && pca.eigenvalues.at<double>(rank) > 1e-9 * pca.eigenvalues.at<double>(0))
      rank++;
    cv::Mat rows = pca.eigenvectors.rowRange(0, rank);
    if (labels && rank > 0) {
      cv::Mat projected;
      cv::gemm(data - cv::repeat(pca.mean, count, 1), rows, 1, cv::noArray(), 0, projected, cv::GEMM_2_T);
      const cv::Mat classes(count, 1, CV_32S, const_cast<int *>(labels));
      // There cannot be more discriminants than principal components (`rank`), but OpenCV does not check this limit.
      const cv::LDA lda(projected, classes, rank);
      cv::gemm(lda.eigenvectors(), rows, 1, cv::noArray(), 0, rows, cv::GEMM_1_T);
    }
    CV_Assert(rows.rows <= count);
    pca.mean.convertTo(cv::Mat(1, length, CV_32F, mean), CV_32F);
    if (rows.rows > 0)
      rows.convertTo(cv::Mat(rows.rows, length, CV_32F, basis), CV_32F);
    *kept = rows.rows;
  });
}

int sv_cv_project(const uint8_t *picture, int length, const float *mean, const float *basis, int rows,
                  float *coordinates, double *square, char *error) {
  return guarded(error, [&] {
    cv::Mat difference;
    cv::Mat(1, length, CV_8U, const_cast<uint8_t *>(picture)).convertTo(difference, CV_32F);
    difference -= cv::Mat(1, length, CV_32F, const_cast<float *>(mean));
    *square = difference.dot(difference);
    for (int i = 0; i < rows; i++)
      coordinates[i] =
          float(difference.dot(cv::Mat(1, length, CV_32F, const_cast<float *>(basis) + size_t(i) * size_t(length))));
  });
}
