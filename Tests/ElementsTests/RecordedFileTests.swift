// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Foundation
import TestSupport
import Testing
import Waiting

@testable import Elements

@Suite("The file of a recording")
struct RecordedFileTests {
    private let folder: TemporaryFolder
    private let isOver = Monitor(false)
    private let file: RecordedFile

    init() throws {
        folder = try TemporaryFolder()
        let isOver = isOver
        file = RecordedFile(in: folder.path, "a", ending: "mp4") { isOver.change { $0 = true } }
    }

    private func add(_ text: String, at position: Int? = nil, second: UInt64? = nil, isPoint: Bool = false) {
        Array(text.utf8).withUnsafeBytes {
            file.add($0, at: position, time: second.map { $0 * .second }, isPoint: isPoint)
        }
    }

    private func waitForEnd() { isOver.wait { $0 } }

    private var text: String? { try? String(contentsOfFile: folder.file("a.mp4"), encoding: .utf8) }

    @Test("Bytes are written up to where the file may end, and not before")
    func points() {
        add("head")
        add("frame1", second: 7)
        add("index1", isPoint: true)
        #expect(eventually { text == "headframe1index1" })
        add("frame2", second: 9)
        #expect(file.coming == .zero)
        file.cut()
        waitForEnd()
        #expect(text == "headframe1index1")
        #expect(file.content.bytes == 16 && file.content.name == "a.mp4" && file.problem == nil)
    }

    @Test("Changes to what is written are made at the end, those to what waits at once")
    func changes() {
        add("head")
        add("frame1", second: 1)
        add("FRAME", at: 4)
        add("index1", at: 10, isPoint: true)
        #expect(eventually { text == "headFRAME1index1" })
        add("HEAD", at: 0)
        add("frame2", at: 16, second: 3)
        add("INDEX2", at: 22, isPoint: true)
        #expect(eventually { text == "headFRAME1index1frame2INDEX2" })
        file.finish()
        waitForEnd()
        #expect(text == "HEADFRAME1index1frame2INDEX2")
        #expect(file.content.span == 2 * .second)
    }

    @Test("A file that is cut keeps what it says about itself")
    func cut() {
        add("frame1", second: 1, isPoint: true)
        #expect(eventually { text == "frame1" })
        add("F", at: 0)
        file.cut()
        waitForEnd()
        #expect(text == "frame1")
    }

    @Test("Without a frame there is no file")
    func withoutFrames() {
        add("head", isPoint: true)
        file.finish()
        waitForEnd()
        #expect(folder.names.isEmpty)
    }

    @Test("A name that is taken gets a number")
    func takenName() throws {
        try Data([1]).write(to: URL(fileURLWithPath: folder.file("a.mp4")))
        add("frame1", second: 1, isPoint: true)
        file.finish()
        waitForEnd()
        #expect(folder.names == ["a-2.mp4", "a.mp4"] && file.content.name == "a-2.mp4")
    }

    @Test("A disk that fails is reported, and holds nobody up")
    func failure() {
        rmdir(folder.path)
        add("frame1", second: 1, isPoint: true)
        waitForEnd()
        #expect(file.problem != nil && file.content.bytes == 0)
        add("frame2", second: 2, isPoint: true)
    }
}
