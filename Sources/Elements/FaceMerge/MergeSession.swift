// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging
import Vision

/// The two chosen faces and their hybrid. Belongs to the streaming thread.
struct MergeSession {
    private(set) var slots: [FacePicture?] = [nil, nil]
    private(set) var hybrid: FacePicture?
    /// The next step of `select-every`.
    private var step = 0
    private var timer = Timer()
    /// The period of `select-every` when somebody chose by hand; it rests until it has another one.
    private var restedPeriod: ClockTime?
    /// Slots that wait for a face.
    private var waiting: Set<Int> = []
    /// The pictures as they are shown, for one size of frame.
    private var shown: (size: PixelSize, slots: [FacePicture?], hybrid: FacePicture?)?

    var filled: Set<Int> { Set(slots.indices.filter { slots[$0] != nil }) }

    mutating func discontinuity() { timer.reset() }

    /// Adds the step that is due to the requests: none once somebody chooses by hand, whose faces it would take away.
    mutating func automate(_ requests: inout MergeRequests, at time: ClockTime, every period: ClockTime) {
        if requests.areByHand { restedPeriod = period }
        if restedPeriod != period { restedPeriod = nil }
        guard restedPeriod == nil, timer.isDue(at: time, every: period) else { return }
        switch step {
        case 0, 1:
            requests.slots.insert(step)
            requests.wantsAnother = step == 1
        case 2: requests.merges = true
        default: requests.clears = true
        }
        step = (step + 1) % 4
    }

    /// Chooses the face at a place, and merges when both are chosen; a click when both are begins anew. A click on the
    /// hybrid drops everything, one on a chosen face that one.
    /// - Parameter faces: those of the frame.
    /// - Returns: what has happened, for the user; nil if nothing has.
    mutating func click(
        _ place: Point, faces: [FacePoints], on frame: FrameImage, _ requests: inout MergeRequests
    ) -> String? {
        if let hybrid = shown?.hybrid, hybridPlace(of: hybrid, in: frame).contains(place) {
            clear()
            return "removed the hybrid and the selected faces"
        }
        let places = slotPlaces(in: frame)
        if let slot = slots.indices.first(where: { slots[$0] != nil && places[$0].contains(place) }) {
            (slots[slot], hybrid, shown) = (nil, nil, nil)
            return "removed face \(slot + 1)"
        }
        let clicked = faces.filter { Rectangle($0.box).contains(place) }
        guard let face = clicked.min(by: { Rectangle($0.box).area < Rectangle($1.box).area }) else {
            return "no face to select"
        }
        if filled.count == slots.count { slots = slots.map { _ in nil } }
        guard let slot = slots.firstIndex(where: { $0 == nil }) else { return nil }
        // The second of two quick clicks.
        guard !slots.contains(where: { $0.map { face.track != 0 && $0.face.track == face.track } ?? false }) else {
            return "this face is already selected. Select another face."
        }
        guard let picture = FacePicture(copying: frame, face: face) else { return "no face to select" }
        (slots[slot], hybrid, shown) = (picture, nil, nil)
        guard filled.count == slots.count else { return "selected face \(slot + 1). Select another face." }
        requests.merges = true
        return "selected face \(slot + 1) and merged both faces"
    }

    /// Carries out the requests.
    /// - Parameter faces: those of the frame, the largest first.
    mutating func carryOut(
        _ requests: MergeRequests, faces: [FacePoints], on frame: FrameImage, _ merger: FaceMerger,
        _ settings: MergeSettings
    ) throws {
        if requests.clears { clear() }
        waiting.formUnion(requests.slots)
        let other = requests.wantsAnother ? faces.first { $0.track != slots[0]?.face.track } : nil
        if !waiting.isEmpty, let face = other ?? faces.first, let picture = FacePicture(copying: frame, face: face) {
            for slot in waiting where slots.indices.contains(slot) { slots[slot] = picture }
            waiting = []
            hybrid = nil
            shown = nil
        }
        if requests.merges, let first = slots[0], let second = slots[1] {
            hybrid = try merger.hybrid(of: first, and: second, settings)
            shown = nil
        }
    }

    private mutating func clear() {
        (slots, hybrid, shown) = ([nil, nil], nil, nil)
        waiting = []
    }

    // MARK: - Drawing

    /// Shows the chosen faces in the lower corners, and the hybrid large in the middle.
    /// - Returns: the places of the slots' faces and of the hybrid in the frame.
    mutating func draw(
        on frame: FrameImage, _ merger: FaceMerger
    ) throws -> (slots: [FacePoints?], hybrid: FacePoints?) {
        let lineWidth = max(1, min(frame.width, frame.height) / 240)
        let places = slotPlaces(in: frame)
        let pictures = try fitted(to: frame, places[0].width)
        for (place, picture) in zip(places, pictures.slots) {
            if let picture {
                merger.draw(picture, on: frame, x: place.x, y: place.y)
            } else {
                frame.drawSilhouette(in: place)
            }
            frame.outline(place, lineWidth: lineWidth, color: 0xFFFF_FFFF)
        }
        let faces = zip(places, pictures.slots).map { place, picture in
            picture.map { $0.face.moved(from: Point(-Double(place.x), -Double(place.y))) }
        }
        guard let hybrid = pictures.hybrid else { return (faces, nil) }
        let place = hybridPlace(of: hybrid, in: frame)
        let (x, y) = (place.x, place.y)
        merger.draw(hybrid, on: frame, x: x, y: y)
        frame.outline(place, lineWidth: lineWidth, color: 0xFFFF_FFFF)
        return (faces, hybrid.face.moved(from: Point(-Double(x), -Double(y))))
    }

    private func slotPlaces(in frame: FrameImage) -> [Rectangle] {
        let shorter = min(frame.width, frame.height)
        let (side, margin) = (max(1, shorter / 4), shorter / 40)
        let top = frame.height - side - margin
        return [margin, frame.width - side - margin].map { Rectangle(x: $0, y: top, width: side, height: side) }
    }

    /// - Parameter hybrid: as it is shown.
    private func hybridPlace(of hybrid: FacePicture, in frame: FrameImage) -> Rectangle {
        Rectangle(
            x: (frame.width - hybrid.image.width) / 2, y: min(frame.width, frame.height) / 40,
            width: hybrid.image.width, height: hybrid.image.height)
    }

    private mutating func fitted(
        to frame: FrameImage, _ side: Int
    ) throws -> (slots: [FacePicture?], hybrid: FacePicture?) {
        let size = frame.size
        if let shown, shown.size == size { return (shown.slots, shown.hybrid) }
        let small = try slots.map { try $0?.fitted(width: side, height: side) }
        let large = max(1, min(frame.width, frame.height) * 7 / 10)
        let hybrid = try hybrid?.fitted(width: large, height: large)
        shown = (size, small, hybrid)
        return (small, hybrid)
    }
}

extension FrameImage {
    /// Draws an empty place for a face: the outline of head and shoulders, which no detector takes for a face.
    fileprivate func drawSilhouette(in place: Rectangle) {
        let side = Double(place.width)
        let part = cropped(to: place)
        part.fill(part.bounds, color: 0xB020_2020)
        part.ellipse(Point(0.5 * side, 1.05 * side), halfAxes: Point(0.36 * side, 0.36 * side), color: 0xFFB8_B8B8)
        part.ellipse(Point(0.5 * side, 0.4 * side), halfAxes: Point(0.19 * side, 0.23 * side), color: 0xFFB8_B8B8)
    }
}
