// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging
import Vision

/// The two selected faces and their hybrid in `layout=studio`. Used by the streaming thread only.
struct MergeSession {
    private(set) var slots: [FacePicture?] = [nil, nil]
    private(set) var hybrid: FacePicture?
    /// The next automatic step: select the first face (0), select the second face (1), merge (2), clear (3).
    private var step = 0
    private var timer = Timer()
    /// The value of `select-every` at the last request by a user. The automatic steps stop until the value changes.
    private var restedPeriod: ClockTime?
    /// Indices of the slots that wait for a face.
    private var waiting: Set<Int> = []
    private var placer = InsetPlacer()
    /// The areas of the slots and of the hybrid in the last frame.
    private var slotAreas: [Rectangle] = []
    private var hybridArea: Rectangle?
    /// The images scaled for display.
    private var shown: (slots: [FacePicture?], hybrid: FacePicture?)?

    var filled: Set<Int> { Set(slots.indices.filter { slots[$0] != nil }) }

    mutating func discontinuity() { timer.reset() }

    /// Adds the automatic step that is due to the requests. After a request by a user, adds nothing, because the step
    /// could remove a face that the user has selected.
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

    /// Handles a click. A click on a face of the frame selects the face, and requests a merge once two faces are
    /// selected. If two faces are selected already, the selection starts again. A click on the hybrid removes the
    /// hybrid and both selected faces. A click on a selected face in a corner removes this face.
    /// - Parameter faces: the faces of the frame.
    /// - Returns: a message for the user; nil if there is nothing to report.
    mutating func click(
        _ point: Point, faces: [FacePoints], on frame: FrameImage, _ requests: inout MergeRequests
    ) -> String? {
        if hybrid != nil, let hybridArea, hybridArea.contains(point) {
            clear()
            return "removed the merged face and the selected faces"
        }
        let areas = slotAreas
        if let slot = slots.indices.first(where: { index in
            slots[index] != nil && areas.indices.contains(index) && areas[index].contains(point)
        }) {
            (slots[slot], hybrid, shown) = (nil, nil, nil)
            return "removed face \(slot + 1)"
        }
        let clicked = faces.filter { Rectangle($0.box).contains(point) }
        guard let face = clicked.min(by: { Rectangle($0.box).area < Rectangle($1.box).area }) else {
            return "no face to select"
        }
        if filled.count == slots.count { slots = slots.map { _ in nil } }
        guard let slot = slots.firstIndex(where: { $0 == nil }) else { return nil }
        // The second click of a double click must not select the same face again.
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
    /// - Parameter faces: the faces of the frame, the largest first.
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
            hybrid = try merger.hybrid(of: first, and: second, settings, findsOutline: true)
            shown = nil
        }
    }

    private mutating func clear() {
        (slots, hybrid, shown) = ([nil, nil], nil, nil)
        waiting = []
    }

    // MARK: - Drawing

    /// Draws the selected faces at the sides, and the hybrid large in the middle, where they cover no face.
    /// - Parameter faces: the boxes of the faces in the frame.
    /// - Returns: the landmarks of the selected faces and of the hybrid as drawn, in pixels of the frame; nil for an
    ///   empty slot or without a hybrid.
    mutating func draw(
        on frame: FrameImage, avoiding faces: [Rectangle], _ merger: FaceMerger
    ) throws -> (slots: [FacePoints?], hybrid: FacePoints?) {
        let lineWidth = max(1, min(frame.width, frame.height) / 240)
        arrange(in: frame, InsetPlacer.areas(of: faces))
        let areas = slotAreas
        let pictures = try fitted()
        for (area, picture) in zip(areas, pictures.slots) {
            if let picture {
                merger.draw(picture, on: frame, x: area.x, y: area.y)
            } else {
                frame.drawSilhouette(in: area)
            }
            frame.outline(area, lineWidth: lineWidth, color: 0xFFFF_FFFF)
        }
        let faces = zip(areas, pictures.slots).map { area, picture in
            picture.map { $0.face.moved(from: Point(-Double(area.x), -Double(area.y))) }
        }
        guard let hybrid = pictures.hybrid, let area = hybridArea else { return (faces, nil) }
        let (x, y) = (area.x, area.y)
        merger.draw(hybrid, on: frame, x: x, y: y)
        frame.outline(area, lineWidth: lineWidth, color: 0xFFFF_FFFF)
        return (faces, hybrid.face.moved(from: Point(-Double(x), -Double(y))))
    }

    /// Chooses the places of the slots and of the hybrid.
    private mutating func arrange(in frame: FrameImage, _ faces: [Rectangle]) {
        let size = (width: frame.width, height: frame.height)
        let shorter = min(frame.width, frame.height)
        let slot = max(1, shorter / 4)
        let before = (slotAreas, hybridArea)
        slotAreas = []
        for x in [0.0, 1] {
            let positions = [(x: x, y: 1.0), (x, 0), (x, 0.5)]
            let area = placer.place(
                slotAreas.count, size: (slot, slot), at: positions, avoiding: faces + slotAreas, in: size)
            slotAreas.append(area)
        }
        hybridArea = nil
        if hybrid != nil {
            let large = max(1, shorter * 7 / 10)
            hybridArea = placer.place(
                slotAreas.count, size: (large, large), at: [(0.5, 0), (0, 0), (1, 0), (0.5, 1), (0, 0.5), (1, 0.5)],
                avoiding: faces + slotAreas, in: size)
        }
        if slotAreas.map(\.width) != before.0.map(\.width) || hybridArea?.width != before.1?.width { shown = nil }
    }

    private mutating func fitted() throws -> (slots: [FacePicture?], hybrid: FacePicture?) {
        if let shown { return shown }
        let slots = try zip(self.slots, slotAreas).map { try $0?.fitted(width: $1.width, height: $1.height) }
        var pictures: (slots: [FacePicture?], hybrid: FacePicture?) = (slots, nil)
        if let hybridArea {
            pictures.hybrid = try hybrid?.fitted(width: hybridArea.width, height: hybridArea.height)
        }
        shown = pictures
        return pictures
    }
}

extension FrameImage {
    /// Draws an empty slot: a silhouette of head and shoulders, without eyes, so that face detectors ignore the slot.
    fileprivate func drawSilhouette(in area: Rectangle) {
        let side = Double(area.width)
        let part = cropped(to: area)
        part.fill(part.bounds, color: 0xB020_2020)
        part.ellipse(Point(0.5 * side, 1.05 * side), halfAxes: Point(0.36 * side, 0.36 * side), color: 0xFFB8_B8B8)
        part.ellipse(Point(0.5 * side, 0.4 * side), halfAxes: Point(0.19 * side, 0.23 * side), color: 0xFFB8_B8B8)
    }
}
