// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// The decoded sound of an open file. Sound before the last output frame is removed.
struct ClipSoundStore: Sendable {
    private struct Entry: Sendable {
        let pass: Int
        /// The number of the first sample, counted from the beginning of the file.
        let start: Int
        let packet: SoundPacket

        var end: Int { start + packet.count }
    }

    private var entries: [Entry] = []
    /// The number of stored samples.
    private var count = 0
    /// The number of the pass (one playback of the file) that is being decoded.
    private var pass = 0
    /// True if all sound of this pass is decoded.
    private var isOver = false
    /// The number of the sample after the last decoded sample of the pass; nil before the first decoded sample.
    private var decoded: Int?
    /// True if the file has no sound.
    private var isAbsent: Bool
    /// True if svclip no longer waits for sound, because the file stores the sound too far behind its frames.
    private var hasGivenUp = false
    /// The maximum number of stored samples. `relieve` can double this number. The initial number is small, so that few
    /// passes of a short loop are decoded in advance.
    private var capacity = 3 * SoundPacket.rate / 4
    private static let largestCapacity = 24 * SoundPacket.rate
    /// True from the call of `rewind` until the event `flushed`. Sound that arrives in this time is outdated.
    private var isRewinding: Bool

    init(isAbsent: Bool = false, isRewinding: Bool = false) {
        (self.isAbsent, self.isRewinding) = (isAbsent, isRewinding)
    }

    /// False if the decoder must wait before it adds more sound.
    var hasRoom: Bool { count < capacity || isRewinding || isUnlimited }

    /// True if the capacity has exceeded its maximum, because the file stores the sound too far ahead of its frames.
    /// New sound then replaces the oldest sound.
    private var isUnlimited: Bool { capacity > Self.largestCapacity }

    /// Returns the number of the sample at a position in a file, or at a running time.
    static func number(_ time: ClockTime) -> Int { Int((time.seconds * Double(SoundPacket.rate)).rounded()) }

    /// Returns true if svclip need not wait for the sound before a position: the sound is decoded or does not exist, or
    /// svclip has stopped waiting for sound.
    func covers(_ position: ClockTime, ofPass wanted: Int) -> Bool {
        if isAbsent || hasGivenUp || pass > wanted { return true }
        return pass == wanted && (isOver || decoded.map { $0 >= Self.number(position) } ?? false)
    }

    /// Called while svclip waits for this file. If the decoder is blocked, increases the capacity or stops waiting for
    /// sound.
    /// - Parameters:
    ///   - needsSound: true if there is no room for more frames.
    ///   - time: the time of the last frame or sound from the decoder.
    /// - Returns: true after a change.
    mutating func relieve(needsSound: Bool, since time: ClockTime) -> Bool {
        let passed = ClockTime.now.since(time) ?? .zero
        let patience = capacity < Self.largestCapacity ? ClockTime(nanoseconds: 100_000_000) : .second
        if !hasRoom, passed >= patience {
            // The file stores more sound before the next frame than the capacity allows, so increase the capacity.
            capacity *= 2
        } else if needsSound, passed >= .second {
            hasGivenUp = true
        } else {
            return false
        }
        return true
    }

    /// Removes all sound, and ignores more sound until the event `flushed`.
    mutating func rewind() { self = ClipSoundStore(isAbsent: isAbsent, isRewinding: true) }

    mutating func take(_ event: ClipStream.SoundEvent) {
        switch event {
        case .flushed: self = ClipSoundStore(isAbsent: isAbsent, isRewinding: false)
        case .absent: isAbsent = true
        case _ where isRewinding: break
        case .packet(let packet): add(packet)
        case .gap(let end): decoded = max(decoded ?? 0, Self.number(end))
        case .segment:
            if isOver { (pass, isOver, decoded) = (pass + 1, false, nil) }
        case .passed: isOver = true
        }
    }

    private mutating func add(_ packet: SoundPacket) {
        var start = packet.position.map { Self.number($0) } ?? decoded ?? 0
        // Many containers round timestamps, so only a difference of more than 40 ms is a gap.
        if let decoded, abs(start - decoded) <= SoundPacket.rate / 25 { start = decoded }
        entries.append(Entry(pass: pass, start: start, packet: packet))
        decoded = start + packet.count
        count += packet.count
        while isUnlimited, count > capacity, let first = entries.first { remove(first) }
    }

    private mutating func remove(_ first: Entry) {
        entries.removeFirst()
        count -= first.packet.count
    }

    /// Removes the sound before a position, and the sound of earlier passes.
    mutating func forget(before position: ClockTime?, ofPass wanted: Int) {
        let sample = position.map { Self.number($0) } ?? 0
        while let first = entries.first, first.pass < wanted || first.pass == wanted && first.end <= sample {
            remove(first)
        }
    }

    /// Returns up to `length` samples. The packet is nil for silence.
    func part(ofPass wanted: Int, from sample: Int, length: Int) -> (packet: SoundPacket?, range: Range<Int>) {
        let entry = entries.first { $0.pass == wanted && $0.end > sample }
        guard let entry else { return (nil, 0..<length) }
        guard entry.start <= sample else { return (nil, 0..<min(length, entry.start - sample)) }
        let first = sample - entry.start
        return (entry.packet, first..<min(entry.packet.count, first + length))
    }
}
