// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Glibc

@main
enum Main {
    static func main() {
        exit(status(CommandLine.arguments.dropFirst(), pipeline: getenv("PIPELINE").map { String(cString: $0) }))
    }

    private static func status(_ arguments: ArraySlice<String>, pipeline: String?) -> Int32 {
        let log = Log()
        if arguments == ["--help"] {
            log.print(Options.usage)
            return 0
        }
        do throws(UsageError) {
            let options = try Options(Array(arguments), pipeline: pipeline)
            guard let signals = Signals() else { throw UsageError(message: String(cString: strerror(errno))) }
            gst_init(nil, nil)
            return Stream(try Pipeline(options.description), options, log, signals).run()
        } catch {
            log.write(.error, error.message.withoutSecrets)
            return 2
        }
    }
}
