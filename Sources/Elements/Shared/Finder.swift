// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// Follows objects in the frames of a stream, and searches a frame itself or has somebody else do it.
protocol ObjectTracker: SendableMetatype {
    associatedtype Object
    associatedtype Search: Sendable
    associatedtype Findings: Sendable

    /// The search that is due elsewhere with the last frame.
    var dueSearch: Search? { get }
    func reset()
    /// Returns the objects in a frame, searched or followed.
    /// - Parameter plane: its luma.
    func objects(in plane: Image, of pixels: FrameImage, frame: Int, searching: Searching) throws -> [Object]
    /// Adds what a search elsewhere has found in an earlier plane.
    func add(_ findings: Findings, seenIn plane: Image) throws
}

/// Finds objects according to some settings, in the streaming thread or with searches of copies of its frames in
/// another one.
final class Finder<Tracker: ObjectTracker> {
    typealias Search = (Image, Tracker.Search) throws -> Tracker.Findings

    /// The search and its plane, which belong to the job while it is under way, else to the streaming thread.
    private final class Desk: @unchecked Sendable {
        // Unchecked because `job` determines who may touch it, and ownership changes under its lock.
        var search: Search?
        let plane = OwnedImage(.gray8)
    }

    let tracker: Tracker
    private let makeSearch: @Sendable () throws -> Search
    private let desk = Desk()
    private let job = BackgroundJob<Tracker.Findings>()
    private let luma = LumaPlane()
    private var liveness = LivenessProbe()
    private var frame = 0

    /// - Parameter makeSearch: makes the search when it is first needed; it and the search run in the other thread.
    init(_ tracker: Tracker, _ makeSearch: @escaping @Sendable () throws -> Search) {
        (self.tracker, self.makeSearch) = (tracker, makeSearch)
    }

    /// Forgets all objects, as after a seek, and asks again whether the source is live.
    func reset() {
        tracker.reset()
        liveness = LivenessProbe()
    }

    /// Returns the objects in the next frame; those known so far if the stream does not wait for searches.
    func objects<Settings>(
        in pixels: FrameImage, _ mode: SearchMode, _ host: Host<Settings>
    ) throws -> [Tracker.Object] {
        frame += 1
        let plane = try luma.of(pixels)
        guard !liveness.waits(mode, host) else {
            return try tracker.objects(in: plane, of: pixels, frame: frame, searching: .here)
        }
        if let findings = try job.take() { try tracker.add(findings, seenIn: desk.plane.image) }
        let objects = try tracker.objects(
            in: plane, of: pixels, frame: frame, searching: job.isIdle ? .elsewhere : .later)
        if let due = tracker.dueSearch {
            desk.plane.copy(plane)
            job.begin(on: host.worker) { [desk, makeSearch] in
                let search = try desk.search ?? makeSearch()
                desk.search = search
                return try search(desk.plane.image, due)
            }
        }
        return objects
    }
}
