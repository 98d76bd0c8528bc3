// SPDX-License-Identifier: LGPL-2.1-or-later

/// The sink that shows streams in a browser.
extension Catalogue {
    var webSinks: [Row] {
        ["I420", "BGRx"].map { format in
            let content = Content.pictures(format, .hd)
            let job = StreamJob(
                description: "\(StreamJob.source(0)) ! svwebsink name=out0 port=0 sync=false",
                sources: [StreamJob.Source(kind: .writable, content: content)], effort: effort)
            return Row(
                title: "A sink that no page looks at: CPU per frame above a fakesink's, ms",
                name: "web/no-page/\(format)/1280x720", runs: [Run(.ours, job), Run(.carrier, job.carrier)],
                columns: [
                    Column("added", \.milliseconds) { $0.added().median },
                    Column("range") { $0.added().map { $0 / 1e6 }.range },
                    .carrier, .peak(), .goal("<0.1ms") { $0.added().median < 1e5 },
                ])
        }
    }
}
