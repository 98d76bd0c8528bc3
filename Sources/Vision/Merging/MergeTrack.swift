// SPDX-License-Identifier: LGPL-2.1-or-later

/// The state of a face in a stream.
final class MergeTrack {
    /// Duration of a fade, in seconds.
    private static let fadeTime = 0.15

    var smoother = PointSmoother()
    let layer = FaceLayer()
    /// Visibility of the hybrid, 0…1.
    private(set) var visibility = 0.0
    /// The face and its partner in the last frame with this face.
    private(set) var last: (face: FacePoints, partner: PreparedFace)?
    private var isTurnedAway = false
    private var knownMouth: Bool?
    private var knownDrawing: Bool?
    /// True if the hybrid does not fade in.
    private var isVisibleAtOnce: Bool

    init(isVisibleAtOnce: Bool) { self.isVisibleAtOnce = isVisibleAtOnce }

    /// Removes the hybrid without a fade. The next hybrid fades in.
    func dropHybrid() { (visibility, last, isVisibleAtOnce) = (0, nil, false) }

    /// Returns `FacePoints.hasMouth` of the track's first face. A later change would change the merged part of the face
    /// from one frame to the next.
    func hasMouth(_ face: FacePoints) -> Bool {
        let hasMouth = knownMouth ?? face.hasMouth
        knownMouth = hasMouth
        return hasMouth
    }

    /// Returns the first value of `measure` that is not nil, so that the merged part does not change between frames. Until
    /// then, returns false.
    func isDrawing(_ measure: () throws(VisionError) -> Bool?) throws(VisionError) -> Bool {
        if knownDrawing == nil { knownDrawing = try measure() }
        return knownDrawing ?? false
    }

    /// Returns true if the face is turned so far that it cannot be merged.
    func turnsAway(_ face: FacePoints) -> Bool {
        isTurnedAway = face.isTurned(beyond: isTurnedAway ? HeadShape.turnBack : HeadShape.maxTurn)
        return isTurnedAway
    }

    /// Changes the visibility towards `isVisible`.
    /// - Parameter elapsed: the seconds since the previous frame; nil if there is no previous frame.
    /// - Returns: the settings with the opacity of this frame.
    func fade(
        _ isVisible: Bool, _ face: FacePoints, _ partner: PreparedFace, _ settings: MergeSettings, elapsed: Double?
    ) -> MergeSettings {
        if last == nil, isVisibleAtOnce, isVisible { visibility = 1 }
        last = (face, partner)
        let step = max(0, elapsed ?? 0) / Self.fadeTime
        visibility = min(1, max(0, visibility + (isVisible ? step : -step)))
        var settings = settings
        settings.opacity *= visibility
        return settings
    }
}
