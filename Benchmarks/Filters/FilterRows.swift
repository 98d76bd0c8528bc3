/// Rows that compare `svfilter` with frei0r's filters of the same effect, and chains with what they are made of.
enum FilterRows {
    /// A chain, and the frei0r filter that does the same by formula or in spirit, with its properties.
    private struct Pair {
        var chain: String
        var filter: String
        var properties = ""
    }

    private static let pairs = [
        Pair(chain: "gamma gamma=1.6", filter: "gamma", properties: "gamma=0.4"),
        Pair(
            chain: "brightness-contrast brightness=0.2 contrast=1", filter: "brightness", properties: "brightness=0.6"),
        Pair(chain: "brightness-contrast contrast=1.5", filter: "contrast0r", properties: "contrast=0.7"),
        Pair(chain: "saturation saturation=1.6", filter: "saturat0r", properties: "saturation=0.2"),
        Pair(chain: "saturation saturation=0", filter: "luminance"),
        Pair(chain: "saturation saturation=0", filter: "bw0r"),
        Pair(chain: "hue angle=90", filter: "hueshift0r", properties: "hue=0.25"),
        Pair(chain: "white-point", filter: "white-balance", properties: "neutral-color-b=0.8"),
        Pair(chain: "tone-curve", filter: "curves", properties: "show-curves=false curve-point-number=0.3"),
        Pair(chain: "levels gamma=1.3", filter: "levels", properties: "show-histogram=false gamma=0.4"),
        Pair(chain: "invert", filter: "invert0r"),
        Pair(chain: "posterize levels=5", filter: "posterize", properties: "levels=0.1"),
        Pair(chain: "threshold", filter: "threshold0r", properties: "threshold=0.5"),
        Pair(chain: "false-color", filter: "tint0r", properties: "tint-amount=1"),
        Pair(chain: "vignette", filter: "vignette"),
        Pair(chain: "box-blur radius=20", filter: "squareblur", properties: "kernel-size=0.1"),
        Pair(chain: "gaussian-blur radius=10", filter: "iir-blur", properties: "amount=0.2"),
        Pair(chain: "median", filter: "medians", properties: "type=Square3x3"),
        Pair(chain: "median radius=2", filter: "medians", properties: "type=Square5x5"),
        Pair(chain: "unsharp-mask", filter: "sharpness", properties: "amount=0.5"),
        Pair(chain: "bloom", filter: "softglow"),
        Pair(chain: "bloom threshold=0", filter: "glow", properties: "blur=0.3"),
        Pair(chain: "pixellate size=28", filter: "pixeliz0r"),
        Pair(chain: "edges", filter: "sobel"),
        Pair(chain: "emboss", filter: "emboss"),
        Pair(chain: "comic", filter: "cartoon"),
        Pair(chain: "dot-screen", filter: "colorhalftone"),
        Pair(chain: "mirror", filter: "flippo", properties: "x-axis=true"),
        Pair(chain: "crop-zoom", filter: "scale0tilt", properties: "scale-x=0.75 scale-y=0.75"),
        Pair(
            chain: "perspective", filter: "perspective",
            properties: "top-left-x=0.15 top-left-Y=0.1 top-right-x=0.85 top-right-Y=0.1"),
        Pair(
            chain: "perspective", filter: "c0rners",
            properties: "corner-1-x=0.4 corner-2-x=0.6 corner-3-x=0.7 corner-4-x=0.3"),
        // Which takes the nearest pixel, of as much correction.
        Pair(
            chain: "lens sampling=nearest", filter: "lens-correction",
            properties: "correction-near-center=0.8 brightness=0.5"),
        Pair(chain: "lens", filter: "defish0r", properties: "amount=0.3"),
        Pair(chain: "mirror-tile count=3", filter: "cairoimagegrid"),
        Pair(chain: "radial-gradient", filter: "cairogradient", properties: "pattern=gradient_radial"),
    ]

    /// Chains that must not cost much more than others.
    private static let chains: [(name: String, chain: String, other: String, ratio: Double)] = {
        let five = "sepia-tone | hue | saturation | white-point | color-matrix red-green=0.2"
        // The dearest of them; a matrix of a saturation costs as much, and a white point less.
        let alone = ["hue", "color-matrix red-green=0.2"]
        return alone.map { ("five-matrices:\($0.prefix { $0 != " " })", five, $0, 1.3) } + [
            ("matrix-gamma-matrix", "sepia-tone | gamma | hue", "hue", 2.5),
            ("matrix-curve-matrix", "sepia-tone | tone-curve | hue", "hue", 2.5),
            ("blur-32:blur-4", "gaussian-blur radius=32", "gaussian-blur radius=4", 1.5),
            ("box-100:box-2", "box-blur radius=100", "box-blur radius=2", 1.5),
        ]
    }()

    static func all(effort: Effort) -> [StreamRow] {
        [FrameSize.hd, .fullHD].flatMap { size in
            pairs.map { pair in
                let format = pair.filter == bgraFilter ? "BGRA" : "RGBA"
                let stream = Stream(format: format, size: size, effort: effort)
                let name = pair.chain.prefix { $0 != " " }
                let factory = "frei0r-filter-\(pair.filter)"
                return stream.row(
                    "\(name):\(pair.filter)", pair.chain,
                    Contender(
                        factory: factory, package: "gstreamer1.0-plugins-bad and frei0r-plugins",
                        task: stream.task("\(factory) \(pair.properties)")),
                    Goal(ratio: 0.5, copies: 1.5))
            }
                + chains.map { row in
                    let stream = Stream(format: "BGRA", size: size, effort: effort)
                    let other = Contender(factory: "svfilter", task: stream.task(Self.element(row.other)))
                    return stream.row(row.name, row.chain, other, Goal(ratio: row.ratio))
                }
        }
    }

    /// That of frei0r's filters which takes BGRA; the others take RGBA.
    private static let bgraFilter = "cartoon"

    private static func element(_ chain: String) -> String { "svfilter filters=\"\(chain)\"" }

    private struct Stream {
        var format: String
        var size: FrameSize
        var effort: Effort

        func task(_ element: String) -> StreamTask {
            let elements = element.isEmpty ? "" : "\(element) ! "
            return StreamTask(
                description:
                    "appsrc name=s0 format=time ! \(elements)fakesink name=out0 sync=false enable-last-sample=false",
                sources: [.writable], format: format, size: size, effort: effort)
        }

        func row(_ name: String, _ chain: String, _ peer: Contender, _ goal: Goal) -> StreamRow {
            let carrier = task("")
            return StreamRow(
                name: "filters/\(name)/\(size)",
                ours: Contender(factory: "svfilter", task: task(FilterRows.element(chain))), peer: peer, goal: goal,
                oursCarrier: carrier, peerCarrier: carrier, isStill: false)
        }
    }
}
