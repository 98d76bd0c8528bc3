// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Testing

@testable import Waiting

@Suite("Waiting for a file descriptor")
struct DescriptorWaitingTests {
    private final class FullPipe: Sendable {
        let output: Int32
        let input: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            (output, input) = (ends[0], ends[1])
            _ = fcntl(input, F_SETFL, O_NONBLOCK)
            let bytes = [UInt8](repeating: 0, count: 4096)
            while write(input, bytes, bytes.count) > 0 {}
        }

        deinit {
            close(output)
            close(input)
        }

        func empty() {
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            _ = read(output, &bytes, bytes.count)
        }
    }

    @Test("A wait ends when the reader has read")
    func ready() throws {
        let (pipe, interruption) = (try FullPipe(), Interruption())
        let answer = InThread { waitToWrite(to: pipe.input, unless: interruption) }
        try interruption.untilSomebodyWaits()
        pipe.empty()
        #expect(try answer.value())
    }

    @Test("An interruption ends a wait, and a descriptor that is ready is ready all the same")
    func interruption() throws {
        let (pipe, interruption) = (try FullPipe(), Interruption())
        let answer = InThread { waitToWrite(to: pipe.input, unless: interruption) }
        try interruption.untilSomebodyWaits()
        interruption.set(.stop)
        #expect(try !answer.value())
        #expect(!waitToWrite(to: pipe.input, unless: interruption))
        pipe.empty()
        #expect(waitToWrite(to: pipe.input, unless: interruption))
    }

    @Test("A wait ends at its deadline")
    func deadline() throws {
        let pipe = try FullPipe()
        let deadline = Deadline.after(milliseconds: 20)
        #expect(!waitToWrite(to: pipe.input, until: deadline))
        #expect(deadline.hasPassed)
    }
}
