// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Elements
import Foundation
import TestSupport
import Testing

/// An RTSP camera: Tests/Camera/rtsp-server.py in a separate process.
private final class RTSPCamera {
    private let process = Process()

    private static let script = URL(fileURLWithPath: #filePath + "/../../Camera/rtsp-server.py").standardized.path

    /// True if Python can use GStreamer's RTSP server on this computer.
    static let isInstalled: Bool = {
        let check = Process()
        check.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        check.arguments = ["-c", "import gi; gi.require_version('GstRtspServer', '1.0')"]
        check.standardError = FileHandle.nullDevice
        guard (try? check.run()) != nil else { return false }
        check.waitUntilExit()
        return check.terminationStatus == 0
    }()

    /// Starts the camera. Returns when clients can connect.
    init(port: UInt16, _ arguments: String...) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [Self.script, String(port)] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard answer.hasPrefix("ready") else { throw TestFailure("the camera does not start: \(answer)") }
    }

    deinit { kill() }

    func send(_ signal: Int32) { Foundation.kill(process.processIdentifier, signal) }

    func kill() {
        guard process.isRunning else { return }
        send(SIGKILL)
        process.waitUntilExit()
    }
}

@Suite(
    "svurisrc: RTSP", .serialized,
    .enabled(if: RTSPCamera.isInstalled, "needs the package gir1.2-gst-rtsp-server-1.0"))
struct RTSPCameraTests {
    private let port: UInt16
    private let line: Pipeline

    init() throws {
        port = try FakeCamera().port
        line = try pipeline(
            "svurisrc name=camera uri=rtsp://user:hush@127.0.0.1:\(port)/camera on-loss=nothing ! video/x-raw,format=BGRx ! appsink name=out sync=false max-buffers=500 drop=true"
        )
    }

    /// Waits for a message of the element.
    private func wait(for event: String) throws -> String {
        while true {
            let message = try #require(line.bus.wait(GST_MESSAGE_ELEMENT), "there is no message \(event)")
            if message.structure.hasPrefix("svurisrc,"), message.structure.contains("event=(string)\(event)") {
                return message.structure
            }
        }
    }

    @Test("A camera that is absent at the start, and is killed and restarted, is connected each time")
    func killed() throws {
        try line.play()
        #expect(try wait(for: "lost").contains("refused"))
        var camera = try RTSPCamera(port: port)
        _ = try wait(for: "back")
        #expect(try line.pull()?.frame.width == 320)
        camera.kill()
        _ = try wait(for: "lost")
        camera = try RTSPCamera(port: port, "--size=160x120")
        _ = try wait(for: "back")
        while try line.pull()?.frame.width != 160 {}
        withExtendedLifetime(camera) {}
        #expect(line.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("A camera that is frozen goes on when it moves again, and does not hold up a stop")
    func frozen() throws {
        let camera = try RTSPCamera(port: port)
        try line.play()
        _ = try line.pull()
        camera.send(SIGSTOP)
        #expect(try wait(for: "lost").contains("stalled"))
        camera.send(SIGCONT)
        _ = try wait(for: "back")
        camera.send(SIGSTOP)
        _ = try wait(for: "lost")
        // The change usually takes a second, but the computer may be busy.
        #expect(ContinuousClock().measure { line.set(GST_STATE_NULL) } < .seconds(10))
        camera.send(SIGCONT)
        #expect(line.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("A wrong password and a missing stream are named", arguments: [false, true])
    func refused(_ isMissing: Bool) throws {
        let camera = try RTSPCamera(port: port, isMissing ? "--size=160x120" : "--password=other")
        if isMissing { try line.element("camera").set("uri", "rtsp://127.0.0.1:\(port)/nothing") }
        try line.play()
        #expect(try wait(for: "lost").contains("reason=(string)\(isMissing ? "not-found" : "unauthorized")"))
        withExtendedLifetime(camera) {}
    }

    @Test("The password can come from a file")
    func password() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("password")
        try Data("hush\n".utf8).write(to: URL(fileURLWithPath: path))
        let camera = try RTSPCamera(port: port, "--password=hush")
        let element = try line.element("camera")
        element.set("uri", "rtsp://user@127.0.0.1:\(port)/camera")
        element.set("password-file", path)
        try line.play()
        #expect(try line.pull()?.frame.width == 320)
        withExtendedLifetime(camera) {}
    }
}
