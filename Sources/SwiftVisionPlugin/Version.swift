// SPDX-License-Identifier: LGPL-2.1-or-later

// Scripts read the version and the release date from the lines below.

/// The version of the project. The packages and the commands `gst-inspect-1.0 swiftvision` and `swiftvision --version`
/// show this version.
let version: StaticString = "0.2.0"

let releaseDate: StaticString = "2026-11-23"
