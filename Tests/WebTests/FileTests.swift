// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import TestSupport
import Testing
import Web

/// Tests of uploads and downloads.
@Suite struct FileTests {
    @Test func uploadsGetTheirNames() throws {
        let stand = try Stand()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let first = try stand.client().ask("/uploads/photo.jpg?key=k", method: "PUT", body: bytes)
        #expect(first.status == 201 && first.text == "{\"name\":\"photo.jpg\",\"bytes\":100000}")
        // An upload does not replace a file.
        let second = try stand.client().ask("/uploads/photo.jpg?key=k", method: "PUT", body: [1])
        #expect(second.text == "{\"name\":\"photo-2.jpg\",\"bytes\":1}")
        #expect(try stand.client().ask("/uploads/M%C3%BCnze%201?key=k", method: "PUT", body: []).status == 201)
        #expect(stand.uploads == ["Münze 1", "photo-2.jpg", "photo.jpg"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: stand.folder + "/uploads/photo.jpg")) == Data(bytes))
        #expect(stand.delegate.uploads.withLock { $0 } == ["photo.jpg", "photo-2.jpg", "Münze 1"])
    }

    @Test(arguments: [".hidden", "-x", String(repeating: "a", count: 201), "a\u{202E}gpj.exe"])
    func uploadsOfOtherNamesAreRefused(_ name: String) throws {
        let stand = try Stand()
        let encoded = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let response = try stand.client().ask("/uploads/\(encoded)?key=k", method: "PUT", body: [1, 2])
        #expect(response.status == 400 && response.text.hasPrefix("{\"reason\":"))
        #expect(stand.uploads.isEmpty)
    }

    @Test func uploadsInPieces() throws {
        let stand = try Stand()
        let client = try stand.client()
        client.send(
            "PUT /uploads/a?key=k HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
        )
        #expect(try client.response().status == 100)
        client.send("3\r\nabc\r\n")
        client.send("2\r\nde\r\n0\r\n\r\n")
        #expect(try client.response().text == "{\"name\":\"a\",\"bytes\":5}")
        #expect(try client.ask("/app.js?key=k").status == 200)
    }

    @Test func uploadsHaveLimits() throws {
        let stand = try Stand { ($0.limits.upload, $0.limits.uploads) = (1000, 1500) }
        let large = [UInt8](repeating: 0, count: 1001)
        #expect(try stand.client().ask("/uploads/a?key=k", method: "PUT", body: large).status == 413)
        let client = try stand.client()
        client.send("PUT /uploads/a?key=k HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n")
        client.send(large)
        #expect(try client.response().status == 413)
        #expect(client.isClosed())
        #expect(try stand.client().ask("/uploads/a?key=k", method: "PUT", body: Array(large[..<1000])).status == 201)
        #expect(try stand.client().ask("/uploads/b?key=k", method: "PUT", body: Array(large[..<600])).status == 507)
        #expect(eventually { stand.uploads == ["a"] })
        let none = try Stand { $0 = Stand.configuration(uploads: nil) }
        #expect(try none.client().ask("/uploads/a?key=k", method: "PUT", body: [1]).status == 403)
    }

    @Test func anUploadThatEndsEarlyLeavesNothing() throws {
        let stand = try Stand()
        do {
            let client = try stand.client()
            client.send("PUT /uploads/a?key=k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc")
            #expect(eventually { stand.uploads.count == 1 })
        }
        #expect(eventually { stand.uploads.isEmpty })
    }

