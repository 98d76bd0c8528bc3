// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// svpublish in processes that are killed.
@Suite struct PublishTests {
    private func size(_ path: String) -> Int { (try? Data(contentsOf: URL(fileURLWithPath: path)).count) ?? 0 }

    @Test func whatWasQueuedIsSentAfterAKill() throws {
        try Repository.requirePlugin()
        let folder = try ScratchFolder()
        let queue = folder.path("queue")
        let words = "svpublish queue-file=\(queue) when=every-frame"
        // A device that takes nothing stands for a broker that is away.
        let first = try Program([
            "bash", "-c",
            "exec gst-launch-1.0 -q --no-fault videotestsrc is-live=true ! video/x-raw,width=64,height=48,framerate=30/1"
                + " ! \(words) file-path=/dev/full ! fakesink",
        ])
        for _ in 0..<2500 where size(queue) < 3000 { usleep(10_000) }
        first.kill()
        #expect(first.wait().status == 128 + 9)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: queue))
        let kept = String(decoding: bytes, as: UTF8.self).components(separatedBy: "{\"resolution\"").count - 1
        #expect(kept > 10)

        let path = folder.path("out")
        try Program.launch(
            "videotestsrc num-buffers=1 ! video/x-raw,width=32,height=32 ! \(words) file-path=\(path) ! fakesink"
        ).expectSuccess("the second process")
        let lines = folder.text(of: "out").split(separator: "\n")
        let tables = try lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let widths = tables.map { ($0["resolution"] as? [String: Int])?["width"] }
        #expect(widths == Array(repeating: 64, count: kept) + [32])
        let times = tables.dropLast().compactMap { $0["timestamp"] as? Int }
        #expect(times.count == kept && times == times.sorted() && Set(times).count == kept)
        #expect(size(queue) == 0)
    }
}
