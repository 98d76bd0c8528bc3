import FoundationEssentials
import Glibc

/// Compares the elements with the ones that a user would pick instead, side by side in one run.
///
/// Every figure comes from a child process of its own (see `Child`), ours and the peer's in turn. Times and memory are
/// medians over the repetitions, but for live streams; what is found does not vary. Nothing here asserts a time: goals are
/// printed as met or missed.
@main
enum Svbench {
    static let usage = """
        usage: svbench [--quick] [--repetitions N] [filter]
               svbench --list

          filter           only the rows of a group (kernel, svtint, svedges, svblend, svmixer, filters, faces, merge,
                           recognise, overlay, blobs, logo, load), or those whose name contains it, such as
                           svmixer/screen or 1280x720
          --list           name the rows and stop
          --quick          fewer frames per measurement
          --repetitions N  measurements per figure (default 5)

        CPU is what the whole process used per frame, on all cores, once warmed up. Memory is the peak of the whole
        process, its frames included. The columns:

          ratio    ours to the peer's (a memcpy's, for kernels), of the medians
          range    the smallest and the largest ratio of one repetition
          net      the ratio with the bare pipeline (the same sources, no element) taken off both sides
          /memcpy  ours to a memcpy of the frame
          carrier  the bare pipeline, ms
          differ   how far apart the two pictures are, 0...255: near 0, or the formulas of the mode differ

        Faces are those of the carphone clip, where it is at hand (see the tests), and of drawn scenes of which the truth is
        known, before colour bars, before waves of colour with grain, and before the same in motion (pan).

        People that are named are drawn, three of them known from pipelines/people. Faces that are merged, recognised or drawn
        upon are marked on the frames beforehand: what detection costs is not counted. moving-4: four of
        them that move by 5 pixels a frame, so that partners are warped anew each time; lit: under changing light, so that
        partners get new colours, too.

        The logo is that of svtestscene, in three scenes; a find counts if it shares half of its box with what is drawn.
        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == Child.flag {
            exit(Child.run(arguments.dropFirst().first ?? ""))
        }
        do {
            let options = try Options(arguments)
            switch options.action {
            case .help: print(usage)
            case .list: Catalogue().names.forEach { print($0) }
            case .measure: exit(try measure(options) ? 0 : 1)
            }
        } catch {
            complain("svbench: \(error)")
            exit(error is UsageError ? 2 : error is Interruption ? 130 : 1)
        }
    }

    /// Ends the session, and with it its temporary folder, before the process exits.
    private static func measure(_ options: Options) throws -> Bool {
        Interruption.watch()
        let session = try Session(options)
        return try session.run()
    }
}

struct UsageError: Error, CustomStringConvertible {
    let description: String
}

/// What was asked for on the command line.
struct Options {
    enum Action {
        case measure
        case list
        case help
    }

    var action = Action.measure
    var filter = ""
    var repetitions = 5
    var isQuick = false

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--list": action = .list
            case "--help", "-h": action = .help
            case "--quick": isQuick = true
            case "--repetitions":
                guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else {
                    throw UsageError(description: "--repetitions needs a number from 1 up")
                }
                repetitions = number
            case _ where argument.hasPrefix("-"):
                throw UsageError(description: "unknown option \(argument)\n\(Svbench.usage)")
            case _ where !filter.isEmpty:
                throw UsageError(description: "one filter only: \(filter), \(argument)")
            default:
                filter = argument
            }
        }
    }
}

/// How long each measurement is.
struct Effort: Codable {
    /// Frames that pass before the clock starts.
    var warmUp = 15
    /// Frames that are counted.
    var frames = 90
    /// Times a kernel goes through its frames.
    var kernelRounds = 5

    static let full = Effort()
    static let quick = Effort(warmUp: 5, frames: 20, kernelRounds: 2)
}