    @Test("An uploaded image can be read, but no other file, no link, and no hidden file")
    func uploadedImages() throws {
        let stand = try Stand()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 5 >> 2) }
        func status(_ name: String) throws -> Int { try stand.client().ask("/uploads/\(name)?key=k").status }
        let others = ["page.html", "drawing.svg", "photo", "png", "e.png."]
        for name in ["my%20photo.JPG", "b.jpe", "c.jfif", "d.avif"] + others {
            let upload = try stand.client().ask("/uploads/\(name)?key=k", method: "PUT", body: bytes)
            #expect(upload.status == 201, "\(name)")
        }
        let image = try stand.client().ask("/uploads/my%20photo.JPG?key=k")
        #expect(image.status == 200 && image.body == bytes)
        #expect(image.headers["content-type"] == "image/jpeg" && image.headers["x-content-type-options"] == "nosniff")
        #expect(image.headers["content-disposition"]?.hasPrefix("attachment") == true)
        #expect(image.headers["cache-control"] == "no-store")
        let head = try stand.client().ask("/uploads/my%20photo.JPG?key=k", method: "HEAD")
        #expect(head.status == 200 && head.headers["content-length"] == "300000")
        for (name, type) in [("b.jpe", "image/jpeg"), ("c.jfif", "image/jpeg"), ("d.avif", "image/avif")] {
            #expect(try stand.client().ask("/uploads/\(name)?key=k").headers["content-type"] == type, "\(name)")
        }
        // Types that can contain scripts, and names without an extension, are not returned.
        for name in others + ["none.png", "..%2fsecret.png"] {
            #expect(try status(name) == 404, "\(name)")
        }
        #expect(try stand.client().ask("/uploads/my%20photo.JPG").status == 403)
        let none = try Stand { $0 = Stand.configuration(uploads: nil) }
        #expect(try none.client().ask("/uploads/a.png?key=k").status == 404)
    }

    @Test("Other images in the folder for uploads cannot be read, except images that the delegate allows")
    func otherImages() throws {
        let stand = try Stand()
        let folder = stand.folder + "/uploads"
        func write(_ path: String) throws { try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path)) }
        func status(_ name: String) throws -> Int { try stand.client().ask("/uploads/\(name)?key=k").status }
        for path in ["\(folder)/a.png", "\(folder)/.hidden.png", stand.folder + "/secret.png"] { try write(path) }
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/link.png", withDestinationPath: stand.folder + "/secret.png")
        let names = ["a.png", ".hidden.png", "link.png", "..%2fsecret.png"]
        for name in names { #expect(try status(name) == 404, "\(name)") }
        stand.delegate.partners.withLock {
            $0 = ["\(folder)/a.png", "\(folder)/.hidden.png", "\(folder)/link.png", stand.folder + "/secret.png"]
        }
        #expect(try names.map(status) == [200, 404, 404, 404])
        // If another program replaces an upload, the new file is not an upload.
        let upload = try stand.client().ask("/uploads/b.png?key=k", method: "PUT", body: [1, 2, 3])
        #expect(upload.status == 201)
        #expect(try status("b.png") == 200)
        try write("\(folder)/new")
        #expect(rename("\(folder)/new", "\(folder)/b.png") == 0)
        #expect(try status("b.png") == 404)
        // The uploads of an earlier server are not uploads of this server.
        let again = try Stand { $0 = Stand.configuration(uploads: folder) }
        let kept = try stand.client().ask("/uploads/c.png?key=k", method: "PUT", body: [1])
        #expect(kept.status == 201)
        #expect(try again.client().ask("/uploads/c.png?key=k").status == 404)
    }

    @Test(arguments: [
        ("bytes=0-0", 206, 0..<1), ("bytes=10-19", 206, 10..<20), ("bytes=599990-", 206, 599_990..<600_000),
        ("bytes=-5", 206, 599_995..<600_000), ("bytes=599999-700000", 206, 599_999..<600_000),
        ("bytes=-700000", 206, 0..<600_000), ("bytes=600000-", 416, 0..<0), ("bytes=-0", 416, 0..<0),
        ("bytes=5-4", 200, 0..<600_000), ("bytes=0-1,3-4", 200, 0..<600_000), ("lines=1-2", 200, 0..<600_000),
        ("bytes=a-b", 200, 0..<600_000), ("bytes=", 200, 0..<600_000), ("bytes=--1", 200, 0..<600_000),
        ("bytes=99999999999999999999-", 200, 0..<600_000), ("bytes=0-9223372036854775807", 206, 0..<600_000),
    ])
    func partsOfRecordings(_ range: String, _ status: Int, _ part: Range<Int>) throws {
        let stand = try Stand()
        let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }
        let path = stand.folder + "/r.mp4"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        stand.delegate.recordings.withLock { $0["r.mp4"] = path }
        let response = try stand.client().ask("/recordings/r.mp4?key=k", ["Range: \(range)"])
        #expect(response.status == status)
        #expect(response.body == Array(bytes[part]))
        #expect(response.headers["content-type"] == "video/mp4" && response.headers["accept-ranges"] == "bytes")
        switch status {
        case 206: #expect(response.headers["content-range"] == "bytes \(part.lowerBound)-\(part.upperBound - 1)/600000")
        case 416: #expect(response.headers["content-range"] == "bytes */600000")
        default: #expect(response.headers["content-range"] == nil)
        }
        let stale = try stand.client().ask("/recordings/r.mp4?key=k", ["Range: \(range)", "If-Range: \"old\""])
        #expect(stale.status == 200)
    }

    @Test func recordingsThatAreNotThere() throws {
        let stand = try Stand()
        stand.delegate.recordings.withLock {
            ($0["gone.mp4"], $0["link.mp4"]) = ("/nonexistent", stand.folder + "/link")
        }
        try FileManager.default.createSymbolicLink(atPath: stand.folder + "/link", withDestinationPath: "/etc/passwd")
        for name in ["gone.mp4", "link.mp4", "other.mp4"] {
            #expect(try stand.client().ask("/recordings/\(name)?key=k").status == 404)
        }
    }
}
