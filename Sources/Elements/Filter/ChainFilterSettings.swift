// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Filters

extension ChainFilter {
    struct Settings: SnapshotSettings {
        var filters = Assigned<String>()
        var filtersFile = Assigned<String>()
        var look: String?
        var threads: UInt32 = 0
        var reel = ClockTime.zero
        var snapshotLocation: String?
        var parameters: String?
    }

    /// Returns an error message if a filter in the chain reads files; otherwise nil. A web page must not set such a
    /// chain.
    @Sendable private static func fileObstacle(_ text: String) -> String? {
        let readers = Filter.all.filter {
            $0.parameters.contains { if case .cubeFile = $0.kind { true } else { false } }
        }
        let reader = readers.first { text.includes($0.name) }
        return reader.map {
            "the filter \($0.name) can read any file, so the web page can use this filter only with files=any"
        }
    }

    static let properties: [Property<Settings>] = [
        Property(
            "filters", \.filters,
            "Filter chain, such as sepia-tone intensity=0.8 | vignette radius=1.2 | gaussian-blur radius=0->8@2s",
            text: .wordsUnless(ChainFilter.fileObstacle)),
        Property(
            "filters-file", \.filtersFile,
            "Text file with the filter chain. If filters-file is set, svfilter ignores the property filters. After "
                + "each change of the file, svfilter reloads the file"),
        Property(
            "parameters", \.parameters,
            "Filters of the current chain, with the values and ranges of their numeric parameters, as JSON",
            flags: .readOnly, text: .words),
        Property(
            "look", \.look,
            "Look that svfilter applies after the filters, such as film-noir. A look is a ready-made filter "
                + "chain", text: .words),
        .threads(\.threads),
        Property(
            "reel", \.reel, in: .zero...3600 * .second,
            "Duration of each filter in a demo of all filters, in nanoseconds (0 = no demo, 2000000000 = 2 s). The "
                + "demo replaces the filter chain"),
        .snapshotLocation,
    ]
}
