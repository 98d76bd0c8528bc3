// SPDX-License-Identifier: LGPL-2.1-or-later
/// Rows that compare `svfilter` with frei0r's filters of the same effect, and chains with their components.
extension Catalogue {
    /// Chains, and the frei0r filter with the same formula or a similar effect, with its properties.
    private static let frei0rFilters: [(chain: String, filter: String, properties: String)] = [
        ("gamma gamma=1.6", "gamma", "gamma=0.4"),
        ("brightness-contrast brightness=0.2 contrast=1", "brightness", "brightness=0.6"),
        ("brightness-contrast contrast=1.5", "contrast0r", "contrast=0.7"),
        ("saturation saturation=1.6", "saturat0r", "saturation=0.2"),
        ("saturation saturation=0", "luminance", ""),
        ("saturation saturation=0", "bw0r", ""),
        ("hue angle=90", "hueshift0r", "hue=0.25"),
        ("white-point", "white-balance", "neutral-color-b=0.8"),
        ("tone-curve", "curves", "show-curves=false curve-point-number=0.3"),
        ("levels gamma=1.3", "levels", "show-histogram=false gamma=0.4"),
        ("invert", "invert0r", ""),
        ("posterize levels=5", "posterize", "levels=0.1"),
        ("threshold", "threshold0r", "threshold=0.5"),
        ("false-color", "tint0r", "tint-amount=1"),
        ("vignette", "vignette", ""),
        ("box-blur radius=20", "squareblur", "kernel-size=0.1"),
        ("gaussian-blur radius=10", "iir-blur", "amount=0.2"),
        ("median", "medians", "type=Square3x3"),
        ("median radius=2", "medians", "type=Square5x5"),
        ("unsharp-mask", "sharpness", "amount=0.5"),
        ("bloom", "softglow", ""),
        ("bloom threshold=0", "glow", "blur=0.3"),
        ("pixellate size=28", "pixeliz0r", ""),
        ("edges", "sobel", ""),
        ("emboss", "emboss", ""),
        ("comic", "cartoon", ""),
        ("dot-screen", "colorhalftone", ""),
        ("mirror", "flippo", "x-axis=true"),
        ("crop-zoom", "scale0tilt", "scale-x=0.75 scale-y=0.75"),
        ("perspective", "perspective", "top-left-x=0.15 top-left-Y=0.1 top-right-x=0.85 top-right-Y=0.1"),
        ("perspective", "c0rners", "corner-1-x=0.4 corner-2-x=0.6 corner-3-x=0.7 corner-4-x=0.3"),
        // This one takes the nearest pixel, with the same amount of correction.
        ("lens sampling=nearest", "lens-correction", "correction-near-center=0.8 brightness=0.5"),
        ("lens", "defish0r", "amount=0.3"),
        ("mirror-tile count=3", "cairoimagegrid", ""),
        ("radial-gradient", "cairogradient", "pattern=gradient_radial"),
    ]

    /// Chains that must not cost much more than others.
    private static let chains: [(name: String, chain: String, other: String, ratio: Double)] = {
        let five = "sepia-tone | hue | saturation | white-point | color-matrix red-green=0.2"
        // The most expensive one; a matrix of a saturation costs as much, and a white point less.
        let alone = ["hue", "color-matrix red-green=0.2"]
        return alone.map { ("five-matrices:\($0.prefix { $0 != " " })", five, $0, 1.3) } + [
            ("matrix-gamma-matrix", "sepia-tone | gamma | hue", "hue", 2.5),
            ("matrix-curve-matrix", "sepia-tone | tone-curve | hue", "hue", 2.5),
            ("blur-32:blur-4", "gaussian-blur radius=32", "gaussian-blur radius=4", 1.5),
            ("box-100:box-2", "box-blur radius=100", "box-blur radius=2", 1.5),
        ]
    }()

    /// Chains of colour filters on what cameras give, beside the same with conversions around it.
    private static let colorChains = [
        "sepia-tone | vignette", "photo-chrome | brightness-contrast contrast=1.2", "hue angle=30 | exposure ev=0.5",
    ]

    var filters: [Row] {
        func svfilter(_ chain: String) -> String { "svfilter filters=\"\(chain)\"" }
        let pairs =
            Self.frei0rFilters.map { chain, filter, properties in
                // This one takes BGRA; the others take RGBA.
                FilterPair(
                    name: "filters/\(chain.prefix { $0 != " " }):\(filter)",
                    format: filter == "cartoon" ? "BGRA" : "RGBA", ours: svfilter(chain),
                    theirs: "frei0r-filter-\(filter) \(properties)", peer: .frei0r("filter-\(filter)"), ratio: 0.5,
                    copies: 1.5)
            }
            + Self.chains.map { name, chain, other, ratio in
                FilterPair(
                    name: "filters/\(name)", format: "BGRA", ours: svfilter(chain), theirs: svfilter(other),
                    ratio: ratio)
            }
            + ["NV12", "YUY2"].flatMap { format in
                Self.colorChains.map { chain in
                    let packed = "video/x-raw,format=BGRx"
                    return FilterPair(
                        name: "filters/\(format):\(chain.prefix { $0 != " " })", format: format, ours: svfilter(chain),
                        theirs: "videoconvert ! \(packed) ! \(svfilter(chain)) ! \(packed) ! videoconvert "
                            + "! video/x-raw,format=\(format)",
                        ratio: 0.3)
                }
            }
        return FrameSize.large.flatMap { size in pairs.map { $0.row(size, effort) } }
    }
}
