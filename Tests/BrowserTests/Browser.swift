// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import TestSupport

/// Chromium without a window. The tests control it with the DevTools protocol, over two pipes. Messages are JSON with a
/// zero byte at the end. Chromium ends when the pipes are closed, so it also ends with this process.
final class Browser: Sendable {
    typealias Object = [String: Any]

    /// The path of Chromium; nil if it is not installed.
    static let program: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/chromium" }.first { access($0, X_OK) == 0 }

    static let absence = "there is no chromium on PATH: apt-get install --no-install-recommends chromium"

    /// The tests wait at most this time for the browser, in seconds.
    static let patience = 60

    private let process: pid_t
    private let (writing, reading): (Int32, Int32)
    private let profile: URL
    private let state = Mutex(State())

    private struct State {
        var number = 0
        var received: [UInt8] = []
        /// The search for the end of a message continues at this index.
        var searched = 0
    }

    init() throws {
        guard let program = Self.program else { throw TestFailure(Self.absence) }
        profile = FileManager.default.temporaryDirectory
            .appendingPathComponent("swiftvision-browser-\(UUID().uuidString)")
        var (commands, answers): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard pipe(&commands) == 0, pipe(&answers) == 0 else { throw TestFailure("no pipes") }
        for file in commands + answers { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
        // The copies get descriptors of 10 or more. Otherwise, dup2 to 3 could overwrite the source of dup2 to 4.
        let (input, output) = (fcntl(commands[0], F_DUPFD_CLOEXEC, 10), fcntl(answers[1], F_DUPFD_CLOEXEC, 10))
        defer { for file in [commands[0], answers[1], input, output] { close(file) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 3)
        posix_spawn_file_actions_adddup2(&actions, output, 4)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for file in [1, 2] as [Int32] { posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_WRONLY, 0) }
        // If the browser inherited connections of other tests, they would stay open until it ends.
        for file in 5..<1024 as Range<Int32> { posix_spawn_file_actions_addclose(&actions, file) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        posix_spawnattr_setpgroup(&attributes, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        let words = [
            program, "--headless=new", "--remote-debugging-pipe", "--user-data-dir=\(profile.path)", "--no-first-run",
            "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-extensions",
            "--disable-component-update", "--disable-sync", "--mute-audio", "--force-color-profile=srgb",
            // In containers and for root, Chromium's sandbox does not work.
            "--no-sandbox", "about:blank",
        ]
        let arguments = words.map { strdup($0) } + [nil]
        let settings = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + settings { free(text) } }
        var process: pid_t = 0
        let result = posix_spawn(&process, program, &actions, &attributes, arguments, settings)
        guard result == 0 else { throw TestFailure("\(program) does not start: \(String(cString: strerror(result)))") }
        (self.process, writing, reading) = (process, commands[1], answers[0])
        _ = try call("Browser.getVersion")
    }

    deinit {
        close(writing)
        close(reading)
        var status: Int32 = 0
        for _ in 0..<1000 where waitpid(process, &status, WNOHANG) == 0 { usleep(5000) }
        // The signal also ends the child processes of the browser.
        kill(-process, SIGKILL)
        waitpid(process, &status, 0)
        try? FileManager.default.removeItem(at: profile)
    }

    /// Sends a command and waits for its answer. Ignores events.
    func call(_ method: String, _ parameters: Object = [:], session: String? = nil) throws -> Object {
        // Only one thread at a time may call this method. A call ignores the answers to other commands.
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        var message: Object = ["id": number, "method": method, "params": parameters]
        message["sessionId"] = session
        try write(Array(try JSONSerialization.data(withJSONObject: message)) + [0])
        while true {
            let bytes = try next(method)
            guard let answer = try JSONSerialization.jsonObject(with: Data(bytes)) as? Object else { continue }
            guard answer["id"] as? Int == number else { continue }
            if let error = answer["error"] as? Object {
                throw TestFailure("\(method): \(error["message"] as? String ?? "\(error)")")
            }
            return answer["result"] as? Object ?? [:]
        }
    }

    private func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(writing, $0.baseAddress, $0.count) }
            guard count > 0 else { throw TestFailure("the browser is gone") }
            rest = rest.dropFirst(count)
        }
    }

    private func next(_ what: String) throws -> [UInt8] {
        try state.withLock { state in
            while true {
                if let end = state.received[state.searched...].firstIndex(of: 0) {
                    defer { (state.received, state.searched) = (Array(state.received[(end + 1)...]), 0) }
                    return Array(state.received[..<end])
                }
                state.searched = state.received.count
                var request = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
                guard poll(&request, 1, Int32(Self.patience * 1000)) > 0 else {
                    throw TestFailure("\(what): the browser does not answer")
                }
                var buffer = [UInt8](repeating: 0, count: 65536)
                let count = read(reading, &buffer, buffer.count)
                guard count > 0 else { throw TestFailure("\(what): the browser has ended") }
                state.received += buffer[..<count]
            }
        }
    }
}
