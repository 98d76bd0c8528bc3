// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport

/// Certificates of openssl(1), and a TLS server that uses one of them.
struct Certificates {
    /// Configuration of the authority for openssl-ca(1). Other commands do not accept dates in the past in all
    /// versions.
    private static let issuing = """
        [ca]
        default_ca = authority
        [authority]
        certificate = ca.pem
        private_key = ca.key
        database = index.txt
        unique_subject = no
        new_certs_dir = .
        rand_serial = yes
        default_md = sha256
        policy = policy
        [policy]
        commonName = supplied
        """

    let folder: TemporaryFolder
    /// The certificate of the authority that issues all other certificates.
    var authority: String { folder.file("ca.pem") }
    var key: String { folder.file("server.key") }

    init(_ folder: TemporaryFolder) throws {
        self.folder = folder
        try makeAuthority("ca")
        try Self.issuing.write(toFile: folder.file("ca.cnf"), atomically: true, encoding: .utf8)
        try "".write(toFile: folder.file("index.txt"), atomically: true, encoding: .utf8)
        try run("req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out localhost.csr")
        try run("req -new -key server.key -subj /CN=elsewhere.example -out elsewhere.csr")
    }

    @discardableResult
    func makeAuthority(_ name: String) throws -> String {
        try run(
            "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=\(name) -keyout \(name).key -out \(name).pem")
        return folder.file("\(name).pem")
    }

    /// Issues a certificate.
    /// - Parameters:
    ///   - name: `localhost` or `elsewhere`.
    ///   - expired: true for a certificate that was only valid in the year 2020.
    func issue(_ name: String, expired: Bool = false) throws -> String {
        let file = "\(name)\(expired ? "-expired" : "").pem"
        let year = expired ? "-startdate 20200101000000Z -enddate 20210101000000Z" : "-days 2"
        try run("ca -batch -notext -config ca.cnf -in \(name).csr -out \(file) \(year)")
        return folder.file(file)
    }

    /// Starts a server that accepts TLS connections and sends nothing.
    func serve(_ certificate: String) throws -> TLSServer {
        try TLSServer(certificate: certificate, key: key)
    }

    private func run(_ arguments: String) throws {
        let process = Process.openSSL(arguments.split(separator: " ").map(String.init))
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw TestFailure("openssl \(arguments)") }
    }
}

final class TLSServer {
    let port: Int
    private let process: Process

    init(certificate: String, key: String) throws {
        let port = try freePort()
        let process = Process.openSSL([
            "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", key,
        ])
        process.standardInput = Pipe()
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        (self.port, self.process) = (port, process)
        guard eventually({ isListening(port) }) else { throw TestFailure("openssl s_server does not start") }
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

extension Process {
    fileprivate static func openSSL(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        return process
    }
}
