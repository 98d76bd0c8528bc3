// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Decides when connections to a camera are opened and closed, and when the camera counts as lost. Knows neither threads nor
/// GStreamer; times are those of `ClockTime.now`.
///
/// A connection that says nothing is not given up at once. It stays open while others are tried beside it, one after another,
/// and the first one with a frame wins. So a camera that is slow gets the time that it needs, and one that was frozen goes on
/// where it stopped. One that was restarted answers only a new connection, so these are never far apart.
struct Supervision {
    struct Limits: Sendable {
        /// The longest silence of a connection.
        var timeout = 2 * ClockTime.second
        /// The time to the first new attempt; doubles with each.
        var interval = ClockTime.second / 10
        var maximumInterval = ClockTime.second / 2
        /// False for addresses at which nobody can be called, as those where senders are waited for.
        var triesAnew = true
    }

    enum Action: Equatable {
        case open(Int)
        case close(Int)
        /// `isNew` at the beginning of an outage; false if only the reason is another one.
        case lost(LossReason, isNew: Bool)
        case back(after: ClockTime)
        case endOfStream
    }

    private struct Connection {
        let id: Int
        let opened: ClockTime
        /// When data came last, decoded or not.
        var heard: ClockTime

        init(_ id: Int, _ time: ClockTime) { (self.id, opened, heard) = (id, time, time) }
    }

    private let limits: Limits
    private let began: ClockTime
    /// At most two: the oldest that has not failed, and the newest.
    private var connections: [Connection] = []
    private var lastID = 0
    /// The connection that gave the last frame, and when.
    private var last: (id: Int, time: ClockTime)?
    private var outage: (since: ClockTime, reason: LossReason)?
    private var failures = 0
    private var retry: ClockTime

    /// While a camera that needs attention is lost.
    private static let slowInterval = ClockTime.second
    private static let longestSlowInterval = 30 * ClockTime.second
    /// How long a connection that says nothing stays open beside others.
    private static let patience = 30 * ClockTime.second

    init(_ limits: Limits, at time: ClockTime) { (self.limits, began, retry) = (limits, time, time) }

    /// Why no frames come; nil while they do, and before that is decided.
    var reason: LossReason? { outage?.reason }
    var hasFrames: Bool { last != nil }
    /// The number of connections that were opened.
    var attempts: Int { lastID }

    /// When `advance` is to be called again, at the latest.
    var due: ClockTime {
        if outage == nil, let last { return last.time + limits.timeout }
        return retry
    }

    // MARK: - What happens

    /// - Returns: nil if the frame comes too late: its connection was given up.
    mutating func frame(from id: Int, at time: ClockTime) -> [Action]? {
        guard let place = connections.firstIndex(where: { $0.id == id }) else { return nil }
        connections[place].heard = time
        var actions = connections.filter { $0.id != id }.map { Action.close($0.id) }
        if !actions.isEmpty { connections.removeAll { $0.id != id } }
        if let outage { actions.append(.back(after: time.since(outage.since) ?? .zero)) }
        (outage, failures, last) = (nil, 0, (id, time))
        return actions
    }

    /// - Parameter isWhole: whether it is the end of a stream that has one.
    mutating func ended(_ id: Int, isWhole: Bool, at time: ClockTime) -> [Action] {
        isWhole && last?.id == id && outage == nil ? [.endOfStream] : failed(id, .closed, at: time)
    }

    mutating func failed(_ id: Int, _ reason: LossReason, at time: ClockTime) -> [Action] {
        guard let place = connections.firstIndex(where: { $0.id == id }) else { return [] }
        let isNewest = place == connections.endIndex - 1
        connections.remove(at: place)
        failures = min(failures + 1, 30)
        if isNewest { retry = time + interval(after: reason) }
        return [.close(id)] + lose(reason, at: time)
    }

    private func interval(after reason: LossReason) -> ClockTime {
        let first = reason.needsAttention ? max(limits.interval, Self.slowInterval) : limits.interval
        let most = reason.needsAttention ? Self.longestSlowInterval : limits.maximumInterval
        return min(max(most, limits.maximumInterval), UInt64(1) << UInt64(max(0, failures - 1)) * first)
    }

    private mutating func lose(_ reason: LossReason, at time: ClockTime) -> [Action] {
        let known = outage
        guard known?.reason != reason else { return [] }
        outage = (known?.since ?? last?.time ?? began, reason)
        return [.lost(reason, isNew: known == nil)]
    }

    // MARK: - Time passes

    /// - Parameters:
    ///   - heard: returns when data came last over a connection.
    ///   - mayOpen: false while too many connections are still being closed.
    mutating func advance(to time: ClockTime, mayOpen: Bool = true, heard: (Int) -> ClockTime?) -> [Action] {
        for index in connections.indices {
            guard let heard = heard(connections[index].id) else { continue }
            connections[index].heard = max(connections[index].heard, heard)
        }
        var actions: [Action] = []
        if outage == nil, let last {
            guard time >= last.time + limits.timeout else { return [] }
            actions += lose(.stalled, at: time)
            retry = time
        }
        if let oldest = connections.first, time >= oldest.heard + Self.patience, limits.triesAnew {
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
            guard limits.triesAnew else {
                retry = time + limits.timeout
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

    /// Returns whether a connection may yet bring a frame soon: data come, of which decoders need some time to make one.
    private func isUnderWay(_ connection: Connection, at time: ClockTime) -> Bool {
        time < connection.heard + limits.timeout && time < connection.opened + 5 * limits.timeout
            && connection.id != last?.id
    }
}
