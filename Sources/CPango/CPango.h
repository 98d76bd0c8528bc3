#ifndef SV_CPANGO_H
#define SV_CPANGO_H

#include <pango/pangocairo.h>

#endif
