// SPDX-License-Identifier: LGPL-2.1-or-later

/// Why OpenSSL refuses a broker's certificate (X509_V_ERR_…), in words that say what to do.
struct CertificateProblem: Sendable, Hashable {
    let code: Int

    /// A certificate for another host name than this.
    static let wrongHost = CertificateProblem(code: 62)

    /// - Parameters:
    ///   - host: the name or address of the broker.
    ///   - other: OpenSSL's words, for what has no words here.
    func words(host: String, other: String?) -> String {
        switch code {
        case 9, 13: "the broker's certificate is not valid yet. Check the clocks of both machines."
        case 10, 14: "the broker's certificate has expired. Renew the certificate."
        case 2, 18, 19, 20, 21, 27:
            "the broker's certificate was issued by an unknown authority. Set tls-ca-file to the authority's certificate."
        case 23: "the broker's certificate was revoked"
        case 62, 64: "the broker's certificate is for another host name, not for \(host)"
        default: "OpenSSL does not accept the broker's certificate: \(other ?? "error \(code) of OpenSSL")"
        }
    }
}
