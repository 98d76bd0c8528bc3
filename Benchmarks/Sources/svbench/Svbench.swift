// SPDX-License-Identifier: LGPL-2.1-or-later
import ArgumentParser
import Glibc

/// Compares the elements with those that a user would choose instead, side by side in one run.
///
/// Every figure comes from a child process of its own (see `Child`), ours and the peer's in turn. Times and memory are
/// medians over the repetitions, except for live streams; finds do not vary. No time is asserted: goals are printed as
/// met or missed.
@main
struct Svbench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "svbench", abstract: "Compares the elements with those that a user would take instead.",
        discussion: """
            CPU is what the whole process used per frame, on all cores, once warmed up. Memory is the peak of the whole \
            process, its frames included. The columns:

              ratio    ours to the peer's (a memcpy's, for kernels), of the medians
              range    the smallest and the largest ratio of one repetition
              net      the ratio with the carrier taken off both sides
              carrier  the bare pipeline (the same sources, no element), ms
              /memcpy  ours to a memcpy of the frame
              differ   how far apart the two pictures are, 0...255: near 0, or the
                       formulas of the mode differ

            Faces are those of the carphone clip, where it is at hand (see the tests), and of drawn scenes of which the \
            truth is known, before colour bars, before waves of colour with grain, and before the same in motion (pan).

            People that are named are drawn, three of them known from pipelines/people. Faces that are merged, recognised \
            or drawn upon are marked on the frames beforehand: what detection costs is not counted. moving-4: four of \
            them that move by 5 pixels a frame, so that partners are warped anew each time; lit: under changing light, so \
            that partners get new colours, too.

            The logo is that of svtestscene, in three scenes; a find counts if it shares half of its box with what is \
            drawn.
            """)

    @Argument(
        help: """
            Only the rows of a group (kernel, svtint, svedges, svblend, svmixer, svswitch, keying, filters, faces, merge, \
            recognise, overlay, publish, zones, events, blobs, logo, load), or those whose name contains it, such as \
            svmixer/screen or 1280x720.
            """)
    var filter = ""

    @Flag(help: "Name the rows and stop.")
    var list = false

    @Flag(help: "Measure fewer frames.")
    var quick = false

    @Option(help: "Measurements per figure.")
    var repetitions = 5

    @Option(parsing: .upToNextOption, help: .hidden)
    var child: [String] = []

    var effort: Effort { quick ? .quick : .full }

    /// Exits with 0; with 1 if an element of ours was missing or failed, 2 if the command line is wrong, and 130 if
    /// interrupted.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch  where exitCode(for: error) == .validationFailure {
            complain(fullMessage(for: error))
            Glibc.exit(2)
        } catch is Interruption {
            complain("svbench: interrupted")
            Glibc.exit(130)
        } catch {
            exit(withError: error)
        }
    }

    func validate() throws {
        if repetitions < 1 { throw ValidationError("--repetitions needs a number from 1 up") }
    }

    func run() throws {
        if !child.isEmpty { return try Child.run(child) }
        if list { return Catalogue(effort: effort).rows.forEach { print($0.name) } }
        Interruption.watch()
        guard try Session(self).run() else { throw ExitCode.failure }
    }
}

/// Length of each measurement.
struct Effort: Codable, Hashable {
    /// Number of frames that pass before the clock starts.
    var warmUp = 15
    /// Number of frames that are counted.
    var frames = 90
    /// Number of passes of a kernel over its frames.
    var kernelRounds = 5

    var total: Int { warmUp + frames }
    var isQuick: Bool { frames < Self.full.frames }

    static let full = Effort()
    static let quick = Effort(warmUp: 5, frames: 20, kernelRounds: 2)

    /// Returns an effort of this many frames in all, of which those of the warm-up are not counted.
    func lasting(_ frames: Int) -> Effort { Effort(warmUp: warmUp, frames: frames - warmUp) }
}
