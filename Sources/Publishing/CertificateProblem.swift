// SPDX-License-Identifier: LGPL-2.1-or-later

/// The error code with which OpenSSL rejected a broker's certificate (X509_V_ERR_…).
struct CertificateProblem: Sendable, Hashable {
    let code: Int

    /// The certificate belongs to another host name.
    static let wrongHost = CertificateProblem(code: 62)

    /// Returns a message for users that explains the certificate problem and the fix.
    /// - Parameters:
    ///   - host: the host name or IP address of the broker.
    ///   - other: OpenSSL's text for the error code. If this function has no message for the code, the result contains
    ///     `other`.
    func words(host: String, other: String?) -> String {
        switch code {
        case 9, 13: "the broker's certificate is not valid yet. Check the clocks of both machines."
        case 10, 14: "the broker's certificate has expired. Renew the certificate."
        case 2, 18, 19, 20, 21, 27:
            "the broker's certificate was issued by an unknown authority. Set tls-ca-file to the authority's "
                + "certificate."
        case 23: "the broker's certificate was revoked. Install a new certificate on the broker."
        case 62, 64:
            "the broker's certificate is for another host name, not for \(host). Set address to the name in the "
                + "certificate."
        default: "OpenSSL does not accept the broker's certificate: \(other ?? "error \(code) of OpenSSL")"
        }
    }
}
