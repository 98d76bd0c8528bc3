// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files

/// The parts of a URI.
package struct StreamAddress: Sendable {
    package let scheme: String
    package let host: String?
    package let port: Int?
    /// The path after the host, such as `/dev/video0` in `v4l2:///dev/video0`.
    package let path: String
    package let user: String?
    package let password: String?
    /// The URI without the password.
    package let shown: String
    /// The URI without the user name and the password.
    package let anonymous: String

    /// Returns nil if the text is not a URI.
    package init?(_ text: String) {
        guard let uri = gst_uri_from_string(text), let scheme = gst_uri_get_scheme(uri) else { return nil }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(uri).assumingMemoryBound(to: GstMiniObject.self)) }
        self.scheme = String(cString: scheme).lowercased()
        host = gst_uri_get_host(uri).map { String(cString: $0) }
        let pathText = gst_uri_get_path(uri)
        defer { g_free(pathText) }
        path = pathText.map { String(cString: $0) } ?? ""
        let number = gst_uri_get_port(uri)
        port = number == 0 ? nil : Int(number)
        guard let userinfo = gst_uri_get_userinfo(uri).map({ String(cString: $0) }) else {
            (user, password, shown, anonymous) = (nil, nil, text, text)
            return
        }
        let parts = userinfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        user = parts.first.map { Self.unescaped(String($0)) }
        password = parts.count > 1 ? Self.unescaped(String(parts[1])) : nil
        // Removes the login from the original text, without GstUri. GstUri would change the percent-encoding of other
        // parts.
        let start = text.firstOccurrence(of: "://")?.upperBound ?? text.startIndex
        let end = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        guard let at = text[start..<end].lastIndex(of: "@") else {
            (shown, anonymous) = (text, text)
            return
        }
        let afterCredentials = text[text.index(after: at)...]
        anonymous = String(text[..<start] + afterCredentials)
        shown = String(text[..<start] + text[start..<at].prefix { $0 != ":" } + "@" + afterCredentials)
    }

    private static func unescaped(_ text: String) -> String {
        guard let plain = g_uri_unescape_string(text, nil) else { return text }
        defer { g_free(plain) }
        return String(cString: plain)
    }
}

/// Returns true if an installed element reads URIs with this scheme.
package func canRead(scheme: String) -> Bool { gst_uri_protocol_is_supported(GST_URI_SRC, scheme) != 0 }
