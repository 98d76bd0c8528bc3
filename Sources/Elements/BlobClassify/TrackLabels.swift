// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// For each tracked blob, the results of comparisons with the training images, and the answer of the classifier. Only
/// the streaming thread uses this type.
struct TrackLabels {
    /// The key of a blob: the track ID, or the box if the track ID is 0. Some elements of other vendors give blobs the
    /// ID 0.
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
        /// The last answer of the classifier for the blob. The answer stays valid until the next comparison with the
        /// training images.
        var answer: BlobAnswer?
        var lastLook: Int?
        /// True if the box in the last frame was an estimate, because the object formed one blob with other objects.
        var wasEstimate = false
    }

    private var entries = PerTrack<Key, Entry>()
    private var generation: UInt64 = 0

    /// If a blob is not visible for this number of frames, its earlier comparisons with the training images are
    /// discarded.
    private static let patience = 60

    mutating func reset() { entries = PerTrack() }

    /// Records the blobs of a frame. If the classifier has changed, discards the earlier comparisons with the training
    /// images.
    mutating func see(_ blobs: [Detection], frame: Int, _ knowledge: ClassifierStore.Knowledge) {
        if knowledge.generation != generation {
            generation = knowledge.generation
            entries.changeAll { $0.forgetLooks(knowledge.labels) }
        }
        for blob in blobs {
            entries.use(Key(blob), at: frame, default: Entry()) { entry in
                // While objects form one blob, the tracker can swap their IDs. After they separate, forget their
                // earlier names.
                if entry.wasEstimate, !blob.isEstimate { entry = Entry() }
                entry.wasEstimate = blob.isEstimate
            }
        }
        entries.forget(before: frame - Self.patience)
    }

    /// Returns the blobs to compare with the training images. `new`: blobs without a comparison. `again`: blobs whose
    /// last comparison is at least `interval` frames ago, the oldest comparison first.
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

    /// Returns the answer of the classifier for a blob; nil before the first comparison with the training images, or if
    /// there are no training images.
    mutating func answer(for blob: Detection, _ settings: ClassifierSettings, labels: [String]) -> BlobAnswer? {
        let key = Key(blob)
        guard let votes = entries[key]?.votes, votes.count > 0 else { return entries[key]?.answer }
        let answer = votes.distances.answer(settings, labels: labels)
        entries[key]?.answer = answer
        return answer
    }
}

extension TrackLabels.Entry {
    /// Discards the earlier comparisons with the training images, because the classifier has changed. Keeps the answer
    /// if the label of the answer still exists.
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
