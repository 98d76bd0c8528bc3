// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport
import Testing

@testable import ElementKit
@testable import Elements

@Suite("The clips of svevents")
struct EventsDeskTests {
    @Test("A group of frames that is larger than max-memory is a warning for the snapshot")
    func largeGroup() throws {
        let stream = try DeskStream(postRoll: 3000, maxMemory: 1000, snapshots: true)
        // The second frame makes the group too large, so the memory is empty when the snapshot is due.
        try stream.video(0, bytes: 600)
        stream.event(0)
        for time: Int64 in [100, 200, 300] { try stream.video(time, isKey: false, bytes: 600) }
        let reports = try stream.finish()
        #expect(reports.problems.contains { $0.contains("max-memory is too small") }, "\(reports.problems)")
        #expect(!stream.folder.names.contains("clip.jpg"))
    }

    @Test("Extreme timestamps do not stop the program")
    func extremeTimes() throws {
        let stream = try DeskStream()
        let caps = "video/x-vp8,width=64,height=64,framerate=10/1"
        for time in [0, UInt64(Int64.max), 5, UInt64.max - 1, UInt64(Int64.max) + 1, 1 << 62, 0] {
            let packet = try DeskStream.packet(time, caps)
            #expect(try #require(packet.time) <= StreamPacket.maxTime)
            stream.run { desk in
                desk.add(packet)
                desk.addSound(packet)
                desk.take(ClipEvent(match: TriggerRule.Match(label: "cat"), time: packet.time ?? 0))
            }
            let moved = packet.moved(to: .min)
            #expect(moved.time == -StreamPacket.maxTime)
            stream.run { $0.add(moved) }
        }
        #expect(try stream.finish().finished.isEmpty == false)
    }
}
