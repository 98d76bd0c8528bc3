// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_CPANGO_H
#define SV_CPANGO_H

#include <pango/pangocairo.h>

#endif
