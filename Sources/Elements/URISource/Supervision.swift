// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Decides when to open and close connections to a camera, and when the camera counts as lost. This struct uses neither
/// threads nor GStreamer. All times are values of `ClockTime.now`.
///
/// A silent connection is not closed immediately. It stays open while `Supervision` tries new connections, one after
/// another. The first connection that sends a frame is kept. Thus, a slow camera has enough time to answer, and a
/// frozen camera can continue on the old connection. A restarted camera answers only new connections, so the attempts
/// follow each other quickly.
struct Supervision {
    struct Limits: Sendable {
        /// If no frame arrives for this time, the camera is lost. If no data arrives on a new connection for this time,
        /// another connection is opened.
        var timeout = 2 * ClockTime.second
        /// Time before the first new attempt. The time doubles after each failed attempt, up to `maximumInterval`.
        var interval = ClockTime.second / 10
        var maximumInterval = ClockTime.second / 2
        /// False for addresses at which the source waits for a sender, such as UDP ports. A second connection to such
        /// an address has no effect, so `Supervision` opens a new connection only after a failure.
        var triesAnew = true
        /// True for a camera of this machine, which only one connection can use. `Supervision` then closes a silent
        /// connection before it opens the next one. A new connection counts as silent only after `startPatience`.
        var isExclusive = false

        /// The time from the opening of a camera of this machine to the first data, before the connection counts as
        /// failed. Some cameras need several seconds for the first frame, and a new connection would start such a
        /// camera again.
        var startPatience: ClockTime { max(10 * ClockTime.second, 5 * timeout) }
    }

    enum Action: Equatable {
        case open(Int)
        case close(Int)
        /// The camera is lost. `isNew` is true at the beginning of an outage, and false if only the reason changes.
        case lost(LossReason, isNew: Bool)
        case back(after: ClockTime)
        case endOfStream
    }

    private struct Connection {
        let id: Int
        var opened: ClockTime
        /// The time at which the connection last received data. The data may be incomplete.
        var heard: ClockTime
        /// The time of the first data; nil before the first data.
        var firstData: ClockTime?
        /// True when the connection is open. Opening a camera of this machine can take a long time.
        var isOpen = false

        init(_ id: Int, _ time: ClockTime) { (self.id, opened, heard) = (id, time, time) }

        mutating func hear(_ time: ClockTime) {
            firstData = firstData ?? time
            heard = max(heard, time)
        }
    }

    private let limits: Limits
    private let began: ClockTime
    /// At most two connections: the oldest connection that has not failed, and the newest connection.
    private var connections: [Connection] = []
    private var lastID = 0
    /// `id`: the connection that delivered the last frame. `time`: the arrival time of this frame.
    private var last: (id: Int, time: ClockTime)?
    private var outage: (since: ClockTime, reason: LossReason)?
    private var failures = 0
    private var retry: ClockTime

    /// Intervals between connection attempts if only a user can solve the problem, such as a wrong password.
    /// `slowInterval`: the first interval. `longestSlowInterval`: the maximum interval.
    private static let slowInterval = ClockTime.second
    private static let longestSlowInterval = 30 * ClockTime.second
    /// The oldest connection is closed after this time without data.
    private static let patience = 30 * ClockTime.second

    init(_ limits: Limits, at time: ClockTime) { (self.limits, began, retry) = (limits, time, time) }

    /// The reason for the current outage; nil if there is no outage.
    var reason: LossReason? { outage?.reason }
    var hasFrames: Bool { last != nil }
    /// The number of connections opened so far.
    var attempts: Int { lastID }

    /// The latest time for the next call of `advance`.
    var due: ClockTime {
        if outage == nil, let last { return last.time + limits.timeout }
        return retry
    }

    // MARK: - What happens

    /// Records that a connection is open. Only necessary for a camera of this machine.
    mutating func opened(_ id: Int, at time: ClockTime) {
        guard limits.isExclusive, let index = connections.firstIndex(where: { $0.id == id }) else { return }
        (connections[index].opened, connections[index].isOpen) = (time, true)
    }

    /// Handles a frame.
    /// - Returns: nil if the connection of the frame is already closed, so that the frame must be ignored.
    mutating func frame(from id: Int, at time: ClockTime) -> [Action]? {
        guard let index = connections.firstIndex(where: { $0.id == id }) else { return nil }
        connections[index].hear(time)
        var actions = connections.filter { $0.id != id }.map { Action.close($0.id) }
        if !actions.isEmpty { connections.removeAll { $0.id != id } }
        if let outage { actions.append(.back(after: time.since(outage.since) ?? .zero)) }
        (outage, failures, last) = (nil, 0, (id, time))
        return actions
    }

