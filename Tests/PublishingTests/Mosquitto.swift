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

    /// Settings of a broker that remembers everything when it is restarted, and drops nothing.
    static func lasting(_ folder: TemporaryFolder) -> [String] {
        [
            "allow_anonymous true", "user root", "persistence true", "persistence_location \(folder.path)/",
            "max_queued_messages 0",
        ]
    }

    /// - Parameter settings: more lines for its configuration.
    init(_ folder: TemporaryFolder, _ settings: [String] = ["allow_anonymous true"]) throws {
        (self.folder, self.settings) = (folder, settings)
        port = try freePort()
        try start()
    }

    deinit { kill() }

    func start() throws {
        let lines = ["listener \(port) 127.0.0.1", "log_dest none"] + settings
        let path = try folder.write(Array(lines.joined(separator: "\n").utf8), "mosquitto-\(port).conf")
        // Threads of Dispatch block all signals, and a program inherits that: SIGTERM would not reach it.
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let process = try Process.run(
            URL(fileURLWithPath: "/usr/sbin/mosquitto"), arguments: ["-c", path], terminationHandler: nil)
        let isUp = eventually { isListening(port) || !process.isRunning }
        guard isUp, process.isRunning else { throw TestFailure("mosquitto does not start") }
        self.process.withLock { $0 = process }
    }

    func kill() { end(SIGKILL) }

    /// Lets it store what it has.
    func stop() { end(SIGTERM) }

    private func end(_ signal: Int32) {
        guard let process = process.withLock({ $0.take() }) else { return }
        Foundation.kill(process.processIdentifier, signal)
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
