// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// Tracks objects in the frames of a stream. The tracker either searches a frame itself, or returns a search that
/// another thread must do.
protocol ObjectTracker: SendableMetatype {
    associatedtype Object
    associatedtype Search: Sendable
    associatedtype Findings: Sendable

    /// The search that another thread must do in the last frame; nil if no search is necessary.
    var dueSearch: Search? { get }
    func reset()
    /// Returns the objects in a frame, by detection or by tracking.
    /// - Parameter plane: the luma plane of the frame.
    func objects(in plane: Image, of pixels: FrameImage, frame: Int, searching: Searching) throws -> [Object]
    /// Adds the objects that another thread found in an earlier frame.
    /// - Parameter plane: the luma plane of the earlier frame that was searched.
    func add(_ findings: Findings, seenIn plane: Image) throws
}

/// Detects and tracks objects in a stream. The detection runs either on the streaming thread, or on another thread with
/// copies of the frames.
final class Finder<Tracker: ObjectTracker> {
    typealias Search = (Image, Tracker.Search) throws -> Tracker.Findings

    /// The search function and the luma plane to search. While a job is running, only the job uses this object. At
    /// other times, only the streaming thread uses this object.
    private final class Desk: @unchecked Sendable {
        // The class is `@unchecked Sendable`, because its properties are mutable. `job` determines which thread may use
        // the properties. The lock of `job` protects each handover between the threads.
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

    /// - Parameter makeSearch: creates the search function before its first use. `makeSearch` and the search function
    ///   run on the host's worker thread.
    init(_ tracker: Tracker, _ makeSearch: @escaping @Sendable () throws -> Search) {
        (self.tracker, self.makeSearch) = (tracker, makeSearch)
    }

    /// Forgets all objects, for example after a seek. The next frame checks again whether the source is live.
    func reset() {
        tracker.reset()
        liveness = LivenessProbe()
    }

    /// Returns the objects in the next frame. If the stream does not wait for searches, objects from the current search
    /// appear in a later frame.
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