    /// Handles the end of a connection.
    /// - Parameter isComplete: true at the normal end of a finite stream, false for a lost connection.
    mutating func ended(_ id: Int, isComplete: Bool, at time: ClockTime) -> [Action] {
        isComplete && last?.id == id && outage == nil ? [.endOfStream] : failed(id, .closed, at: time)
    }

    mutating func failed(_ id: Int, _ reason: LossReason, at time: ClockTime) -> [Action] {
        guard let index = connections.firstIndex(where: { $0.id == id }) else { return [] }
        let isNewest = index == connections.endIndex - 1
        connections.remove(at: index)
        failures = min(failures + 1, 30)
        if isNewest { retry = time + interval(after: reason) }
        return [.close(id)] + lose(reason, at: time)
    }

    private func interval(after reason: LossReason) -> ClockTime {
        let first = reason.needsAttention ? max(limits.interval, Self.slowInterval) : limits.interval
        let maximum = reason.needsAttention ? Self.longestSlowInterval : limits.maximumInterval
        return min(max(maximum, limits.maximumInterval), UInt64(1) << UInt64(max(0, failures - 1)) * first)
    }

    private mutating func lose(_ reason: LossReason, at time: ClockTime) -> [Action] {
        let previous = outage
        guard previous?.reason != reason else { return [] }
        outage = (previous?.since ?? last?.time ?? began, reason)
        return [.lost(reason, isNew: previous == nil)]
    }

    // MARK: - Time passes

    /// Handles the passage of time: detects outages, and opens and closes connections.
    /// - Parameters:
    ///   - heard: returns the time of the last data on a connection.
    ///   - mayOpen: false while too many connections are closing.
    mutating func advance(to time: ClockTime, mayOpen: Bool = true, heard: (Int) -> ClockTime?) -> [Action] {
        for index in connections.indices {
            guard let heard = heard(connections[index].id) else { continue }
            connections[index].hear(heard)
        }
        var actions: [Action] = []
        if outage == nil, let last {
            guard time >= last.time + limits.timeout else { return [] }
            // If data has arrived recently, but no frame, the decoder cannot decode the data.
            let isHeard = connections.contains { $0.heard > last.time + limits.timeout / 2 }
            actions += lose(isHeard ? .undecodable : .stalled, at: time)
            retry = time
        }
        if let oldest = connections.first, time >= oldest.heard + max(Self.patience, limits.timeout), limits.triesAnew,
            !limits.isExclusive
        {
            connections.removeFirst()
            actions.append(.close(oldest.id))
        }
        guard time >= retry else { return actions }
        if let newest = connections.last {
            if isUnderWay(newest, at: time) {
                retry = newest.heard + limits.timeout
                return actions
            }
            actions += outage == nil ? lose(.noAnswer, at: time) : []
            guard !isStarting(newest, at: time) else {
                retry = time + limits.timeout
                if newest.isOpen { retry = min(retry, newest.opened + limits.startPatience) }
                return actions
            }
            guard limits.triesAnew else {
                retry = time + limits.timeout
                return actions
            }
            if limits.isExclusive {
                actions += connections.map { .close($0.id) }
                connections = []
                retry = time + limits.interval
                return actions
            }
        }
        guard mayOpen else {
            retry = time + max(limits.interval, ClockTime.second / 10)
            return actions
        }
        if connections.count > 1 { actions.append(.close(connections.removeLast().id)) }
        lastID += 1
        connections.append(Connection(lastID, time))
        retry = time + limits.timeout
        return actions + [.open(lastID)]
    }

    /// Returns true if a new connection still receives data, so that its first frame may arrive soon. Decoders need
    /// some data before the first frame.
    private func isUnderWay(_ connection: Connection, at time: ClockTime) -> Bool {
        let start = limits.isExclusive ? connection.firstData : connection.opened
        guard let start else { return false }
        return time < connection.heard + limits.timeout && time < start + 5 * limits.timeout
            && connection.id != last?.id
    }

    /// Returns true while a camera of this machine has sent no data, but has time left to start.
    private func isStarting(_ connection: Connection, at time: ClockTime) -> Bool {
        limits.isExclusive && connection.firstData == nil
            && (!connection.isOpen || time < connection.opened + limits.startPatience)
    }
}
