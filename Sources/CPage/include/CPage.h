// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_CPAGE_H
#define SV_CPAGE_H

#include <stddef.h>

/// A file of the page of svwebsink.
typedef struct {
  /// The name in the page's addresses, such as `app.js`.
  const char *name;
  const unsigned char *bytes;
  size_t count;
} SVPageFile;

/// Returns a file of the page, which lives as long as the process; NULL from `sv_page_file_count` on.
const SVPageFile *sv_page_file(size_t index);
size_t sv_page_file_count(void);

#endif
