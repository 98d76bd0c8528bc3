// SPDX-License-Identifier: LGPL-2.1-or-later

// The one place for both: scripts read them from these lines.

/// Version of the project, as `gst-inspect-1.0 swiftvision`, `swiftvision --version` and the packages tell it.
let version: StaticString = "0.2.0"

/// Day of its release.
let releaseDate: StaticString = "2026-11-23"
