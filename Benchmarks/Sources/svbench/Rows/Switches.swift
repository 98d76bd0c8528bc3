// SPDX-License-Identifier: LGPL-2.1-or-later
import Transitions

extension Transition {
    /// What users type.
    fileprivate var nick: String { "\(self)".map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined() }
}

/// Rows of `svswitch`.
extension Catalogue {
    var switches: [Row] {
        let live = Transition.drawn.map { liveSwitch($0.nick) }
        return FrameSize.large.map(dissolve) + ["I420", "NV12"].map { unseen($0, .fullHD) } + live
    }

    /// What a switch between two inputs does, in gst-launch's syntax; it is in a transition all the time.
    private func inTransition(_ transition: String, lasting seconds: Int) -> String {
        "svswitch name=m transition=\(transition) easing=linear every=1 duration=\(seconds)000000000"
    }

    /// Returns the row of a dissolve beside the mixer's average of the same.
    private func dissolve(_ size: FrameSize) -> Row {
        let contents = [Content.pictures("NV12", size), .pictures("NV12", size, seed: 2)]
        func job(_ mixer: String) -> StreamJob {
            let inputs = contents.indices.map { "\(StreamJob.source($0)) ! m.sink_\($0)" }.joined(separator: "  ")
            return StreamJob(
                description: "\(mixer) ! \(StreamJob.sink(0))  \(inputs)",
                sources: contents.map { .init(kind: .rotating, content: $0) }, effort: effort)
        }
        return .pair(
            "svswitch/dissolve-NV12/\(size)", job(inTransition("dissolve", lasting: 4)),
            beside: job("svmixer name=m sink_1::mode=average"), nil, ratio: 1.5, extraMemory: 30)
    }

    /// Returns the row of what a second input costs that nobody sees, beside one that goes nowhere.
    private func unseen(_ format: String, _ size: FrameSize) -> Row {
        func job(_ second: String) -> StreamJob {
            StreamJob(
                description: "svswitch name=m ! \(StreamJob.sink(0))  \(StreamJob.source(0)) ! m.  "
                    + "\(StreamJob.source(1)) ! \(second)",
                sources: [1, 2].map { .init(kind: .rotating, content: .pictures(format, size, seed: $0)) },
                effort: effort)
        }
        func added(_ readings: Readings) -> Double { readings.median(.ours, .cpu) - readings.median(.peer, .cpu) }
        return Row(
            title: "An input that is not seen: CPU per frame beside the same input of a fakesink",
            name: "svswitch/unseen-\(format)/\(size)",
            runs: [Run(.ours, job("m.")), Run(.peer, job(StreamJob.sink(1)))],
            columns: Column.comparison("ours ms", "apart ms") { $0.comparison(.cpu) } + [
                Column("added ms", \.milliseconds, added),
                .goal("<=0.05 ms") { added($0) <= 50_000 },
            ])
    }

    /// Returns the row of a transition between two live inputs, again and again.
    private func liveSwitch(_ transition: String) -> Row {
        let frames = effort.isQuick ? 60 : 300
        let latency = 1_000_000_000 / StreamJob.framesPerSecond
        let inputs = (0...1).map {
            "\(StreamJob.source($0)) is-live=true min-latency=\(latency) ! m.sink_\($0)"
        }.joined(separator: "  ")
        let job = StreamJob(
            description: "\(inTransition(transition, lasting: 1)) ! fakesink name=out0 sync=true qos=true "
                + "max-lateness=5000000 enable-last-sample=false  \(inputs)",
            sources: [1, 2].map { .init(kind: .live, content: .pictures("I420", .hd, seed: $0)) },
            effort: Effort(warmUp: 1, frames: frames - 3))
        func shown(_ readings: Readings) -> Double { readings.median(.ours, .shown) }
        return Row(
            title: "Transitions between two live inputs of 1280x720, I420, \(StreamJob.framesPerSecond)/s: "
                + "frames that the sink shows in time, how far behind they come to it, and CPU per\nframe of the whole process",
            name: "svswitch/live/\(transition)", runs: [Run(.ours, job)], isRepeated: false,
            columns: [
                Column("frames") { _ in "\(frames)" },
                Column("shown", \.whole, shown),
                Column("lost", \.whole) { Double(frames) - shown($0) },
                Column("behind") { ($0[.ours].first?.lags.median ?? 0).milliseconds },
                Column("longest") { ($0[.ours].first?.lags.largest ?? 0).milliseconds },
                Column("CPU", \.milliseconds) { $0.median(.ours, .cpu) },
                .goal("0 lost") { shown($0) == Double(frames) },
            ])
    }
}
