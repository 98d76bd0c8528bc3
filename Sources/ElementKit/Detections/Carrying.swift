import Pixels

/// A place where something of a frame is shown.
package struct ShownPlace {
    /// In pixels of the frame that shows it.
    package var box: Rectangle
    /// Where a point of the other frame is in this one; nil where it is not shown in this place.
    package var point: (Point) -> Point?

    package init(box: Rectangle, point: @escaping (Point) -> Point?) {
        (self.box, self.point) = (box, point)
    }
}

extension Detection {
    func moved(to place: ShownPlace) -> Detection {
        var moved = self
        moved.box = place.box
        moved.landmarks = landmarks?.moved(place.point)
        moved.outline = outline?.moved(place.point)
        return moved
    }

    /// Whether it has what the structure of this name tells, or that is told by no field of its own.
    func has(_ structure: String) -> Bool {
        switch structure {
        case "landmarks": landmarks != nil
        case "outline": outline != nil
        default: true
        }
    }
}

extension FaceLandmarks {
    /// Nil where a point is not shown. A mirror's left is the viewer's left.
    fileprivate func moved(_ move: (Point) -> Point?) -> FaceLandmarks? {
        var moved = self
        for (_, path) in FaceLandmarks.paths {
            guard let point = move(self[keyPath: path]) else { return nil }
            moved[keyPath: path] = point
        }
        return side * moved.side < 0 ? moved.mirrored : moved
    }

    /// On which side of the line from the left eye to the right one the mouth is, by its sign.
    private var side: Double {
        let across = Point(rightEye.x - leftEye.x, rightEye.y - leftEye.y)
        let down = Point(
            (mouthLeft.x + mouthRight.x - leftEye.x - rightEye.x) / 2,
            (mouthLeft.y + mouthRight.y - leftEye.y - rightEye.y) / 2)
        return across.x * down.y - across.y * down.x
    }

    private var mirrored: FaceLandmarks {
        FaceLandmarks(
            leftEye: rightEye, rightEye: leftEye, nose: nose, mouthLeft: mouthRight, mouthRight: mouthLeft,
            isLeftEyeFound: isRightEyeFound, isRightEyeFound: isLeftEyeFound)
    }
}

extension Outline {
    /// Nil where fewer than three corners are shown.
    fileprivate func moved(_ move: (Point) -> Point?) -> Outline? {
        var moved = self
        moved.corners = corners.compactMap(move)
        guard moved.corners.count >= 3 else { return nil }
        let old = corners.enclosedArea
        // Of an outline that encloses nothing nobody can tell how its area changes.
        if old > 0 { moved.area *= moved.corners.enclosedArea / old }
        return moved
    }
}

extension MixerInput {
    /// Copies the input's regions of interest, with their ids and parameters, to the output, moved and scaled to where
    /// the input is shown and clipped to the frame; what lies outside is left out.
    /// - Parameter place: where what is visible of the input lies in the output.
    package func carryRegions(to output: Frame, place: Rectangle) {
        let meta = DetectionMeta(buffer: buffer, size: inputSize)
        guard meta.size.width > 0, meta.size.height > 0 else { return }
        let bounds = Rectangle(width: meta.size.width, height: meta.size.height)
        let across = Double(place.width) / Double(bounds.width)
        let down = Double(place.height) / Double(bounds.height)
        DetectionMeta(output).copy(from: meta) { box in
            let seen = box.intersection(bounds)
            guard !seen.isEmpty else { return [] }
            // What a region touches of a pixel belongs to it.
            func start(_ x: Int, _ scale: Double) -> Int { Int((Double(x) * scale).rounded(.down)) }
            func end(_ x: Int, _ scale: Double) -> Int { Int((Double(x) * scale).rounded(.up)) }
            let (x, y) = (start(seen.x, across), start(seen.y, down))
            let moved = Rectangle(
                x: place.x + x, y: place.y + y, width: end(seen.x + seen.width, across) - x,
                height: end(seen.y + seen.height, down) - y)
            return [
                ShownPlace(box: moved) {
                    Point(Double(place.x) + $0.x * across, Double(place.y) + $0.y * down)
                }
            ]
        }
    }
}

extension Frame {
    /// Tells of a mixed frame what its inputs tell of theirs: it was searched for a type if every input was.
    package func carrySearches<Pad>(from inputs: [MixerInput<Pad>]) {
        let metas = inputs.map { DetectionMeta(buffer: $0.buffer, size: $0.inputSize) }
        let types = Set(metas.flatMap(\.searchTypes))
        let searched = types.filter { type in metas.allSatisfy { $0.search(for: type) == .searched } }
        attach([], searched: Array(searched), unsearched: Array(types.subtracting(searched)))
    }

    /// Says that pixels have moved: the detections go to where their things are shown now, one for each place. Boxes must
    /// hold all that shows a pixel of theirs.
    package func moveDetections(to places: (Rectangle) -> [ShownPlace]) {
        DetectionMeta(self).move(to: places)
    }

    /// Says that the frame came to show what no detector has seen, as a picture that was laid over it, or that nobody knows
    /// where things are now: it counts as searched for nothing.
    package func setChanged() { DetectionMeta(self).setChanged() }
}
