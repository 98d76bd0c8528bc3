// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import TestSupport

/// Debian's MQTT broker on a port of its own, started by a test.
final class Mosquitto: Sendable {
    /// Nil where it is installed, with the program that subscribes; else what is missing.
    static let missing: String? = {
        let programs = ["/usr/sbin/mosquitto", "/usr/bin/mosquitto_sub", "/usr/bin/openssl"]
        return programs.first { !FileManager.default.isExecutableFile(atPath: $0) }.map { "\($0) is not installed" }
    }()

    let port: Int
    private let folder: TemporaryFolder
    private let settings: [String]
    private let process = Mutex<Process?>(nil)

    /// - Parameter settings: more lines for its configuration.
    init(_ folder: TemporaryFolder, _ settings: [String] = ["allow_anonymous true"]) throws {
        (self.folder, self.settings) = (folder, settings)
        port = try freePort()
        try start()
    }

    deinit { kill() }

    func start() throws {
        let lines = ["listener \(port) 127.0.0.1", "persistence false", "log_dest none"] + settings
        let path = try folder.write(Array(lines.joined(separator: "\n").utf8), "mosquitto-\(port).conf")
        let process = try Process.run(
            URL(fileURLWithPath: "/usr/sbin/mosquitto"), arguments: ["-c", path], terminationHandler: nil)
        let isUp = eventually { isListening(port) || !process.isRunning }
        guard isUp, process.isRunning else { throw TestFailure("mosquitto does not start") }
        self.process.withLock { $0 = process }
    }

    func kill() {
        guard let process = process.withLock({ $0.take() }) else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// A program that writes the messages of a topic into a file.
final class Subscriber {
    private let process: Process
    private let path: String

    /// - Parameter more: options of mosquitto_sub.
    init(_ broker: Mosquitto, _ folder: TemporaryFolder, topic: String = "t", _ more: [String] = []) throws {
        path = try folder.write([], "subscribed-\(topic.replacing("/", with: "-"))")
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/mosquitto_sub")
        process.arguments = ["-p", "\(broker.port)", "-t", topic, "-q", "2", "-c", "-i", "subscriber"] + more
        process.standardOutput = FileHandle(forWritingAtPath: path)
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    var text: String { String(decoding: (try? contents(of: path)) ?? [], as: UTF8.self) }
    var numbers: [Int] { PublishingTests.numbers(in: text) }
}

private func address(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

/// Does something with a socket and an address of this machine.
private func withAddress<Result>(_ port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(file) }
    return withUnsafePointer(to: address(port)) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

func freePort() throws -> Int {
    let port = withAddress(0) { file, address, size -> Int? in
        guard bind(file, address, size) == 0 else { return nil }
        var (own, count) = (sockaddr_in(), size)
        let isKnown = withUnsafeMutablePointer(to: &own) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(file, $0, &count) == 0 }
        }
        return isKnown ? Int(UInt16(bigEndian: own.sin_port)) : nil
    }
    return try required(port, "no free port")
}

func isListening(_ port: Int) -> Bool { withAddress(port) { connect($0, $1, $2) == 0 } }

/// A socket that takes connections and says nothing.
final class SilentServer {
    let port: Int
    private let file: Int32

    init() throws {
        port = try freePort()
        file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var own = address(port)
        let file = file
        let isBound = withUnsafePointer(to: &own) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(file, 8) == 0 else { throw TestFailure("no socket") }
    }

    deinit { close(file) }
}
