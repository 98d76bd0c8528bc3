// SPDX-License-Identifier: LGPL-2.1-or-later
#include "primitives.hpp"
#include "warping.hpp"

#include <opencv2/imgproc.hpp>
#include <opencv2/video/background_segm.hpp>

namespace {

constexpr int operations[] = {cv::MORPH_ERODE, cv::MORPH_DILATE, cv::MORPH_OPEN, cv::MORPH_CLOSE};
constexpr int interpolations[] = {cv::INTER_NEAREST, cv::INTER_LINEAR, cv::INTER_AREA};

struct Contours : SVCVObject {
  std::vector<SVCVPixel> pixels;
  std::vector<int> counts, parents;

  Contours(const SVCVMatrix &mask, SVCVContourMode mode, bool isSimplified) {
    constexpr int modes[] = {cv::RETR_EXTERNAL, cv::RETR_CCOMP, cv::RETR_TREE};
    std::vector<std::vector<cv::Point>> all;
    std::vector<cv::Vec4i> hierarchy;
    inThisThread([&] {
      cv::findContours(view(mask), all, hierarchy, modes[mode],
                       isSimplified ? cv::CHAIN_APPROX_SIMPLE : cv::CHAIN_APPROX_NONE);
    });
    for (size_t i = 0; i < all.size(); i++) {
      for (const cv::Point &pixel : all[i])
        pixels.push_back({pixel.x, pixel.y});
      counts.push_back(static_cast<int>(all[i].size()));
      parents.push_back(hierarchy[i][3]);
    }
  }
};

struct Subtractor : SVCVObject {
  cv::Ptr<cv::BackgroundSubtractorMOG2> mog2;
  cv::Ptr<cv::BackgroundSubtractorKNN> knn;

  explicit Subtractor(bool isKNN) {
    if (isKNN)
      knn = cv::createBackgroundSubtractorKNN();
    else
      mog2 = cv::createBackgroundSubtractorMOG2();
  }
};

} // namespace

// MARK: - Neighbourhoods

int sv_cv_morph(SVCVMatrix input, SVCVMorphology morphology, SVCVMatrix output, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    const cv::Size size(morphology.side, morphology.side);
    const cv::Mat kernel = cv::getStructuringElement(morphology.isElliptic ? cv::MORPH_ELLIPSE : cv::MORPH_RECT, size);
    const cv::Scalar outside = morphology.isOutsideZero ? cv::Scalar(0) : cv::morphologyDefaultBorderValue();
    cv::morphologyEx(view(input), out, operations[morphology.operation], kernel,
                     cv::Point(morphology.anchor, morphology.anchor), morphology.passes, cv::BORDER_CONSTANT, outside);
  });
}

int sv_cv_gaussian(SVCVMatrix input, int side, double sigma, SVCVMatrix output, char *error) {
  return writing(output, error, [&](cv::Mat &out) { cv::GaussianBlur(view(input), out, cv::Size(side, side), sigma); });
}

int sv_cv_canny(SVCVMatrix input, double low, double high, SVCVMatrix output, char *error) {
  return writing(output, error, [&](cv::Mat &out) { cv::Canny(view(input), out, low, high); });
}

int sv_cv_distances(SVCVMatrix mask, SVCVMatrix output, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    cv::distanceTransform(view(mask), out, cv::DIST_L2, cv::DIST_MASK_PRECISE);
  });
}

int sv_cv_correlate(SVCVMatrix input, SVCVMatrix pattern, SVCVMatrix output, char *error) {
  return writing(output, error, [&](cv::Mat &out) { cv::matchTemplate(view(input), view(pattern), out, cv::TM_CCORR); });
}

// MARK: - Parts of masks

int sv_cv_label(SVCVMatrix mask, int connectivity, SVCVMatrix labels, int *count, char *error) {
  return writing(labels, error, [&](cv::Mat &out) { *count = cv::connectedComponents(view(mask), out, connectivity); });
}

