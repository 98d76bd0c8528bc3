// SPDX-License-Identifier: LGPL-2.1-or-later

// Scripts read the version and the release date from these lines.

/// The version of the project, in `gst-inspect-1.0 swiftvision`, `swiftvision --version` and the packages.
let version: StaticString = "0.2.0"

/// The release date.
let releaseDate: StaticString = "2026-11-23"
