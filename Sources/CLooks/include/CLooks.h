// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_CLOOKS_H
#define SV_CLOOKS_H

#include <stddef.h>

/// A file with a look of svfilter, embedded in the plugin.
typedef struct {
  /// The file name, such as `film-noir.filters`.
  const char *name;
  const unsigned char *bytes;
  size_t count;
} SVLookFile;

/// Returns the file at `index`. Returns NULL if `index` is not less than `sv_look_file_count()`. The returned pointer
/// always stays valid.
const SVLookFile *sv_look_file(size_t index);
size_t sv_look_file_count(void);

#endif
