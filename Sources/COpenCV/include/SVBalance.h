#ifndef SV_BALANCE_H
#define SV_BALANCE_H

// White balance by OpenCV's module xphoto. Included by COpenCV.h, whose conventions hold.

/// There is no xphoto on this machine that goes with OpenCV's core.
enum { sv_cv_balance_absent = 2 };

/// The gains of red, green and blue by which cv::xphoto::LearningBasedWB with its own model, as it is set at first,
/// balances `input` (3 channels, red first; not empty); the largest is 1. A picture in which it finds nothing to go by
/// has gains of 1.
int sv_cv_learned_balance(SVCVImage input, double *gains, char *error);

#endif
