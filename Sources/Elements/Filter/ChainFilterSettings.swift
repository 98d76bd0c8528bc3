// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Filters

extension ChainFilter {
    struct Settings: ElementSettings {
        var filters = Assigned<String>()
        var filtersFile = Assigned<String>()
        var threads: UInt32 = 0
        var reel = ClockTime.zero

        /// The number of threads that work on a frame.
        var threadCount: Int { threads > 0 ? Int(threads) : ThreadPool.usualThreads }
    }

    static let properties: [Property<Settings>] = [
        Property(
            "filters", \.filters,
            "The chain, as in: sepia-tone intensity=0.8 | vignette radius=1.2 | gaussian-blur radius=0->8@2s"),
        Property(
            "filters-file", \.filtersFile,
            "Text file with the chain, instead of filters; read again when it changes"),
        Property(
            "threads", \.threads, in: 0...64,
            "How many threads share the work; 0: as many as there are processors, at most 4"),
        Property(
            "reel", \.reel, in: .zero...3600 * .second,
            "Shows every filter that there is, instead of the chain, each for so many nanoseconds and with its "
                + "name on it; 0: no"),
    ]
}
