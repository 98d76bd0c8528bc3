// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport
import Testing
import Web

@Suite("Uploads: the room for all of them together")
struct UploadQuotaTests {
    private func stand() throws -> Stand { try Stand { ($0.limits.upload, $0.limits.uploads) = (1000, 1500) } }

    /// Starts an upload, and sends the first `part` bytes.
    /// - Parameter size: announced size. Nil if the upload is sent in chunks.
    private func begin(_ name: String, _ size: Int?, sending part: Int, on stand: Stand) throws -> WebClient {
        let client = try stand.client()
        let length = size.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked"
        client.send("PUT /uploads/\(name)?key=k HTTP/1.1\r\nHost: localhost\r\n\(length)\r\n\r\n")
        if size == nil { sendChunk(part, on: client) } else { client.send(bytes(part)) }
        return client
    }

    private func sendChunk(_ count: Int, on client: WebClient) {
        if count > 0 { client.send(Array("\(String(count, radix: 16))\r\n".utf8) + bytes(count) + Array("\r\n".utf8)) }
    }

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    private func status(of name: String, _ size: Int, on stand: Stand) throws -> Int {
        try stand.client().ask("/uploads/\(name)?key=k", method: "PUT", body: bytes(size)).status
    }

    /// Returns the total size of all files in the folder, including uploads in progress. Waits until the sizes no
    /// longer change.
    private func used(by stand: Stand) -> Int {
        func scan() -> [String: Int] {
            var sizes: [String: Int] = [:]
            for name in stand.uploads {
                var status = stat()
                if lstat("\(stand.folder)/uploads/\(name)", &status) == 0 { sizes[name] = Int(status.st_size) }
            }
            return sizes
        }
        var last = scan()
        _ = eventually {
            defer { last = scan() }
            return last == scan()
        }
        return last.values.reduce(0, +)
    }

    @Test("An upload in progress counts with the size that it announces, until it is aborted")
    func announced() throws {
        let stand = try stand()
        do {
            let first = try begin("a", 1000, sending: 1, on: stand)
            #expect(eventually { stand.uploads.count == 1 })
            let refusal = try stand.client().ask("/uploads/b?key=k", method: "PUT", body: bytes(501))
            #expect(refusal.status == 507 && refusal.text.contains("no room"))
            #expect(try status(of: "b", 500, on: stand) == 201)
            withExtendedLifetime(first) {}
        }
        #expect(eventually { stand.uploads == ["b"] })
        #expect(try eventually { try status(of: "a", 1000, on: stand) == 201 })
        #expect(try status(of: "c", 1, on: stand) == 507)
        #expect(try status(of: "d", 0, on: stand) == 201)
    }

    @Test("An upload that announces no size counts with the bytes that arrived")
    func chunked() throws {
        let stand = try stand()
        let first = try begin("a", nil, sending: 900, on: stand)
        #expect(eventually { used(by: stand) == 900 })
        #expect(try status(of: "b", 601, on: stand) == 507)
        let second = try begin("c", nil, sending: 600, on: stand)
        #expect(eventually { used(by: stand) == 1500 })
        sendChunk(1, on: second)
        #expect(try second.response().status == 507)
        #expect(second.isClosed())
        sendChunk(100, on: first)
        first.send("0\r\n\r\n")
        #expect(try first.response().status == 201)
        #expect(try status(of: "d", 500, on: stand) == 201)
        #expect(stand.uploads == ["a", "d"])
    }

    @Test("Files that are deleted or replaced in the folder give their room back; an upload of the same name does not")
    func deleted() throws {
        let stand = try stand()
        let folder = stand.folder + "/uploads"
        for _ in 0..<3 { #expect(try status(of: "a.png", 500, on: stand) == 201) }
        #expect(stand.uploads == ["a-2.png", "a-3.png", "a.png"])
        #expect(try status(of: "a.png", 1, on: stand) == 507)
        try FileManager.default.removeItem(atPath: folder + "/a.png")
        #expect(try status(of: "b", 501, on: stand) == 507)
        #expect(try status(of: "b", 500, on: stand) == 201)
        // Replace an upload by another file of this computer.
        try Data(bytes(5000)).write(to: URL(fileURLWithPath: folder + "/other"))
        #expect(rename(folder + "/other", folder + "/a-2.png") == 0)
        #expect(try status(of: "c", 501, on: stand) == 507)
        let late = try begin("c", nil, sending: 500, on: stand)
        late.send("0\r\n\r\n")
        #expect(try late.response().status == 201)
    }

    @Test("The number of files has a limit, too")
    func count() throws {
        let stand = try Stand { $0.limits.uploadCount = 3 }
        for name in ["a", "b"] { #expect(try status(of: name, 0, on: stand) == 201) }
        do {
            let third = try begin("c", 5, sending: 1, on: stand)
            #expect(eventually { stand.uploads.count == 3 })
            #expect(try status(of: "d", 0, on: stand) == 507)
            withExtendedLifetime(third) {}
        }
        #expect(try eventually { try status(of: "d", 0, on: stand) == 201 })
        #expect(try status(of: "e", 0, on: stand) == 507)
    }

    @Test("Uploads of random sizes at the same time stay below the limit; after aborts and deletions all of it is free")
    func race() throws {
        let (limit, maximum) = (100_000, 40_000)
        let stand = try Stand { ($0.limits.upload, $0.limits.uploads) = (maximum, limit) }
        var random = Random(seed: 23)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        var accepted = 0
        for round in 0..<25 {
            let uploads = try (0..<8).map { index in
                let size = number(0...maximum)
                let part = number(0...size)
                let isChunked = index % 2 == 0
                let client = try begin("\(index)", isChunked ? nil : size, sending: part, on: stand)
                return (client: client, rest: size - part, isChunked: isChunked, isAborted: number(0...2) == 0)
            }
            #expect(used(by: stand) <= limit, "\(round)")
            for upload in uploads where !upload.isAborted {
                if upload.isChunked {
                    sendChunk(upload.rest, on: upload.client)
                    upload.client.send("0\r\n\r\n")
                } else {
                    upload.client.send(bytes(upload.rest))
                }
            }
            for upload in uploads where !upload.isAborted {
                // If an upload is refused while the client still sends, the answer may be lost.
                let status = (try? upload.client.response())?.status ?? 507
                #expect([201, 507].contains(status), "\(round)")
                if status == 201 { accepted += 1 }
            }
            #expect(used(by: stand) <= limit, "\(round)")
            for name in stand.uploads where !name.hasPrefix(".") {
                try FileManager.default.removeItem(atPath: "\(stand.folder)/uploads/\(name)")
            }
        }
        #expect(accepted > 25)
        #expect(eventually { stand.uploads.isEmpty })
        for size in [maximum, maximum, limit - 2 * maximum] {
            #expect(try eventually { try status(of: "all", size, on: stand) == 201 })
        }
        #expect(try status(of: "more", 1, on: stand) == 507)
    }
}
