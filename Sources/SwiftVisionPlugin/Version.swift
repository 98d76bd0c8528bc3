// SPDX-License-Identifier: LGPL-2.1-or-later

// Scripts read the version and the release date from these lines.

/// The version of the project. `gst-inspect-1.0 swiftvision`, `swiftvision --version` and the packages show it.
let version: StaticString = "0.2.0"

let releaseDate: StaticString = "2026-11-23"
