// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// Collects images of one face under the name of a person. There is a minimum time between two images, and each image
/// must differ from the known images of the person.
struct SampleCollector: Sendable {
    let name: String
    /// True if a training follows the collection.
    let trains: Bool
    /// The face images collected so far.
    private var taken: [FaceSample] = []
    var count: Int { taken.count }
    /// The id of the face; 0 if the detector does not track faces, nil if no face is selected yet.
    private(set) var track: Int32?
    private var last: ClockTime?
    /// The last known box of the face that the user has chosen; nil if the user has chosen no face.
    private var box: Rectangle?
    /// True if a user has confirmed the name of the face. The collector then collects only one image, from the next
    /// frame with faces.
    let isConfirmation: Bool

    /// - Parameter face: the face that the user has chosen; nil for the largest face.
    init(_ name: String, trains: Bool, of face: Detection? = nil) {
        self.name = name
        self.trains = trains
        (track, box) = (face?.id, face?.box)
        isConfirmation = false
    }

    /// Creates the collector for a name that a user has confirmed.
    init(_ name: String, confirmedOf track: Int32) {
        self.name = name
        self.track = track
        (trains, isConfirmation) = (true, true)
    }

    /// Returns the number of images to collect.
    func wanted(_ settings: FaceRecognize.Settings) -> Int { isConfirmation ? 1 : settings.collectCount }

    /// Returns the face whose image should be collected next. If the previously selected face is in the frame, returns
    /// this face. Otherwise, if the user has chosen a face, returns the face at the position of the chosen face. If the
    /// user has chosen no face, returns the largest face.
    /// - Parameter faces: the faces of the frame, the largest first.
    mutating func choose(among faces: [Detection]) -> Detection? {
        if isConfirmation { return faces.first { $0.id == track } }
        var face = faces.first { $0.id == track && ($0.id != 0 || box.map($0.box.overlaps) ?? true) }
        if let box {
            face = face ?? faces.first { $0.box.overlaps(box) }
            if let face { self.box = face.box }
        } else {
            face = face ?? faces.first
        }
        if let face { track = face.id } else if box == nil { track = nil }
        return face
    }

    /// Returns true if a face image should be collected.
    /// - Parameters:
    ///   - known: known images of the same person, besides the images in this collection.
    ///   - time: the time of the frame (`FrameTime.elapsed`).
    func wants(
        _ face: FaceSample, known: [FaceSample], at time: ClockTime, _ settings: FaceRecognize.Settings
    ) -> Bool {
        if isConfirmation { return true }
        if let last, let passed = time.since(last), passed < settings.collectInterval { return false }
        let known = known + taken
        return !known.contains(face) && known.allSatisfy { $0.difference(from: face) >= settings.collectDifference }
    }

    /// Adds a face image to the collection.
    /// - Parameter time: the time of the frame (`FrameTime.elapsed`).
    mutating func take(_ face: FaceSample, at time: ClockTime) {
        last = time
        taken.append(face)
    }
}

extension Rectangle {
    /// Returns true if one of the two rectangles contains the centre of the other rectangle. The boxes of two faces
    /// side by side do not meet this condition.
    fileprivate func overlaps(_ other: Rectangle) -> Bool {
        contains(other.middle) || other.contains(middle)
    }

    private var middle: Point { Point(Double(x) + Double(width) / 2, Double(y) + Double(height) / 2) }
}
