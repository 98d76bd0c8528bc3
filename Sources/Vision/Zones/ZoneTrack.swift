// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A step of an object's path: the straight line between two consecutive positions.
struct ZoneStep {
    /// The previous position; nil for the first position of an object.
    var start: Point?
    var end: Point
    /// Times of the two positions, in seconds.
    var startTime: Double
    var time: Double

    func time(at share: Double) -> Double { startTime + share * (time - startTime) }
}

/// Estimates the time at which an object crosses a border. Noise in the positions near the border causes a group of
/// several crossings. The estimate is the mean of the times of the first and the last crossing of this group.
struct BorderTime: Sendable {
    private var first = 0.0
    private var last = 0.0
    /// True if the next crossing starts a new group of crossings.
    private var isEnded = true

    /// Consecutive crossings of a border form a group if the time between them is at most this value, in seconds. Also
    /// the maximum time from the estimated time to the last crossing.
    private static let group = 0.5

    var time: Double { max((first + last) / 2, last - Self.group) }

    mutating func cross(at time: Double) {
        if isEnded || time - last > Self.group { first = time }
        (last, isEnded) = (time, false)
    }

    /// Ends the group of crossings, because the object is clearly on one side.
    mutating func end() { isEnded = true }
}

/// The typical time between two frames, in seconds.
struct FrameInterval: Sendable {
    private var lastTime: Double?
    private var last: Double?
    private var beforeLast: Double?

    /// Adds the time of a frame, and returns the typical interval. Returns 0 for the first frame.
    mutating func add(_ time: Double) -> Double {
        defer { lastTime = time }
        guard let lastTime, time > lastTime else { return 0 }
        defer { (last, beforeLast) = (time - lastTime, last) }
        guard let last else { return time - lastTime }
        // Use the shorter of the two previous intervals, because a gap in the stream makes only one of them longer.
        return min(last, beforeLast ?? last)
    }

    /// Makes the next call of `add` start a new interval, for example after a seek.
    mutating func interrupt() { lastTime = nil }
}

/// State that determines if an object is in an area, with hysteresis in space and time.
struct AreaState: Sendable {
    enum Change: Equatable {
        case entered
        case left(duration: Double)
    }

    private(set) var isInside = false
    /// Time of the border crossing at which the object entered the area for the last time.
    private(set) var entryTime = 0.0
    private var border = BorderTime()
    /// Time of the last border crossing.
    var borderTime: Double { border.time }
    private var hasDwelt = false
    private var wasInside: Bool?
    /// Time of the first position that is clearly on the other side of the border. Nil if the last position is on the
    /// current side.
    private var otherSideTime: Double?

    mutating func follow(_ step: ZoneStep, _ area: ZonePolygon, thickness: Double, _ rules: ZoneRules) -> Change? {
        // In a narrow area, every position may be nearer to the border than `margin`. So limit the margin.
        let placement = area.placement(of: step.end, margin: min(rules.margin, thickness / 2))
        if let wasInside, let start = step.start {
            if placement.isInside != wasInside {
                border.cross(at: step.time(at: area.lastCrossing(from: start, to: step.end)))
            }
        } else if placement.isInside {
            // An object that appears in the area enters at its first position.
            border.cross(at: step.time)
        }
        wasInside = placement.isInside
        guard placement.isInside != isInside else {
            otherSideTime = nil
            if placement.isClear { border.end() }
            return nil
        }
        guard placement.isClear else { return nil }
        let since = otherSideTime ?? step.time
        otherSideTime = since
        guard rules.isReached(rules.settle, since: since, at: step.time) else { return nil }
        otherSideTime = nil
        isInside = placement.isInside
        border.end()
        guard isInside else { return .left(duration: max(0, borderTime - entryTime)) }
        (entryTime, hasDwelt) = (borderTime, false)
        return .entered
    }

    /// Returns true once for each stay in the area, when its duration reaches `ZoneRules.dwell`. Returns false if the
    /// last position is outside, even if the object still counts as inside.
    mutating func dwells(at time: Double, _ rules: ZoneRules) -> Bool {
        guard isInside, wasInside == true, !hasDwelt, rules.dwell > 0,
            rules.isReached(rules.dwell, since: entryTime, at: time)
        else { return false }
        hasDwelt = true
        return true
    }
}

/// State that determines the side of a line on which an object is, with hysteresis in space and time.
struct LineState: Sendable {
    /// The current side: 1 = right, -1 = left, 0 = no position yet.
    private var side = 0
    /// Number of forward crossings minus number of backward crossings of the segment, since the object was last clearly
    /// on `side`. So noise at the line counts as at most one crossing.
    private var crossings = 0
    private var border = BorderTime()
    /// Time of the last crossing.
    var crossingTime: Double { border.time }
    private var otherSideTime: Double?

    /// Returns true for a forward crossing, false for a backward crossing, and nil for no crossing.
    mutating func follow(_ step: ZoneStep, _ line: DirectedLine, _ rules: ZoneRules) -> Bool? {
        if side != 0, let start = step.start, let crossing = line.crossing(from: start, to: step.end) {
            crossings = max(-1000, min(1000, crossings + (crossing.isForward ? 1 : -1)))
            border.cross(at: step.time(at: crossing.share))
        }
        let distance = line.distance(of: step.end)
        let isClear = distance.magnitude > rules.margin
        let current = distance >= 0 ? 1 : -1
        // The first position determines the side, even if it is within the margin. Otherwise, an object that appears
        // near the line and then crosses the line would not count.
        if side == 0 { side = current }
        if current == side {
            otherSideTime = nil
            if isClear {
                crossings = 0
                border.end()
            }
            return nil
        }
        guard isClear else { return nil }
        let since = otherSideTime ?? step.time
        otherSideTime = since
        guard rules.isReached(rules.settle, since: since, at: step.time) else { return nil }
        border.end()
        defer { (side, crossings, otherSideTime) = (current, 0, nil) }
        // If the object has changed sides without crossing the segment, it has passed around an end of the line.
        return crossings * current > 0 ? current > 0 : nil
    }
}

/// A tracked object, and its state in each zone.
struct ZoneTrack: Sendable {
    enum State: Sendable {
        case area(AreaState)
        case line(LineState)
    }

    var object: ZoneObject
    var lastTime: Double
    /// Exponentially smoothed velocity, in frame heights per second.
    private(set) var velocity = Point(0, 0)
    /// The state in each zone, in the order of the zones.
    var states: [State]

    /// Time constant of the smoothing of the velocity, in seconds.
    private static let velocityTime = 0.3

    init(_ object: ZoneObject, at time: Double, _ zones: [PlacedZone]) {
        (self.object, lastTime) = (object, time)
        states = zones.map { State(for: $0) }
    }

    /// Moves the track to the object's position in a new frame.
    mutating func move(to object: ZoneObject, at time: Double) {
        let passed = time - lastTime
        if passed > 0 {
            let current = (object.anchor - self.object.anchor) / passed
            velocity = velocity.moved(towards: current, by: passed / (passed + Self.velocityTime))
        }
        (self.object, lastTime) = (object, time)
    }

    /// Returns the expected position at a later time, by linear extrapolation.
    func expected(at time: Double) -> Point { object.anchor + velocity * (time - lastTime) }
}

extension ZoneTrack.State {
    init(for zone: PlacedZone) {
        switch zone.shape {
        case .area: self = .area(AreaState())
        case .line: self = .line(LineState())
        }
    }
}
