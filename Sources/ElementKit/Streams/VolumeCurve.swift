// SPDX-License-Identifier: LGPL-2.1-or-later

/// A volume over the running time: constant before the first point and after the last point, and linear between two
/// points. The first point has the time zero.
struct VolumeCurve {
    private(set) var points: [(time: ClockTime, volume: Double)]

    init(_ volume: Double) { points = [(.zero, volume)] }

    var final: Double { points.last?.volume ?? 0 }
    var end: ClockTime { points.last?.time ?? .zero }

    func volume(at time: ClockTime) -> Double {
        guard let next = points.firstIndex(where: { $0.time > time }) else { return final }
        guard next > 0 else { return points[next].volume }
        let (before, after) = (points[next - 1], points[next])
        guard let passed = time.since(before.time), let length = after.time.since(before.time) else { return final }
        return before.volume + (after.volume - before.volume) * passed.seconds / length.seconds
    }

    mutating func change(from time: ClockTime, _ new: [(time: ClockTime, volume: Double)]) {
        let now = volume(at: time)
        points = points.filter { $0.time < time } + [(time, now)] + new.filter { $0.time > time }
        if points.first.map({ $0.time > .zero }) ?? false { points.insert((.zero, now), at: 0) }
    }

    /// Removes the points up to `time`, except the last of these points. Adds a point at zero with the same volume.
    mutating func forget(before time: ClockTime) {
        guard let last = points.lastIndex(where: { $0.time <= time }), last > 0 else { return }
        let volume = points[last].volume
        points.replaceSubrange(...last, with: [(.zero, volume), points[last]])
    }
}
