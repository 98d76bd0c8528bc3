import CElements
import CGStreamer

/// The Swift side of every element: the link to its GObject, the element, and the streaming thread's state.
class ElementInstance<E: Element, State>: ObjectInstance {
    let host: Host<E.Settings>
    let element: E

    // These belong to the streaming thread. The base classes call start and stop while it is not running.
    private var state: State?
    /// True if an error was posted and nothing has succeeded since.
    private(set) var failed = false

    init(_ host: Host<E.Settings>) {
        self.host = host
        element = E(host: host)
    }

    override var object: AnyObject? { element }
    override func setProperty(_ id: UInt32, _ value: UnsafePointer<GValue>) { host.setProperty(id, value) }
    override func getProperty(_ id: UInt32, _ value: UnsafeMutablePointer<GValue>) { host.getProperty(id, value) }
    func keyPressed(_ key: String) { element.keyPressed(key) }

    /// Notes that the element has begun to go from PAUSED to READY, or has got there.
    func setEnding(_ isEnding: Bool) {
        if isEnding { host.worker.hurry() } else { host.worker.relax() }
    }

    func begin(_ make: () throws -> State) -> Bool {
        failed = false
        do {
            state = try make()
            return true
        } catch {
            host.post(error: error)
            return false
        }
    }

    func end(_ stop: (inout State) -> Void) {
        host.worker.finish()
        if var last = state.take() { stop(&last) }
    }

    /// Allows errors to be posted again: new caps may cure what was wrong with the old ones.
    func configured() { failed = false }

    /// Runs `body` on the state. Returns nil, after an error was posted, if it throws or the element has not started.
    /// Of consecutive errors only the first is posted: upstream may offer the same caps again with each frame.
    @discardableResult
    func attempt<Result>(_ body: (inout State) throws -> Result) -> Result? {
        guard var current = state.take() else { return nil }
        defer { state = current }
        do {
            return try body(&current)
        } catch {
            if !failed { host.post(error: error) }
            failed = true
            return nil
        }
    }

    /// Sets controlled properties to the values that their curves have at this time.
    func follow(_ time: FrameTime) {
        guard let streamTime = time.streamTime else { return }
        gst_object_sync_values(
            UnsafeMutableRawPointer(host.object).assumingMemoryBound(to: GstObject.self), GstClockTime(streamTime))
    }
}
