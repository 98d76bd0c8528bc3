import CElements
import CGStreamer

/// What the Swift side of every element has: the link to its GObject, the element, and the streaming thread's state.
class ElementInstance<E: Element, State>: ObjectInstance {
    let host: Host<E.Settings>
    let element: E

    // These belong to the streaming thread. The base classes call start and stop while it stands still.
    private var state: State?
    /// Whether an error was posted and nothing has gone well since.
    private(set) var failed = false

    init(_ host: Host<E.Settings>) {
        self.host = host
        element = E(host: host)
    }

    override var object: AnyObject? { element }
    override func setProperty(_ id: UInt32, _ value: UnsafePointer<GValue>) { host.setProperty(id, value) }
    override func getProperty(_ id: UInt32, _ value: UnsafeMutablePointer<GValue>) { host.getProperty(id, value) }
    func keyPressed(_ key: String) { element.keyPressed(key) }

    /// The element begins to leave PAUSED for READY, or has left it.
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

    /// New caps may mend what went wrong with the old ones.
    func configured() { failed = false }

    /// Runs `body` on the state; nil, after an error was posted, where it throws or the element has not started. Of a
    /// row of errors only the first is posted: upstream may offer the same caps again with each frame.
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

    /// Brings controlled properties to where their curves are at this time.
    func follow(_ time: FrameTime) {
        guard let streamTime = time.streamTime else { return }
        gst_object_sync_values(
            UnsafeMutableRawPointer(host.object).assumingMemoryBound(to: GstObject.self), GstClockTime(streamTime))
    }
}
