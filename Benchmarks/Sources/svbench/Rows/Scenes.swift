// SPDX-License-Identifier: LGPL-2.1-or-later

/// The drawing of scenes.
extension Catalogue {
    var scenes: [Row] {
        [
            ("coins", "scene=coins count=6"), ("things", "scene=things count=6"),
            ("things-lit", "scene=things count=6 shadow=0.5 light-falloff=0.4"),
        ].flatMap { name, options in
            ["RGB", "I420"].map { format in
                .cost(
                    "Scenes on paper: CPU per frame above the carrier's, ms, and to a memcpy of the frame in BGRA",
                    "scenes/\(name)/\(format)/1280x720", "svtestscene \(options)", on: [.pictures(format, .hd)], effort,
                    others: [])
            }
        }
    }
}
