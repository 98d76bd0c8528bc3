// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

/// Collects a person's faces: from one tracked face, not too often, and only those that show something new.
struct SampleCollector: Sendable {
    let name: String
    /// True if the person is to be trained at the end.
    let trains: Bool
    private(set) var count = 0
    /// The face's number; 0 if the detector has no numbers.
    private(set) var track: Int32?
    private var last: ClockTime?

    init(_ name: String, trains: Bool) {
        self.name = name
        self.trains = trains
    }

    /// Chooses the face to collect from: the one before, if it is still there, else the largest.
    /// - Parameter faces: the largest first.
    mutating func choose(among faces: [Detection]) -> Detection? {
        if let track, let same = faces.first(where: { $0.id == track }) { return same }
        track = faces.first?.id
        return faces.first
    }

    /// Returns whether a face is taken.
    /// - Parameters:
    ///   - known: the faces of the same person.
    ///   - time: the frame's.
    mutating func takes(
        _ face: FaceSample, known: [FaceSample], at time: ClockTime?, _ settings: FaceRecognize.Settings
    ) -> Bool {
        // After a seek, time may have gone back.
        if let last, let passed = time?.since(last), passed < settings.collectInterval { return false }
        guard !known.contains(face),
            known.allSatisfy({ $0.difference(from: face) >= settings.collectDifference })
        else { return false }
        last = time
        count += 1
        return true
    }
}
