import ElementKit
import Vision

/// What is known of each blob that is followed. Belongs to the streaming thread.
struct Naming {
    private struct Entry {
        var votes = BlobVotes()
        var lastLook: Int?
        var lastSeen: Int
    }

    private var entries: [Int32: Entry] = [:]
    private var term: UInt64 = 0

    /// Blobs that have not been seen for so many frames are forgotten.
    private static let patience = 60

    mutating func reset() { entries = [:] }

    /// Takes notice of a frame's blobs.
    /// - Parameter term: see `School`.
    mutating func see(_ blobs: [Detection], frame: Int, term: UInt64) {
        if term != self.term { reset() }
        self.term = term
        for blob in blobs { entries[blob.id, default: Entry(lastSeen: frame)].lastSeen = frame }
        entries = entries.filter { frame - $0.value.lastSeen <= Self.patience }
    }

    /// The blobs that should be looked at: all that never were, and of the others those that are due, the ones that have
    /// waited longest first.
    func due(_ blobs: [Detection], frame: Int, every interval: Int) -> (new: [Detection], again: [Detection]) {
        var new: [Detection] = []
        var again: [(blob: Detection, since: Int)] = []
        for blob in blobs {
            guard let last = entries[blob.id]?.lastLook else {
                new.append(blob)
                continue
            }
            if frame - last >= interval { again.append((blob, last)) }
        }
        return (new, again.sorted { $0.since < $1.since }.map(\.blob))
    }

    /// - Parameter look: nil where nothing is known that it could be.
    mutating func add(_ look: School.Look?, of id: Int32, frame: Int) {
        entries[id]?.lastLook = frame
        if let look, look.term == term { entries[id]?.votes.add(look.distances) }
    }

    /// What a blob is taken for; nil until it was looked at.
    func answer(for id: Int32, _ settings: ClassifierSettings, labels: [String]) -> BlobAnswer? {
        guard let votes = entries[id]?.votes, votes.count > 0 else { return nil }
        return votes.distances.answer(settings, labels: labels)
    }
}
