// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// An area of one frame that shows a part of another frame, for example after scaling or mixing.
package struct MappedRegion {
    /// The box of the area, in pixels of the frame that contains the area.
    package var box: Rectangle
    /// Maps a point of the other frame to a point of the area; nil if the area does not show the point.
    package var point: (Point) -> Point?

    package init(box: Rectangle, point: @escaping (Point) -> Point?) {
        (self.box, self.point) = (box, point)
    }
}

extension Detection {
    func moved(to region: MappedRegion) -> Detection {
        var moved = self
        moved.box = region.box
        // After scaling or warping, the box may no longer fit the object exactly.
        if isExact != nil { moved.isExact = false }
        moved.landmarks = landmarks?.moved(region.point)
        moved.outline = outline?.moved(region.point)
        return moved
    }

    /// Returns false for `landmarks` or `outline` if the detection does not have this data; true for all other names.
    func has(_ structure: String) -> Bool {
        switch structure {
        case "landmarks": landmarks != nil
        case "outline": outline != nil
        default: true
        }
    }
}

extension FaceLandmarks {
    /// Returns nil if a point is not visible. If the frame is mirrored, the left and the right landmarks are swapped,
    /// because left means left in the image.
    fileprivate func moved(_ move: (Point) -> Point?) -> FaceLandmarks? {
        var moved = self
        for path in FaceLandmarks.points {
            guard let point = move(self[keyPath: path]) else { return nil }
            moved[keyPath: path] = point
        }
        if side * moved.side < 0 { moved = moved.mirrored }
        if pose != nil { moved.pose = HeadPose(moved) }
        return moved
    }

    /// The cross product of the vector from the left eye to the right eye, and the vector from the eyes to the mouth.
    /// If the face is mirrored, the sign changes.
    private var side: Double {
        let across = Point(rightEye.x - leftEye.x, rightEye.y - leftEye.y)
        let down = Point(
            (mouthLeft.x + mouthRight.x - leftEye.x - rightEye.x) / 2,
            (mouthLeft.y + mouthRight.y - leftEye.y - rightEye.y) / 2)
        return across.x * down.y - across.y * down.x
    }

    private var mirrored: FaceLandmarks {
        var mirrored = self
        (mirrored.leftEye, mirrored.rightEye) = (rightEye, leftEye)
        (mirrored.mouthLeft, mirrored.mouthRight) = (mouthRight, mouthLeft)
        (mirrored.isLeftEyeFound, mirrored.isRightEyeFound) = (isRightEyeFound, isLeftEyeFound)
        mirrored.closedEyes = closedEyes.map { ClosedEyes(left: $0.right, right: $0.left) }
        return mirrored
    }
}

extension Outline {
    /// Returns nil if fewer than three corners are visible.
    fileprivate func moved(_ move: (Point) -> Point?) -> Outline? {
        var moved = self
        moved.corners = corners.compactMap(move)
        guard moved.corners.count >= 3 else { return nil }
        let old = corners.enclosedArea
        // If the old outline has no area, the ratio of the areas is undefined, so `area` keeps its value.
        if old > 0 { moved.area *= moved.corners.enclosedArea / old }
        return moved
    }
}

extension MixerInput {
    /// Copies the input's regions of interest, with their IDs and parameters, to the output. Moves and scales the
    /// regions to the input's position, clips them to the visible area, and drops regions outside.
    /// - Parameters:
    ///   - area: the rectangle of the input's visible part in the output.
    ///   - visible: the part of `area` that the output shows.
    package func carryRegions(to output: Frame, area: Rectangle, visible cut: Rectangle) {
        carryRegions(to: output, area: area) { box in
            let visible = box.intersection(cut)
            return visible.isEmpty ? nil : MappedRegion(box: visible) { $0 }
        }
    }

    /// Copies the input's regions of interest to the output, and maps the regions to their final positions.
    /// - Parameters:
    ///   - area: the rectangle of the input's visible part in an intermediate image with the size of the output.
    ///   - show: maps a box of the intermediate image to the output; nil if the output does not show the box.
    package func carryRegions(to output: Frame, area: Rectangle, show: (Rectangle) -> MappedRegion?) {
        let meta = DetectionMeta(buffer: buffer, size: inputSize)
        guard meta.size.width > 0, meta.size.height > 0 else { return }
        let bounds = meta.size.bounds
        let across = Double(area.width) / Double(bounds.width)
        let down = Double(area.height) / Double(bounds.height)
        DetectionMeta(output).copy(from: meta) { box in
            let visible = box.intersection(bounds)
            guard !visible.isEmpty else { return [] }
            // Rounds outwards, so that a region includes pixels that it covers only partly.
            func start(_ x: Int, _ scale: Double) -> Int { Int((Double(x) * scale).rounded(.down)) }
            func end(_ x: Int, _ scale: Double) -> Int { Int((Double(x) * scale).rounded(.up)) }
            let (x, y) = (start(visible.x, across), start(visible.y, down))
            let moved = Rectangle(
                x: area.x + x, y: area.y + y, width: end(visible.x + visible.width, across) - x,
                height: end(visible.y + visible.height, down) - y
            )
            guard let shown = show(moved) else { return [] }
            return [
                MappedRegion(box: shown.box) {
                    shown.point(Point(Double(area.x) + $0.x * across, Double(area.y) + $0.y * down))
                }
            ]
        }
    }
}

extension Frame {
    /// Marks a mixed frame as searched for a type if all inputs were searched for this type. The search method is
    /// `cascade` if the method of any input is `cascade`. Otherwise, the search method is unknown if the method of any
    /// input is unknown.
    package func carrySearches<Pad>(from inputs: [MixerInput<Pad>]) {
        let metas = inputs.map { DetectionMeta(buffer: $0.buffer, size: $0.inputSize) }
        let types = Set(metas.flatMap(\.searchTypes))
        let searched = types.filter { type in metas.allSatisfy { $0.search(for: type) == .searched } }
        let methods = types.map { type -> (Detection.Kind, SearchMethod?) in
            let used = metas.filter { $0.searchTypes.contains(type) }.map { $0.searchMethod(for: type) }
            return (type, used.contains(.cascade) ? .cascade : used.contains(nil) ? nil : .network)
        }
        DetectionMeta(self).attach(
            [], searched: Array(searched), unsearched: Array(types.subtracting(searched)),
            by: Dictionary(uniqueKeysWithValues: methods.compactMap { type, method in method.map { (type, $0) } }))
    }

    /// Moves the detections after the element has moved pixels. `map` returns the areas that show an old box, and the
    /// detection is copied to each area. The areas must contain every pixel that shows a part of the old box.
    package func moveDetections(to map: (Rectangle) -> [MappedRegion]) {
        DetectionMeta(self).move(to: map)
    }

    /// Marks the frame as changed, for example by an overlay image or by an unknown movement of pixels. The frame then
    /// counts as not searched for any type.
    package func setChanged() { DetectionMeta(self).setChanged() }
}
