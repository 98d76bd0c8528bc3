// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_CPAGE_H
#define SV_CPAGE_H

#include <stddef.h>

/// A file of svwebsink's web page, embedded in the plugin.
typedef struct {
  /// The file name, such as `app.js`. The file name is also the last part of the file's URL.
  const char *name;
  const unsigned char *bytes;
  size_t count;
} SVPageFile;

/// Returns the file at `index`. Returns NULL if `index` is not less than `sv_page_file_count()`. The returned pointer
/// always stays valid.
const SVPageFile *sv_page_file(size_t index);
size_t sv_page_file_count(void);

#endif
