// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// An entry of a spool file. The entry consists of the kind, the payload size in bytes, a message number, the
/// checksum and the payload. Integers have native byte order.
enum SpoolEntry {
    enum Kind: UInt32 {
        case message = 0x3151_5653  // SVQ1
        /// An entry without a payload. All messages up to the number in the entry are done (see `Spool`).
        case done = 0x3144_5653  // SVD1
    }

    static let headSize = 24
    /// The maximum payload size (256 MB). The reader rejects an entry with a larger payload.
    static let largestPayload = 1 << 28

    static func bytes(_ kind: Kind, _ number: UInt64, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headSize + payload.count)
        withUnsafeBytes(of: kind.rawValue) { bytes += $0 }
        withUnsafeBytes(of: UInt32(clamping: payload.count)) { bytes += $0 }
        withUnsafeBytes(of: number) { bytes += $0 }
        let sum = bytes.withUnsafeBytes { head in
            payload.withUnsafeBytes { checksum($0[...], after: checksum(head[...])) }
        }
        withUnsafeBytes(of: sum) { bytes += $0 }
        bytes += payload
        return bytes
    }

    /// Returns the 64-bit FNV-1a hash of `bytes`. `sum` is the hash of the bytes before `bytes`.
    static func checksum(_ bytes: Slice<UnsafeRawBufferPointer>, after sum: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
        bytes.reduce(sum) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

struct SpoolContent {
    /// The messages that are not done (see `Spool`), in order.
    var records: [Record] = []
    /// `last`: the last message number. `doneThrough`: all messages up to this number are done (see `Spool`).
    var last: UInt64 = 0
    var doneThrough: UInt64 = 0
    /// The offset at which the last entry ends, in bytes.
    var end: off_t = 0
    var damaged = 0
    var isCutOff = false
    /// True if a message number is not greater than the number of the message before. For example, the file may consist
    /// of two files that a user has concatenated.
    var isUnordered = false

    var hasToBeRewritten: Bool { damaged > 0 || isUnordered }

    fileprivate mutating func add(_ kind: SpoolEntry.Kind, _ number: UInt64, _ payload: [UInt8]) {
        switch kind {
        case .done:
            let count = records[first...].prefix { $0.number <= number }.count
            first += count
            if first * 2 > records.count {
                records.removeFirst(first)
                first = 0
            }
            doneThrough = max(doneThrough, number)
        case .message:
            if number <= lastMessage {
                isUnordered = true
                earlier += records[first...]
                (records, first) = ([], 0)
            }
            lastMessage = number
            records.append(Record(number: number, payload: payload))
        }
        last = max(last, number)
    }

    fileprivate mutating func finish() {
        records = earlier + records[first...]
        guard isUnordered else { return }
        records = zip(1..., records).map { Record(number: $0, payload: $1.payload) }
        (last, doneThrough) = (0, 0)
    }

    /// The index of the first message in `records` that is not done (see `Spool`).
    private var first = 0
    /// In an unordered file, the messages that are not done and come before the last place where the message numbers do
    /// not increase.
    private var earlier: [Record] = []
    private var lastMessage: UInt64 = 0
}

/// Reads a spool file. Each entry has a checksum, so the reader can find the next valid entry after a damaged entry.
struct SpoolReader {
    private let file: Int32
    private let size: off_t
    /// The number of bytes that the reader may still read in invalid entries. This limits the time for reading a
    /// damaged file.
    private var budget: Int

    /// If the beginning of a file is damaged, the reader searches for a valid entry only up to this offset (16 MB).
    private static let headSearch: off_t = 1 << 24

    init(_ file: Int32) {
        var status = stat()
        self.file = file
        size = fstat(file, &status) == 0 ? status.st_size : 0
        budget = max(1 << 24, 8 * Int(clamping: min(size, 1 << 40)))
    }

    /// Returns the content of the spool file. Returns nil if the file is not a spool file.
    mutating func read() -> SpoolContent? {
        var content = SpoolContent()
        var offset = off_t(0)
        if size > 0, kind(at: 0) == nil {
            guard let next = search(from: 0, to: min(size, Self.headSearch), &content.damaged) else { return nil }
            content.damaged += 1
            offset = next
        }
        while offset < size {
            if let (kind, number, payload) = entry(at: offset) {
                content.add(kind, number, payload)
                offset += off_t(SpoolEntry.headSize + payload.count)
                content.end = offset
                continue
            }
            var damaged = 1
            guard let next = search(from: offset + 1, to: size, &damaged) else {
                if damaged == 1, isCutOff(at: offset) {
                    content.isCutOff = true
                } else {
                    content.damaged += damaged
                }
                break
            }
            content.damaged += damaged
            offset = next
        }
        content.finish()
        return content
    }

    /// Returns the offset of the next valid entry. Adds the number of skipped invalid entries to `damaged`.
    private mutating func search(from start: off_t, to end: off_t, _ damaged: inout Int) -> off_t? {
        var window = [UInt8](repeating: 0, count: 1 << 16)
        var base = start
        while base < end, budget > 0 {
            let count = pread(file, &window, min(window.count, Int(clamping: end - base)), base)
            guard count >= 4 else { return nil }
            for offset in 0...(count - 4)
            where window[offset] == UInt8(ascii: "S") && window[offset + 1] == UInt8(ascii: "V") {
                let candidate = base + off_t(offset)
                guard kind(at: candidate) != nil else { continue }
                if entry(at: candidate) != nil { return candidate }
                damaged += 1
                guard budget > 0 else { return nil }
            }
            // Consecutive windows of the file overlap by three bytes, because the four-byte kind of an entry may begin
            // in the last three bytes of a window.
            base += off_t(count - 3)
        }
        return nil
    }

    private func kind(at offset: off_t) -> SpoolEntry.Kind? {
        var word: UInt32 = 0
        guard pread(file, &word, 4, offset) == 4 else { return nil }
        return SpoolEntry.Kind(rawValue: word)
    }

    /// True if the file ends within the entry at `offset`.
    private func isCutOff(at offset: off_t) -> Bool {
        guard size - offset >= SpoolEntry.headSize else { return kind(at: offset) != nil || size - offset < 4 }
        var words: (UInt32, UInt32) = (0, 0)
        guard pread(file, &words, 8, offset) == 8, SpoolEntry.Kind(rawValue: words.0) != nil else { return false }
        return off_t(words.1) > size - offset - off_t(SpoolEntry.headSize)
    }

    /// Returns the entry at `offset`. Returns nil if the entry is incomplete or damaged.
    private mutating func entry(at offset: off_t) -> (SpoolEntry.Kind, UInt64, [UInt8])? {
        let headSize = SpoolEntry.headSize
        guard size - offset >= headSize else { return nil }
        var head = [UInt8](repeating: 0, count: headSize)
        guard pread(file, &head, headSize, offset) == headSize else { return nil }
        let (kind, count, number, sum) = head.withUnsafeBytes { head in
            (
                SpoolEntry.Kind(rawValue: head.loadUnaligned(as: UInt32.self)),
                Int(head.loadUnaligned(fromByteOffset: 4, as: UInt32.self)),
                head.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                head.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
            )
        }
        guard let kind, number > 0, number < 1 << 62, count <= SpoolEntry.largestPayload,
            kind == .message || count == 0,
            off_t(count) <= size - offset - off_t(headSize)
        else { return nil }
        var payload = [UInt8](repeating: 0, count: count)
        guard pread(file, &payload, count, offset + off_t(headSize)) == count else { return nil }
        let check = head.withUnsafeBytes { head in
            payload.withUnsafeBytes { SpoolEntry.checksum($0[...], after: SpoolEntry.checksum(head[..<16])) }
        }
        guard check == sum else {
            budget -= headSize + count
            return nil
        }
        return (kind, number, payload)
    }
}
