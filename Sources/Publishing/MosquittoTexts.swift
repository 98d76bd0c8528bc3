// SPDX-License-Identifier: LGPL-2.1-or-later
import CBrokers
import Glibc

extension SVMosquitto {
    /// Returns the text for an error of libmosquitto (MOSQ_ERR_…). Call this function immediately after the error,
    /// because the function may read `errno`.
    func text(ofError error: Int32) -> String {
        switch error {
        // Error 14 is MOSQ_ERR_ERRNO.
        case 14: String(cString: Glibc.strerror(errno))
        // Error 25 is MOSQ_ERR_OVERSIZE_PACKET.
        case 25: "the message is larger than the broker's maximum packet size"
        default: strerror(error).map { String(cString: $0) } ?? "error \(error)"
        }
    }

    /// Returns the text for a reason code of a broker. If the properties contain a reason string, the result ends with
    /// the reason string. Codes below 0x80 come from MQTT 3.1.1.
    func text(ofReason reason: Int32, _ properties: OpaquePointer? = nil) -> String {
        guard reason >= 0x80, has_version_5 else {
            return connack_string(reason).map { String(cString: $0) } ?? "code \(reason)"
        }
        let name = reason_string(reason).map { String(cString: $0) } ?? "reason"
        let text = "\(name) (0x\(String(reason, radix: 16, uppercase: true)))"
        var words: UnsafeMutablePointer<CChar>?
        guard let properties, property_read_string(properties, Int32(SV_MQTT_REASON), &words, false) != nil, let words
        else { return text }
        defer { free(words) }
        // Limit the length of the broker's reason string and remove control characters.
        let scalars = String(cString: words).unicodeScalars.prefix(200)
        let shown = scalars.filter { $0.properties.generalCategory != .control }
        return text + ": " + String(String.UnicodeScalarView(shown))
    }
}
