// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Drawing
import Imaging
internal import KernelTypes

/// Merges faces: within a frame, by swapping two faces, or as a separate image.
///
/// The merger reads and writes only the region of a face. The merger draws nothing if the landmarks do not define an
/// affine transformation (see `FacePoints.isSound`), or if the face is outside the frame. Use an instance from only one
/// thread at a time.
package final class FaceMerger {
    private let tools = MergeTools()
    private var tracks = RecentlyUsed<Int, MergeTrack>(patience: FaceMerger.memory)
    private var prepared = RecentlyUsed<PreparedKey, PreparedFace>(patience: FaceMerger.memory)
    private var time: Double?
    /// True during the first call.
    private var isFirst = true

    /// True if a face of the last call is turned so far that it was not merged.
    package private(set) var hasTurnedFace = false

    private struct PreparedKey: Equatable {
        /// Identity of the partner's image. The prepared face keeps the image alive, so the identity stays unique.
        let picture: ObjectIdentifier
        let target: MergeTarget
        let feather: Double
        let hasEars: Bool
    }

    /// Number of calls without use after which tracks and partners are removed.
    private static let memory = 30

    /// - Throws: `VisionError` if OpenCV reports an error.
    package init() throws(VisionError) {
        try tools.meter.warmUp()
    }

    /// The hybrids that the last call drew for faces that are no longer in the frame. Elements that hide faces must
    /// know these positions, too.
    package private(set) var fading: [FacePoints] = []

    /// True if hybrids of earlier frames are still visible. They fade out in calls of `replace` without their faces.
    package var hasVisibleHybrids: Bool { tracks.values.contains { $0.visibility > 0 && $0.last != nil } }

    /// Reports the time of a frame without faces and hybrids, so that the next face fades in.
    package func skip(to time: Double) {
        _ = begin(time)
        dropHybrids()
    }

    /// Removes all hybrids without a fade, for example if the layout changes. Otherwise, an old hybrid could appear at
    /// an old position later.
    package func dropHybrids() {
        for track in tracks.values { track.dropHybrid() }
        fading = []
    }

    /// Removes all tracks, for example after a seek.
    package func reset() {
        tracks.removeAll()
        time = nil
    }

    // MARK: - On a frame

    /// Replaces each face by a hybrid, which is the face merged with its partner.
    /// - Parameters:
    ///   - faces: the faces in pixels of the frame, each with its partner.
    ///   - time: the time of the frame, in seconds.
    /// - Returns: the position of the hybrid for each face; nil if no hybrid was drawn.
    package func replace(
        _ faces: [(face: FacePoints, partner: FacePicture)], on frame: FrameImage, at time: Double,
        _ settings: MergeSettings
    ) throws(VisionError) -> [FacePoints?] {
        let elapsed = begin(time)
        defer { end() }
        let settings = settings.sanitized
        let results = try faces.map { face, partner throws(VisionError) in
            try replace(face, with: partner, on: frame, elapsed, settings)
        }
        if settings.style == .smooth {
            try fadeOut(on: frame, elapsed, settings)
        } else {
            dropHybrids()
        }
        return results
    }

    /// Swaps two faces: each face is drawn over the other face, with matched colours if `settings.matchColors` is true.
    /// The hybrids of lost faces disappear without a fade: they show faces of the stream, which must not be visible where
    /// the frame has no face. In the classic style, turned faces are swapped, too, and nothing fades.
    /// - Returns: for each face, its position if the other face was drawn over it, else nil.
    package func swap(
        _ first: FacePoints, _ second: FacePoints, on frame: FrameImage, at time: Double, _ settings: MergeSettings
    ) throws(VisionError) -> [FacePoints?] {
        let elapsed = begin(time)
        defer { end() }
        var settings = settings.sanitized
        let isClassic = settings.style == .classic
        settings.style = .smooth
        settings.mode = .normal
        if isClassic { dropHybrids() }
        let faces = [smoothed(first, settings), smoothed(second, settings)]
        let pictures = faces.map { FacePicture(copying: frame, face: $0) }
        hasTurnedFace = !isClassic && hasTurned(faces)
        let hasMouths = faces.map { track($0).hasMouth($0) } == [true, true]
        var hybrids: [FacePoints?] = [nil, nil]
        for (index, face) in faces.enumerated() {
            guard face.isSound, let other = pictures[1 - index] else { continue }
            let partner = unprepared(other, for: MergeTarget(species: face.species, hasMouths: hasMouths), settings)
            let isDrawn =
                isClassic
                ? try track(face).layer.merge(face, on: frame, with: partner, settings, elapsed: elapsed, tools)
                : try draw(partner, on: face, isVisible: !hasTurnedFace, frame, elapsed, settings)
            if isDrawn { hybrids[index] = face }
        }
        for track in tracks.idleValues { track.dropHybrid() }
        return hybrids
    }

    /// Draws the hybrid of two faces of the frame into a rectangle of the frame.
    /// - Returns: the hybrid's position in the frame; nil if no hybrid was drawn, for example because a face is turned.
    package func pair(
        _ first: FacePoints, _ second: FacePoints, into rectangle: Rectangle, of frame: FrameImage, at time: Double,
        _ settings: MergeSettings
    ) throws(VisionError) -> FacePoints? {
        _ = begin(time)
        defer { end() }
        dropHybrids()
        let settings = settings.sanitized
        hasTurnedFace = settings.style == .smooth && hasTurned([first, second])
        guard !hasTurnedFace, let firstPicture = FacePicture(copying: frame, face: smoothed(first, settings)),
            let secondPicture = FacePicture(copying: frame, face: smoothed(second, settings)),
            let hybrid = try hybrid(of: firstPicture, and: secondPicture, settings),
            let picture = try hybrid.fitted(width: rectangle.width, height: rectangle.height)
        else { return nil }
        draw(picture, on: frame, x: rectangle.x, y: rectangle.y)
        return picture.face.moved(from: Point(0, 0) - rectangle.corner)
    }

    /// Draws an image with its top left corner at (`x`, `y`). The image may extend beyond the frame.
    package func draw(_ picture: FacePicture, on frame: FrameImage, x: Int, y: Int) {
        let patch = tools.patch
        patch.read(frame, Rectangle(x: x, y: y, width: picture.image.width, height: picture.image.height))
        guard !patch.area.isEmpty else { return }
        let part = picture.image.cropped(
            to: Rectangle(x: patch.area.x - x, y: patch.area.y - y, width: patch.area.width, height: patch.area.height))
        tools.blender.blend(part, onto: patch.image, mode: .normal, opacity: 1)
        let weights = OwnedImage(.gray8, width: patch.area.width, height: patch.area.height)
        fill(weights.image, color: .white)
        patch.mix(into: frame, weights: weights.image)
        withExtendedLifetime(weights) {}
    }

    // MARK: - Separate pictures

    /// Draws the smaller of two faces over the larger face, and returns the result. The result is the image of the
    /// larger face; in the classic style, only the box of the larger face. It has the landmarks of the larger face. Its
    /// species is nil if the species of the faces differ.
    /// - Parameter findsOutline: true to draw a cat with the outline of its head and its ears, and a human without hair,
    ///   hat and beard. This takes about 0.1 seconds.
    /// - Returns: nil if the landmarks of at least one face are not usable (`FacePoints.isSound` is false).
    package func hybrid(
        of first: FacePicture, and second: FacePicture, _ settings: MergeSettings, findsOutline: Bool = false
    ) throws(VisionError) -> FacePicture? {
        let settings = settings.sanitized
        if settings.style == .classic {
            guard let merge = try ClassicMerge(first.boxed, second.boxed) else { return nil }
            return FacePicture(merge.pixels, face: merge.face, isGray: merge.isGray)
        }
        guard first.face.isSound, second.face.isSound else { return nil }
        let (bigger, other) = first.boxed.size > second.boxed.size ? (first, second) : (second, first)
        let smaller = findsOutline ? try other.outlined() : other
        let format = bigger.hasAlpha || smaller.hasAlpha ? PixelFormat.bgra : .bgrx
        let pixels = OwnedImage(format, width: bigger.image.width, height: bigger.image.height)
        pixels.image.copy(from: bigger.image)
        var target = MergeTarget(
            species: bigger.face.species, hasMouths: smaller.face.hasMouth && bigger.face.hasMouth)
        if smaller.isDrawing { target.isPhotoForDrawing = try bigger.face.isDrawing(in: pixels.image) != true }
        let partner = unprepared(smaller, for: target, settings)
        _ = try FaceLayer().merge(
            bigger.face, on: FrameImage(pixels.image), with: partner, settings, elapsed: nil, tools)
        var face = bigger.face
        face.species = FacePoints.species(first.face.species, second.face.species)
        return FacePicture(pixels, face: face, isGray: first.isGray && second.isGray)
    }

    // MARK: - Steps

    private func replace(
        _ measured: FacePoints, with picture: FacePicture, on frame: FrameImage, _ elapsed: Double?,
        _ settings: MergeSettings
    ) throws(VisionError) -> FacePoints? {
        let face = smoothed(measured, settings)
        guard face.isSound, picture.face.isSound else { return nil }
        let partner = try prepare(picture, for: face, on: frame, settings)
        var hybrid = face
        hybrid.species = FacePoints.species(face.species, picture.face.species)
        let isDrawn: Bool
        switch settings.style {
        case .classic: isDrawn = try drawClassic(face, on: frame, with: partner)
        case .smooth:
            let isTurned = track(face).turnsAway(face)
            if isTurned { hasTurnedFace = true }
            isDrawn = try draw(partner, on: face, isVisible: !isTurned, frame, elapsed, settings)
        }
        return isDrawn ? hybrid : nil
    }

    /// Draws a partner over a face, with the opacity of the face's fade.
    /// - Returns: true if the hybrid is visible, even if it fades out.
    private func draw(
        _ partner: PreparedFace, on face: FacePoints, isVisible: Bool, _ frame: FrameImage, _ elapsed: Double?,
        _ settings: MergeSettings
    ) throws(VisionError) -> Bool {
        let track = track(face)
        let faded = track.fade(isVisible, face, partner, settings, elapsed: elapsed)
        guard track.visibility > 0 else { return false }
        return try track.layer.merge(face, on: frame, with: partner, faded, elapsed: elapsed, tools)
    }

    /// Draws the hybrids of faces that are no longer in the frame, until they have faded out.
    private func fadeOut(
        on frame: FrameImage, _ elapsed: Double?, _ settings: MergeSettings
    ) throws(VisionError) {
        for track in tracks.idleValues where track.visibility > 0 {
            guard let (face, partner) = track.last else { continue }
            let faded = track.fade(false, face, partner, settings, elapsed: elapsed)
            guard track.visibility > 0,
                try track.layer.merge(face, on: frame, with: partner, faded, elapsed: elapsed, tools)
            else { continue }
            var hybrid = face
            hybrid.species = FacePoints.species(face.species, partner.species)
            fading.append(hybrid)
        }
    }

    /// Returns true if one of the faces is turned away. All faces are checked, because each track remembers its state.
    private func hasTurned(_ faces: [FacePoints]) -> Bool { faces.map { track($0).turnsAway($0) }.contains(true) }

    /// Draws the classic hybrid over the face. Pixels that the hybrid does not cover are unchanged.
    private func drawClassic(
        _ face: FacePoints, on frame: FrameImage, with partner: PreparedFace
    ) throws(VisionError) -> Bool {
        guard let picture = FacePicture(copying: frame, face: face), let cut = partner.cut(for: face),
            let merge = try ClassicMerge(picture.boxed, cut)
        else { return false }
        let patch = tools.patch
        var (pixels, weights) = (merge.pixels, merge.coverage)
        let (width, height) = (pixels.image.width, pixels.image.height)
        if merge.isFirst {
            // The face is larger than its partner. So the hybrid has the resolution of the frame, and is not scaled.
            let corner = face.leftEye - merge.face.leftEye
            patch.read(frame, Rectangle(Box(x: corner.x, y: corner.y, width: Double(width), height: Double(height))))
        } else {
            patch.read(frame, merge.face.bounds(of: Point(Double(width), Double(height)), carriedTo: face))
            let to = face.moved(from: patch.area.corner).points
            pixels = OwnedImage(pixels.image.format, width: patch.area.width, height: patch.area.height)
            weights = OwnedImage(.gray8, width: patch.area.width, height: patch.area.height)
            for (source, output) in [(merge.pixels, pixels), (merge.coverage, weights)] where !patch.area.isEmpty {
                try align(source.image, merge.face.points, to: to, into: output.image)
            }
        }
        guard !patch.area.isEmpty else { return false }
        tools.blender.blend(pixels.image, onto: patch.image, mode: .normal, opacity: 1, useForegroundAlpha: false)
        patch.mix(into: frame, weights: weights.image)
        withExtendedLifetime((merge, pixels, weights)) {}
        return true
    }

    private func smoothed(_ face: FacePoints, _ settings: MergeSettings) -> FacePoints {
        guard face.track != 0, face.isSound, let time else { return face }
        return track(face).smoother.smooth(face, at: time, amount: settings.smoothing)
    }

    private func track(_ face: FacePoints) -> MergeTrack {
        guard face.track != 0 else { return MergeTrack(isVisibleAtOnce: true) }
        // The faces of the first frame are visible immediately, because the stream may be a still image.
        return tracks.value(of: face.track) { MergeTrack(isVisibleAtOnce: isFirst) }
    }

    private func prepare(
        _ picture: FacePicture, for face: FacePoints, on frame: FrameImage, _ settings: MergeSettings
    ) throws(VisionError) -> PreparedFace {
        let track = track(face)
        var target = MergeTarget(species: face.species, hasMouths: track.hasMouth(face) && picture.face.hasMouth)
        if picture.isDrawing, settings.style == .smooth {
            target.isPhotoForDrawing = try !track.isDrawing { () throws(VisionError) in
                tools.patch.read(frame, HeadShape.bounds(of: face))
                return try face.isDrawing(in: tools.patch.image, origin: tools.patch.area.corner)
            }
        }
        let key = PreparedKey(
            picture: ObjectIdentifier(picture), target: target, feather: settings.feather, hasEars: settings.hasEars)
        return prepared.value(of: key) { unprepared(picture, for: target, settings) }
    }

    private func unprepared(
        _ picture: FacePicture, for target: MergeTarget, _ settings: MergeSettings
    ) -> PreparedFace {
        PreparedFace(picture, for: target, feather: settings.feather, hasEars: settings.hasEars, tools.meter)
    }

    /// Begins a call at a new time, in seconds.
    /// - Returns: the seconds since the previous call; nil in the first call.
    private func begin(_ new: Double) -> Double? {
        (hasTurnedFace, fading) = (false, [])
        isFirst = time == nil
        defer { time = new.isFinite ? new : time }
        return time.map { new - $0 }
    }

    private func end() {
        tracks.endTurn()
        prepared.endTurn()
    }
}

extension FacePoints {
    /// Returns the bounds of an image after the transformation that maps this face, in pixels of the image, onto
    /// `face`.
    /// - Parameter size: the width and height of the image, in pixels.
    fileprivate func bounds(of size: Point, carriedTo face: FacePoints) -> Rectangle {
        let corners = [Point(0, 0), Point(size.x, 0), Point(0, size.y), size].map { corner in
            let relative = axes.coordinates(of: corner)
            return face.axes.point(relative.x, relative.y)
        }
        let (xs, ys) = (corners.map(\.x), corners.map(\.y))
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else {
            return Rectangle(width: 0, height: 0)
        }
        return Rectangle(Box(x: left, y: top, width: right - left, height: bottom - top)).grown(by: 1)
    }
}
