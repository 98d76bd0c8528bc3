#ifndef SV_BALANCE_H
#define SV_BALANCE_H

// White balance by OpenCV's module xphoto. Included by COpenCV.h, whose conventions apply.

/// Status if this machine has no xphoto that matches OpenCV's core.
enum { sv_cv_balance_absent = 2 };

/// Computes the gains of red, green and blue by which cv::xphoto::LearningBasedWB with its own model and default
/// settings balances `input` (3 channels, red first; not empty); the largest is 1. A picture in which it finds no clue
/// has gains of 1.
int sv_cv_learned_balance(SVCVImage input, double *gains, char *error);

#endif
