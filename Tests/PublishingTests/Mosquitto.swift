// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import TestSupport

/// Debian's MQTT broker mosquitto, which a test starts on a free port.
final class Mosquitto: Sendable {
    /// A message about a missing program; nil if the broker, mosquitto_sub and openssl are installed.
    static let missing: String? = {
        let programs = ["/usr/sbin/mosquitto", "/usr/bin/mosquitto_sub", "/usr/bin/openssl"]
        return programs.first { !FileManager.default.isExecutableFile(atPath: $0) }.map { "\($0) is not installed" }
    }()

    let port: Int
    private let folder: TemporaryFolder
    private let settings: [String]
    private let process = Mutex<Process?>(nil)

    /// Returns settings of a broker that keeps all messages during a restart and drops no messages.
    static func lasting(_ folder: TemporaryFolder) -> [String] {
        [
            "allow_anonymous true", "user root", "persistence true", "persistence_location \(folder.path)/",
            "max_queued_messages 0",
        ]
    }

    /// - Parameter settings: additional lines of the broker's configuration.
    init(_ folder: TemporaryFolder, _ settings: [String] = ["allow_anonymous true"]) throws {
        (self.folder, self.settings) = (folder, settings)
        port = try freePort()
        try start()
    }

    deinit { kill() }

    func start() throws {
        let lines = ["listener \(port) 127.0.0.1", "log_dest none"] + settings
        let path = try folder.write(Array(lines.joined(separator: "\n").utf8), "mosquitto-\(port).conf")
        // Threads of Dispatch block all signals. The broker would inherit this, and SIGTERM would have no effect.
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

    /// Ends the broker. It stores its messages first.
    func stop() { end(SIGTERM) }

    private func end(_ signal: Int32) {
        guard let process = process.withLock({ $0.take() }) else { return }
        Foundation.kill(process.processIdentifier, signal)
        process.waitUntilExit()
    }
}

/// mosquitto_sub, which writes the messages of a topic to a file.
final class Subscriber {
    private let process: Process
    private let path: String

    /// - Parameter more: additional options of mosquitto_sub.
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
