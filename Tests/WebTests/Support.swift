// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import TestSupport
import Web

/// A server with two files, and a delegate that records its calls.
final class Stand {
    let server: WebServer
    let delegate: Delegate
    let folder: String

    final class Delegate: WebDelegate {
        let messages = Mutex<[String]>([])
        let uploads = Mutex<[String]>([])
        let wanted = Atomic(0)
        let recordings = Mutex<[String: String]>([:])

        let opened = Mutex<WebPage?>(nil)
        func opened(_ page: WebPage) {
            opened.withLock { $0 = page }
            page.send("{\"type\":\"hello\"}")
        }
        func closed(_ page: WebPage) {}
        func received(_ message: WebMessage, from page: WebPage) {
            messages.withLock { $0.append(message.type) }
            page.send("{\"type\":\"heard\"}")
        }
        func frameWanted() { wanted.add(1, ordering: .relaxed) }
        func secondPassed() {}
        func picture(_ answer: @escaping @Sendable (WebBytes?) -> Void) { answer(WebBytes(Array("PNG".utf8))) }
        /// False while the metrics are not available.
        let hasMetrics = Atomic(true)
        func metrics(_ reply: @escaping @Sendable (WebBytes?) -> Void) {
            reply(hasMetrics.load(ordering: .relaxed) ? WebBytes(Array("frames 1\n".utf8)) : nil)
        }
        func recording(named name: String) -> String? { recordings.withLock { $0[name] } }
        /// The paths of images that pages may read, although no page has uploaded the images.
        let partners = Mutex<Set<String>>([])
        func mayShow(image path: String, _ reply: @escaping @Sendable (Bool) -> Void) {
            reply(partners.withLock { $0.contains(path) })
        }
        func uploaded(_ file: UploadedFile) { uploads.withLock { $0.append(file.name) } }
    }

    init(_ change: (inout WebConfiguration) -> Void = { _ in }) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("web-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder + "/uploads", withIntermediateDirectories: true)
        var configuration = Self.configuration(uploads: folder + "/uploads")
        configuration.files = [file("index.html", "<!doctype html>"), file("app.js", "start()")]
        configuration.hosts = ["example.org"]
        change(&configuration)
        delegate = Delegate()
        server = try WebServer(configuration, delegate)
    }

    /// - Parameter secret: seed of the signature of sessions. The signature is weak, but sufficient for tests.
    static func configuration(key: String = "k", uploads: String?, secret: UInt64 = 1) -> WebConfiguration {
        WebConfiguration(key: key, uploads: uploads) { bytes in
            String(bytes.reduce(secret) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
        }
    }

    deinit {
        server.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    var port: Int { server.port }
    func client(patience: Int = 10) throws -> WebClient { try WebClient(server.port, patience: patience) }
    var uploads: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder + "/uploads")) ?? []).sorted()
    }

    /// Sends a frame with `bytes` bytes of image data to the pages.
    func send(_ number: UInt32, bytes: Int = 1000) {
        let jpeg = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes)
        jpeg.withUnsafeBytes {
            server.send(WebFrame(number: number, width: 4, height: 2, runningTime: 7, jpeg: $0))
        }
    }
}

private func file(_ name: String, _ text: String) -> WebFile {
    Array(text.utf8).withUnsafeBytes { WebFile(name, $0) }
}
