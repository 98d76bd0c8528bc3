// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// Returns the SHA-256 of bytes (FIPS 180-4) in lower-case hexadecimal digits, by GLib.
package func sha256(_ bytes: [UInt8]) -> String {
    let text = bytes.withUnsafeBufferPointer {
        g_compute_checksum_for_data(G_CHECKSUM_SHA256, $0.baseAddress, gsize($0.count))
    }
    guard let text else { return "" }
    defer { g_free(text) }
    return String(cString: text)
}
