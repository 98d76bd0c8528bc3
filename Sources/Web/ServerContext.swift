// SPDX-License-Identifier: LGPL-2.1-or-later
import NIOCore
import NIOHTTP1
import Synchronization

/// The objects that all connections of a server use.
final class ServerContext: Sendable {
    let configuration: WebConfiguration
    let delegate: any WebDelegate
    let pages: Pages
    let access: Access
    let connections: Connections
    private let files: [String: WebFile]
    let uploads: UploadBudget
    private let wrongKeys: Mutex<WrongKeys>

    init(_ configuration: WebConfiguration, _ delegate: any WebDelegate, _ pages: Pages) {
        self.configuration = configuration
        self.delegate = delegate
        self.pages = pages
        access = Access(configuration)
        uploads = UploadBudget(configuration.limits)
        connections = Connections(configuration.limits)
        wrongKeys = Mutex(WrongKeys(configuration.limits.wrongKeys))
        files = Dictionary(configuration.files.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Returns the file of the web page with this name; nil if there is no such file.
    func file(_ name: String) -> WebFile? { files[name] }

    /// Decides whether a request is allowed. Returns the route of an allowed request, or the reason why the request is
    /// refused.
    func judge(_ head: HTTPRequestHead) -> Judgement {
        if let refusal = access.refusal(of: head.headers) { return .refused(.forbidden, refusal) }
        let target = Target(head.uri)
        guard let route = target?.route(files, hasMetrics: configuration.hasMetrics) else {
            return .refused(.notFound, "no such file")
        }
        // Prometheus sends the key as a bearer token.
        let token = if case .metrics = route { access.token(in: head.headers) } else { nil as String? }
        let verdict = access.verdict(query: target?.key ?? token, head.headers)
        switch verdict {
        case .missing: return .noKey
        case .wrongKey: return .wrongKey
        case .key, .session: break
        }
        guard route.methods.contains(head.method) else { return .wrongMethod(route.methods) }
        return .granted(route, byKey: verdict == .key)
    }

    enum Judgement {
        /// The request has a valid key in the URL (`byKey` is true) or a valid session.
        case granted(Route, byKey: Bool)
        case refused(HTTPResponseStatus, String)
        case noKey
        case wrongKey
        case wrongMethod([HTTPMethod])
    }

    /// Counts a wrong key, and returns the delay of the answer in seconds.
    func delayOfWrongKey() -> Double { wrongKeys.withLock { $0.add() } }

    func mayOpenPage(_ head: HTTPRequestHead) -> Bool {
        guard case .granted(.socket, _) = judge(head) else { return false }
        return pages.hasRoom
    }

    static let headers = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
                + "media-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}
