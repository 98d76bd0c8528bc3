// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Finds blobs: connected areas of an image that differ from the background. Only one thread at a time may use a
/// finder.
struct BlobFinder {
    /// The result of the last search; nil before the first search.
    private(set) var found: Segmentation?
    private(set) var times = StageTimes()
    private var searched: (picture: Matrix<UInt8>, model: BlobSettings.Model)?
    private var view: View?
    private var learned: LearnedBackground?

    /// The foreground mask of the last search; empty before the first search.
    var mask: Matrix<UInt8> { found?.mask ?? Matrix() }

    /// Returns the blobs of an image with 1 or 3 channels.
    mutating func find(_ picture: Matrix<UInt8>, _ search: BlobSearch) throws(VisionError) -> [Candidate] {
        let start = StageTimes.now
        (view, searched, times) = (nil, (picture, search.model), StageTimes())
        var found: Segmentation
        switch search.model {
        case .frameMean:
            found = try Segmentation(nearMean: picture, search)
        case .border:
            let view = try View(picture, search)
            let foreground = view.foreground
            times.background = StageTimes.now - start
            found = try Segmentation(foreground, view, search)
            self.view = view
        case .mog2, .knn:
            let model: LearnedBackground
            if let learned, learned.suits(picture, search.model) {
                model = learned
            } else {
                model = try LearnedBackground(search.model, for: picture)
            }
            learned = model
            let foreground = try model.foreground(picture, search)
            times.background = StageTimes.now - start
            found = try Segmentation(foreground, nil, search)
            found.shadows = model.shadows
        }
        times.shadows = found.shadowTime
        times.candidates = StageTimes.now - start - times.background - times.shadows
        self.found = found
        return found.candidates
    }

    /// Searches a candidate of the last search again, in a closer view (a part of the frame in higher resolution).
    /// Returns the blobs, in pixels of the closer view.
    /// - Parameters:
    ///   - part: an image that shows the candidate and some background around it. It may have any size, but must have
    ///     as many channels as the searched image.
    ///   - place: the position of `part` in the frame, in pixels before the frame was reduced.
    func refine(
        _ candidate: Candidate, _ part: Matrix<UInt8>, _ place: Rectangle, _ search: BlobSearch
    ) throws(VisionError) -> [Candidate] {
        guard let refinable = candidate.refinable, let view, !view.frame.isEmpty else { return [] }
        let (across, down) = (search.scale / Double(view.frame.width), search.scale / Double(view.frame.height))
        let close = try View(
            part,
            Box(
                x: Double(place.x) * across, y: Double(place.y) * down, width: Double(place.width) * across,
                height: Double(place.height) * down),
            of: view, search)
        return try Segmentation(of: refinable, in: close, view.frame, found?.light, search).candidates
    }

    /// Discards the results of the last search, but keeps the learned background.
    mutating func clear() { (found, view, searched, times) = (nil, nil, nil, StageTimes()) }

    /// The background that the last search estimated, in the size of the searched image; nil if the background is
    /// unknown.
    var background: Matrix<UInt8>? {
        get throws(VisionError) {
            guard let searched else { return nil }
            return switch searched.model {
            case .border: view?.ground.image(width: searched.picture.width, height: searched.picture.height)
            case .frameMean: searched.picture.filledWithMean
            case .mog2, .knn: try learned?.image
            }
        }
    }
}
