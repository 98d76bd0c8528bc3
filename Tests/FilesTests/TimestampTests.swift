// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Foundation
import Glibc
import Testing

@Suite("Timestamps")
struct TimestampTests {
    // 21 November 2026, 22:45:07.08 UTC
    private let time = timespec(tv_sec: 1_795_301_107, tv_nsec: 80_999_999)

    @Test("The formats of UTC contain each part of the time with leading zeros")
    func universal() {
        #expect(timestamp(.rfc3339, of: time) == "2026-11-21T22:45:07.080Z")
        #expect(timestamp(.compact, of: time) == "20261121T224507Z")
        #expect(timestamp(.rfc3339, of: timespec()) == "1970-01-01T00:00:00.000Z")
    }

    @Test("The local format uses the time zone of the machine")
    func local() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyyMMdd-HHmmss"
        #expect(timestamp(.local, of: time) == formatter.string(from: Date(timeIntervalSince1970: 1_795_301_107)))
    }

    @Test("A year out of range gives an empty text")
    func invalid() {
        for format in [TimestampFormat.rfc3339, .compact, .local] {
            #expect(timestamp(format, of: timespec(tv_sec: .max, tv_nsec: 0)).isEmpty)
        }
    }
}
