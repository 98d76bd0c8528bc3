// SPDX-License-Identifier: LGPL-2.1-or-later
#include "include/CPage.h"

// `#embed` is a feature of C23. clang also accepts `#embed` in earlier versions of C, as an extension.
#pragma clang diagnostic ignored "-Wc23-extensions"

#include "files.h"

size_t sv_page_file_count(void) { return sizeof files / sizeof *files; }

const SVPageFile *sv_page_file(size_t index) { return index < sv_page_file_count() ? &files[index] : NULL; }
