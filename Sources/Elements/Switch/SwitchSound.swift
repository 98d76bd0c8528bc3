// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Glibc
import Synchronization
import Transitions

/// Switches and fades the sound of the inputs. For each input with the property `sound`, a stock element `volume` has
/// the volume 1 while the input is active, and otherwise 0. During a transition with the progress p, the old input has
/// the volume cos(p π/2), and the new input has the volume sin(p π/2). The sum of the squares is 1, so two different
/// sounds keep their total power.
struct SwitchSound {
    private let host: Host<Switch.Settings>
    /// The elements `volume`, by name.
    private var volumes: [String: SoundVolume] = [:]
    /// The names for which the last search found no element `volume`.
    private var missing: Set<String> = []
    /// The names of elements `volume` for which the worker thread searches.
    private var searched: Set<String> = []
    private let results = Results()
    /// The names of the elements `volume`, by input number.
    private var names: [Int: String] = [:]
    private var target: Target
    private var lastTime: ClockTime?
    /// The time of the next search for missing elements `volume`.
    private var nextSearch: ClockTime?

    private final class Results: Sendable {
        let list = Mutex<[(name: String, volume: SoundVolume?)]>([])
    }

    /// The audible inputs, and the transition between them.
    fileprivate enum Target: Equatable {
        case steady(Int)
        case fade(from: Int, to: Int, start: ClockTime, duration: ClockTime, easing: Easing, origin: Double)
        case manual(from: Int, to: Int, position: Double)

        /// Returns true if an input is audible now or at the end of the transition.
        func plays(_ input: Int) -> Bool {
            switch self {
            case .steady(let on): input == on
            case .fade(let from, let to, _, _, _, _), .manual(let from, let to, _): input == from || input == to
            }
        }
    }

    init(_ host: Host<Switch.Settings>, pads: [SwitchPad], active: Int) {
        (self.host, target) = (host, .steady(active))
        for pad in pads {
            if let number = pad.number, let name = pad.sound { names[number] = name }
        }
        // Set the volumes before the stream starts, so that they also apply to the first samples.
        for name in Set(names.values) {
            let initial = gain(of: name)
            host.warning { volumes[name] = try host.takeVolume(name, initial: initial) }
            if volumes[name] == nil { missing.insert(name) }
        }
    }

    /// Restores the volumes that the elements `volume` had before.
    mutating func release() {
        volumes = [:]
        results.list.withLock { $0 = [] }
    }

    /// Changes the volumes of the inputs for the frame at `time`.
    mutating func follow(_ choice: SwitchChoice.Choice, _ pads: [Int: SwitchPad], _ time: ClockTime) {
        guard let new = Target(choice) else { return }
        let old = target
        target = new
        names = pads.compactMapValues(\.sound)
        let wanted = Set(names.values)
        guard !wanted.isEmpty || !volumes.isEmpty else { return }
        volumes = volumes.filter { wanted.contains($0.key) }
        missing.formIntersection(wanted)
        let begin = self.begin(from: old, at: time)
        takeResults(wanted, at: time, begin)
        search(wanted, at: time)
        for (name, volume) in volumes {
            if new != old { change(volume, name, at: time, begin) } else { volume.settle() }
        }
        lastTime = time
    }

    private mutating func takeResults(_ wanted: Set<String>, at time: ClockTime, _ begin: ClockTime) {
        let found = results.list.withLock { list in
            defer { list = [] }
            return list
        }
        for (name, volume) in found {
            searched.remove(name)
            guard wanted.contains(name) else { continue }
            if let volume {
                missing.remove(name)
                volumes[name] = volume
                change(volume, name, at: time, begin)
            } else {
                missing.insert(name)
            }
        }
    }

