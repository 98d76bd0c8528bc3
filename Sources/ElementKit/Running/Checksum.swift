// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// Returns the HMAC-SHA-256 (RFC 2104) of bytes, in lower-case hexadecimal digits. Uses GLib.
package func hmacSHA256(_ bytes: [UInt8], key: [UInt8]) -> String {
    let text = key.withUnsafeBufferPointer { key in
        bytes.withUnsafeBufferPointer {
            g_compute_hmac_for_data(
                G_CHECKSUM_SHA256, key.baseAddress, gsize(key.count), $0.baseAddress, gsize($0.count))
        }
    }
    guard let text else { return "" }
    defer { g_free(text) }
    return String(cString: text)
}
