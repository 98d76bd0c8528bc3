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
    /// Slots that wait for a face.
    private var waiting: Set<Int> = []
    /// The pictures as they are shown, for one size of frame.
    private var shown: (size: PixelSize, slots: [FacePicture?], hybrid: FacePicture?)?

    var filled: Set<Int> { Set(slots.indices.filter { slots[$0] != nil }) }

    mutating func discontinuity() { timer.reset() }

    /// Adds the step that is due to the requests.
    mutating func automate(_ requests: inout MergeRequests, at time: ClockTime?, every period: ClockTime) {
        guard timer.isDue(at: time, every: period) else { return }
        switch step {
        case 0, 1:
            requests.slots.insert(step)
            requests.wantsAnother = step == 1
        case 2: requests.merges = true
        default: requests.clears = true
        }
        step = (step + 1) % 4
    }

    /// Carries out the requests.
    /// - Parameter faces: those of the frame, the largest first.
    mutating func carryOut(
        _ requests: MergeRequests, faces: [FacePoints], on frame: FrameImage, _ merger: FaceMerger,
        _ settings: MergeSettings
    ) throws {
        if requests.clears { self = MergeSession(step: step, timer: timer) }
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

    private init(step: Int, timer: Timer) {
        self.step = step
        self.timer = timer
    }

    init() {}

    // MARK: - Drawing

    /// Shows the chosen faces in the lower corners, and the hybrid large in the middle.
    /// - Returns: the places of the slots' faces and of the hybrid in the frame.
    mutating func draw(
        on frame: FrameImage, _ merger: FaceMerger
    ) throws -> (slots: [FacePoints?], hybrid: FacePoints?) {
        let shorter = min(frame.width, frame.height)
        let (side, margin) = (max(1, shorter / 4), shorter / 40)
        let top = frame.height - side - margin
        let lineWidth = max(1, shorter / 240)
        let places = [
            Rectangle(x: margin, y: top, width: side, height: side),
            Rectangle(x: frame.width - side - margin, y: top, width: side, height: side),
        ]
        let pictures = try fitted(to: frame, side)
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
        let (x, y) = ((frame.width - hybrid.image.width) / 2, margin)
        merger.draw(hybrid, on: frame, x: x, y: y)
        frame.outline(
            Rectangle(x: x, y: y, width: hybrid.image.width, height: hybrid.image.height),
            lineWidth: lineWidth, color: 0xFFFF_FFFF)
        return (faces, hybrid.face.moved(from: Point(-Double(x), -Double(y))))
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