    /// Starts searches for elements `volume` on the worker thread: at once for a new name, and every second for a
    /// missing element.
    private mutating func search(_ wanted: Set<String>, at time: ClockTime) {
        for (name, volume) in volumes where !volume.isPresent {
            volumes[name] = nil
            missing.insert(name)
            host.post(
                warning: ElementError(
                    .notFound,
                    "sound=\"\(name)\": the element \"\(name)\" is no longer in the pipeline. Set sound to the name of "
                        + "another element volume, or to none."))
        }
        let isDue = nextSearch.map { time >= $0 || $0 > time + .second } ?? true
        if isDue { nextSearch = time + .second }
        for name in wanted where volumes[name] == nil && !searched.contains(name) {
            let isNew = !missing.contains(name)
            guard isNew || isDue else { continue }
            searched.insert(name)
            let initial = gain(of: name)
            host.worker.run { [host, results] in
                var volume: SoundVolume?
                do {
                    volume = try host.takeVolume(name, initial: initial)
                } catch {
                    // One warning for each name is enough.
                    if isNew { host.post(warning: error) }
                }
                results.list.withLock { [volume] in $0.append((name, volume)) }
            }
        }
    }

    // MARK: - Volumes

    /// The minimum duration of a change of volume. A faster change would be audible as a click.
    private static let shortest = ClockTime(nanoseconds: 10_000_000)
    /// The number of points of the volume curve of a transition. With 64 points, the error of the volume is below
    /// 0.001.
    private static let points = 64

    /// Returns the current volume to set on an element `volume`. For an automatic transition, returns the volume at the
    /// start of the transition.
    private func gain(of name: String) -> Double {
        switch target {
        case .steady(let on): inputs(name).contains(on) ? 1 : 0
        case .fade(let from, let to, _, _, _, let origin): gain(name, from, to, origin)
        case .manual(let from, let to, let position): gain(name, from, to, position)
        }
    }

    private func inputs(_ name: String) -> [Int] { names.filter { $0.value == name }.map(\.key) }

    /// Returns the volume to set on an element `volume` at a progress (0–1) of the transition between two inputs.
    private func gain(_ name: String, _ from: Int, _ to: Int, _ progress: Double) -> Double {
        let inputs = inputs(name)
        return switch (inputs.contains(from), inputs.contains(to)) {
        // Both inputs use the same element `volume`.
        case (true, true): 1
        case (true, false): progress >= 1 ? 0 : cos(progress * .pi / 2)
        case (false, true): sin(progress * .pi / 2)
        case (false, false): 0
        }
    }

    /// Returns the time at which the volumes start to change: the time of the frame, or later if elements `volume` have
    /// already processed the sound at this time. All volumes start to change at the same time.
    private func begin(from old: Target, at time: ClockTime) -> ClockTime {
        let sounding = volumes.filter { name, _ in inputs(name).contains { old.plays($0) || target.plays($0) } }
        return sounding.values.map(\.processed).reduce(time, max)
    }

    private func change(_ volume: SoundVolume, _ name: String, at time: ClockTime, _ begin: ClockTime) {
        let now = volume.volume(at: begin)
        switch target {
        case .steady:
            let end = gain(of: name)
            if volume.final != end { volume.change(from: begin, [(begin + Self.shortest, end)]) }
        case .manual:
            let interval = lastTime.flatMap { time.since($0) } ?? Self.shortest
            let length = min(max(interval, Self.shortest), 10 * Self.shortest)
            volume.change(from: begin, [(begin + length, gain(of: name))])
        case .fade(let from, let to, let start, let duration, let easing, let origin):
            let end = max(start + duration, begin + Self.shortest)
            guard let length = end.since(begin) else { return }
            // If this transition interrupts another one, the volume curve would start with a jump. An offset that
            // decreases to 0 prevents this jump.
            let offset = now - gain(name, from, to, origin)
            volume.change(
                from: begin,
                (1...Self.points).map { point in
                    let part = Double(point) / Double(Self.points)
                    let progress = origin + (1 - origin) * easing.progress(at: part)
                    return (
                        begin + ClockTime(nearest: Double(length.nanoseconds) * part),
                        min(1, max(0, gain(name, from, to, progress) + offset * (1 - part)))
                    )
                })
        }
    }
}

extension SwitchSound.Target {
    /// Returns nil if the mixer shows no input yet.
    fileprivate init?(_ choice: SwitchChoice.Choice) {
        guard let on = choice.on else { return nil }
        guard let passage = choice.passage else {
            self = .steady(on)
            return
        }
        self =
            passage.position.map { .manual(from: on, to: passage.to, position: $0) }
            ?? .fade(
                from: on, to: passage.to, start: passage.start, duration: passage.duration, easing: passage.easing,
                origin: passage.origin)
    }
}