SVCVContours *sv_cv_contours_create(SVCVMatrix mask, SVCVContourMode mode, bool isSimplified, char *error) {
  return made<Contours>(error, mask, mode, isSimplified);
}

int sv_cv_contours_read(SVCVContours *contours, const SVCVPixel **pixels, const int **counts, const int **parents,
                        int *count, char *error) {
  return guarded(error, [&] {
    const Contours &all = as<Contours>(contours);
    *pixels = all.pixels.data();
    *parents = all.parents.data();
    lend(all.counts, counts, count);
  });
}

int sv_cv_fill(SVCVMatrix output, const SVCVPixel *pixels, const int *counts, int count, int shift, double value, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    std::vector<cv::Mat> polygons;
    for (int i = 0; i < count; pixels += counts[i++])
      polygons.push_back(view(pixels, counts[i]));
    cv::fillPoly(out, polygons, cv::Scalar::all(value), cv::LINE_8, shift);
  });
}

int sv_cv_simplify(const SVCVPixel *contour, int count, double precision, SVCVPixel *corners, int *cornerCount, char *error) {
  return guarded(error, [&] {
    std::vector<cv::Point> result;
    cv::approxPolyDP(view(contour, count), result, precision, true);
    CV_Assert(static_cast<int>(result.size()) <= count);
    *cornerCount = static_cast<int>(result.size());
    for (const cv::Point &corner : result)
      *corners++ = {corner.x, corner.y};
  });
}

// MARK: - Geometry

int sv_cv_scale(SVCVMatrix input, SVCVInterpolation interpolation, SVCVMatrix output, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    cv::resize(view(input), out, out.size(), 0, 0, interpolations[interpolation]);
  });
}

int sv_cv_warp(SVCVMatrix input, const double *map, bool isInverse, SVCVInterpolation interpolation, bool isEdgeRepeated,
               SVCVMatrix output, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    warp(view(input), out, cv::Matx23d(map), out.size(), interpolations[interpolation] | (isInverse ? cv::WARP_INVERSE_MAP : 0),
         isEdgeRepeated ? cv::BORDER_REPLICATE : cv::BORDER_CONSTANT);
  });
}

// MARK: - Algebra

int sv_cv_cosine_transform(SVCVMatrix input, bool isInverse, SVCVMatrix output, char *error) {
  return writing(output, error, [&](cv::Mat &out) { cv::dct(view(input), out, isInverse ? cv::DCT_INVERSE : 0); });
}

int sv_cv_fast_length(int length) { return cv::getOptimalDFTSize(length); }

int sv_cv_solve(const double *left, int size, const double *right, int columns, double *solution, char *error) {
  return guarded(error, [&] {
    cv::Mat result(size, columns, CV_64F, solution);
    cv::solve(cv::Mat(size, size, CV_64F, const_cast<double *>(left)),
              cv::Mat(size, columns, CV_64F, const_cast<double *>(right)), result, cv::DECOMP_SVD);
    CV_Assert(result.ptr<double>() == solution);
  });
}

// MARK: - Learned backgrounds

SVCVSubtractor *sv_cv_subtractor_create(bool isKNN, char *error) { return made<Subtractor>(error, isKNN); }

int sv_cv_subtract(SVCVSubtractor *subtractor, SVCVMatrix picture, int history, double threshold, SVCVMatrix output,
                   char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    const Subtractor &model = as<Subtractor>(subtractor);
    if (model.knn) {
      model.knn->setHistory(history);
      model.knn->setDist2Threshold(threshold);
      model.knn->apply(view(picture), out);
    } else {
      model.mog2->setHistory(history);
      model.mog2->setVarThreshold(threshold);
      model.mog2->apply(view(picture), out);
    }
  });
}

int sv_cv_background(SVCVSubtractor *subtractor, SVCVMatrix output, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    const Subtractor &model = as<Subtractor>(subtractor);
    if (model.knn)
      model.knn->getBackgroundImage(out);
    else
      model.mog2->getBackgroundImage(out);
  });
}
