// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Finds what differs from the background of an image. One thread at a time may use it.
struct BlobFinder {
    /// What the last search saw and found.
    private(set) var found: Segmentation?
    private(set) var times = StageTimes()
    private var searched: (picture: Matrix<UInt8>, model: BlobSettings.Model)?
    private var view: View?
    private var learned: LearnedBackground?

    /// The foreground of the last search.
    var mask: Matrix<UInt8> { found?.mask ?? Matrix() }

    /// Searches an image, of 1 or 3 channels, for blobs.
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

    /// Returns what a closer view shows of a candidate of the last search, in pixels of that view.
    /// - Parameters:
    ///   - part: the candidate and its surroundings, with the channels of the image that was searched, in any size.
    ///   - place: what `part` shows, in pixels of the frame before it was reduced.
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
            of: view)
        return try Segmentation(of: refinable, in: close, view.frame, found?.light, search).candidates
    }

    /// Forgets the last search.
    mutating func clear() { (found, view, searched, times) = (nil, nil, nil, StageTimes()) }

    /// The background that the last search assumed, in the size of its image; nil if it is not known.
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
