// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// Knowledge about each tracked blob. Belongs to the streaming thread.
struct TrackLabels {
    /// Identity of a blob: its number, or its place if other vendors' elements give none.
    struct Key: Hashable, Sendable {
        let id: Int32
        let box: Rectangle?

        init(_ blob: Detection) {
            id = blob.id
            box = blob.id == 0 ? blob.box : nil
        }
    }

    fileprivate struct Entry {
        var votes = BlobVotes()
        /// The last answer: it remains valid while the blob waits for another look.
        var answer: BlobAnswer?
        var lastLook: Int?
    }

    private var entries = PerTrack<Key, Entry>()
    private var generation: UInt64 = 0

    /// The number of frames after which a blob that was not seen is forgotten.
    private static let patience = 60

    mutating func reset() { entries = PerTrack() }

    /// Takes note of a frame's blobs.
    mutating func see(_ blobs: [Detection], frame: Int, _ knowledge: ClassifierStore.Knowledge) {
        if knowledge.generation != generation {
            generation = knowledge.generation
            entries.changeAll { $0.forgetLooks(knowledge.labels) }
        }
        for blob in blobs { entries.use(Key(blob), at: frame, default: Entry()) { _ in } }
        entries.forget(before: frame - Self.patience)
    }

    /// Returns the blobs that should be looked at: all that never were, and of the others those that are due, the
    /// longest waiting first.
    func due(_ blobs: [Detection], frame: Int, every interval: Int) -> (new: [Detection], again: [Detection]) {
        var new: [Detection] = []
        var again: [(blob: Detection, since: Int)] = []
        for blob in blobs {
            guard let last = entries[Key(blob)]?.lastLook else {
                new.append(blob)
                continue
            }
            if frame - last >= interval { again.append((blob, last)) }
        }
        return (new, again.sorted { $0.since < $1.since }.map(\.blob))
    }

    mutating func add(_ look: ClassifierStore.Comparison, of key: Key, frame: Int) {
        guard look.generation == generation, entries[key] != nil else { return }
        entries[key]?.lastLook = frame
        if let distances = look.distances {
            entries[key]?.votes.add(distances)
        } else {
            entries[key]?.answer = nil
        }
    }

    /// Returns what a blob is taken for; nil until it was looked at, and while nothing is known.
    mutating func answer(for blob: Detection, _ settings: ClassifierSettings, labels: [String]) -> BlobAnswer? {
        let key = Key(blob)
        guard let votes = entries[key]?.votes, votes.count > 0 else { return entries[key]?.answer }
        let answer = votes.distances.answer(settings, labels: labels)
        entries[key]?.answer = answer
        return answer
    }
}

extension TrackLabels.Entry {
    /// Discards the looks, since what is known has changed. The answer stays as long as its label exists.
    fileprivate mutating func forgetLooks(_ labels: [String]) {
        votes = BlobVotes()
        lastLook = nil
        guard var answer, let label = labels.firstIndex(of: answer.name) else {
            self.answer = nil
            return
        }
        answer.label = label
        self.answer = answer
    }
}
