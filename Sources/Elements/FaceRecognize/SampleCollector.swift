// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// Collects a person's faces: from one tracked face, not too often, and only those that show something new.
struct SampleCollector: Sendable {
    let name: String
    /// True if the person is to be trained at the end.
    let trains: Bool
    /// The faces taken so far.
    private var taken: [FaceSample] = []
    var count: Int { taken.count }
    /// The face's number; 0 if the detector has no numbers.
    private(set) var track: Int32?
    private var last: ClockTime?
    /// The place of the chosen face, as it was seen last; nil if any may be collected.
    private var place: Rectangle?
    /// True if a user has said whose face it is: one image of exactly this face is taken, now or never.
    let isConfirmation: Bool

    /// - Parameter face: the chosen one; nil for the largest.
    init(_ name: String, trains: Bool, of face: Detection? = nil) {
        self.name = name
        self.trains = trains
        (track, place) = (face?.id, face?.box)
        isConfirmation = false
    }

    /// Creates the collector for a name that a user has confirmed.
    init(_ name: String, confirmedOf track: Int32) {
        self.name = name
        self.track = track
        (trains, isConfirmation) = (true, true)
    }

    /// The number of faces to collect.
    func wanted(_ settings: FaceRecognize.Settings) -> Int { isConfirmation ? 1 : settings.collectCount }

    /// Chooses the face to collect from: the one before, if it is still there, else the largest; of a chosen face the one
    /// in its place, if there is one.
    /// - Parameter faces: the largest first.
    mutating func choose(among faces: [Detection]) -> Detection? {
        if isConfirmation { return faces.first { $0.id == track } }
        var face = faces.first { $0.id == track && ($0.id != 0 || place.map($0.box.overlaps) ?? true) }
        if let place {
            face = face ?? faces.first { $0.box.overlaps(place) }
            if let face { self.place = face.box }
        } else {
            face = face ?? faces.first
        }
        if let face { track = face.id } else if place == nil { track = nil }
        return face
    }

    /// Returns whether a face should be taken.
    /// - Parameters:
    ///   - known: known images of the same person, beside those taken here.
    ///   - time: the frame's `elapsed`.
    func wants(
        _ face: FaceSample, known: [FaceSample], at time: ClockTime, _ settings: FaceRecognize.Settings
    ) -> Bool {
        if isConfirmation { return true }
        if let last, let passed = time.since(last), passed < settings.collectInterval { return false }
        let known = known + taken
        return !known.contains(face) && known.allSatisfy { $0.difference(from: face) >= settings.collectDifference }
    }

    /// Takes a face.
    /// - Parameter time: the frame's `elapsed`.
    mutating func take(_ face: FaceSample, at time: ClockTime) {
        last = time
        taken.append(face)
    }
}

extension Rectangle {
    /// Returns whether the middle of the one is in the other: of two faces beside each other it is not.
    fileprivate func overlaps(_ other: Rectangle) -> Bool {
        contains(other.middle) || other.contains(middle)
    }

    private var middle: Point { Point(Double(x) + Double(width) / 2, Double(y) + Double(height) / 2) }
}
