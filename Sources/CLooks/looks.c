// SPDX-License-Identifier: LGPL-2.1-or-later
#include "include/CLooks.h"

// `#embed` is a feature of C23. clang also accepts `#embed` in earlier versions of C, as an extension.
#pragma clang diagnostic ignored "-Wc23-extensions"

#include "files.h"

size_t sv_look_file_count(void) { return sizeof files / sizeof *files; }

const SVLookFile *sv_look_file(size_t index) { return index < sv_look_file_count() ? &files[index] : NULL; }
