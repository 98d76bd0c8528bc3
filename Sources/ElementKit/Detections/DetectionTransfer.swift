// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A place where something of a frame is shown.
package struct ShownPlace {
    /// The box in pixels of the frame that shows it.
    package var box: Rectangle
    /// Maps a point of the other frame into this one; nil if it is not shown in this place.
    package var point: (Point) -> Point?

    package init(box: Rectangle, point: @escaping (Point) -> Point?) {
        (self.box, self.point) = (box, point)
    }
}

extension Detection {
    func moved(to place: ShownPlace) -> Detection {
        var moved = self
        moved.box = place.box
        // What surrounds the object may be stretched.
        if isExact != nil { moved.isExact = false }
        moved.landmarks = landmarks?.moved(place.point)
        moved.outline = outline?.moved(place.point)
        return moved
    }

    /// Returns whether the detection has what the structure of this name holds; true for structures that have no field
    /// of their own.
    func has(_ structure: String) -> Bool {
        switch structure {
        case "landmarks": landmarks != nil
        case "outline": outline != nil
        default: true
        }
    }
}

extension FaceLandmarks {
    /// Returns nil if a point is not shown. In a mirror, left is the viewer's left.
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

    /// The side of the line from the left eye to the right one on which the mouth is, as a sign.
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
    /// Returns nil if fewer than three corners are shown.
    fileprivate func moved(_ move: (Point) -> Point?) -> Outline? {
        var moved = self
        moved.corners = corners.compactMap(move)
        guard moved.corners.count >= 3 else { return nil }
        let old = corners.enclosedArea
        // If an outline encloses nothing, nothing tells how its area changes.
        if old > 0 { moved.area *= moved.corners.enclosedArea / old }
        return moved
    }
}

extension MixerInput {
    /// Copies the input's regions of interest, with their ids and parameters, to the output, moved and scaled to where
    /// the input is shown and clipped to what is seen; what lies outside is left out.
    /// - Parameters:
    ///   - place: the place of the input's visible part in the output.
    ///   - seen: the part of `place` that is not cut off.
    package func carryRegions(to output: Frame, place: Rectangle, seen cut: Rectangle) {
        carryRegions(to: output, place: place) { box in
            let seen = box.intersection(cut)
            return seen.isEmpty ? nil : ShownPlace(box: seen) { $0 }
        }
    }

    /// Copies the input's regions of interest likewise, to where they are shown in the end.
    /// - Parameters:
    ///   - place: the place of the input's visible part in a picture as large as the output.
    ///   - show: returns what is seen in the output of a box in that picture; nil if nothing is.
    package func carryRegions(to output: Frame, place: Rectangle, show: (Rectangle) -> ShownPlace?) {
        let meta = DetectionMeta(buffer: buffer, size: inputSize)
        guard meta.size.width > 0, meta.size.height > 0 else { return }
        let bounds = meta.size.bounds
        let across = Double(place.width) / Double(bounds.width)
        let down = Double(place.height) / Double(bounds.height)
        DetectionMeta(output).copy(from: meta) { box in
            let seen = box.intersection(bounds)
            guard !seen.isEmpty else { return [] }
            // A pixel that a region only touches belongs to it.
            func start(_ x: Int, _ scale: Double) -> Int { Int((Double(x) * scale).rounded(.down)) }
            func end(_ x: Int, _ scale: Double) -> Int { Int((Double(x) * scale).rounded(.up)) }
            let (x, y) = (start(seen.x, across), start(seen.y, down))
            let moved = Rectangle(
                x: place.x + x, y: place.y + y, width: end(seen.x + seen.width, across) - x,
                height: end(seen.y + seen.height, down) - y
            )
            guard let shown = show(moved) else { return [] }
            return [
                ShownPlace(box: shown.box) {
                    shown.point(Point(Double(place.x) + $0.x * across, Double(place.y) + $0.y * down))
                }
            ]
        }
    }
}

extension Frame {
    /// Marks a mixed frame as searched for a type if every input was, by the weakest method of any input.
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

    /// Declares that pixels have moved: the detections go to where their objects are shown now, one for each place.
    /// Boxes must hold everything that shows a pixel of theirs.
    package func moveDetections(to places: (Rectangle) -> [ShownPlace]) {
        DetectionMeta(self).move(to: places)
    }

    /// Declares that the frame shows something that no detector has seen, such as a picture laid over it, or that it is
    /// unknown where things are now: it counts as searched for nothing.
    package func setChanged() { DetectionMeta(self).setChanged() }
}
