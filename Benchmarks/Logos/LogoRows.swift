/// Rows that tell what `svlogodetect` costs and finds. No stock element finds a logo in any turn and tilt.
struct LogoRow {
    enum Kind: Equatable {
        /// A logo is there in all frames, or in none.
        case steady(hasLogo: Bool)
        /// A live stream; with or without our element.
        case live(isOurs: Bool)
    }

    var name: String
    var kind: Kind
    var element: String?
    var streams: [DrawnStream]
    var effort: Effort

    static let factory = "svlogodetect"
    /// Of CPU time for a frame of 640x480, in milliseconds.
    private static let limit = 15.0

    var frames: Int { streams.count * (effort.warmUp + effort.frames) }

    /// Of CPU time for a frame.
    func verdict(milliseconds: Double, found: Int, wrong: Int) -> String {
        guard case .steady(let hasLogo) = kind else { return "-" }
        let isFound = hasLogo ? found * 100 >= 95 * frames : wrong * 100 <= frames
        let isFast = milliseconds <= Self.limit || streams.first?.size != .vga
        return Goal.verdict(hasLogo ? ">=95%" : "<=1%", isFound && isFast)
    }

    static func all(effort: Effort) -> [LogoRow] {
        let template = "template=\"\(Machine.repository)/pipelines/logo.png\" draw=false"
        let long = Effort(warmUp: 30, frames: effort.frames < Effort.full.frames ? 70 : 270)
        func streams(_ count: Int, _ size: FrameSize) -> [DrawnStream] {
            (1...3).map { DrawnStream(kind: "logo", count: count, seed: $0, size: size, ground: .bars) }
        }
        var rows: [LogoRow] = []
        for size in [FrameSize.vga, .hd] {
            for verification in ["shape", "orb", "none"] {
                for hasLogo in [true, false] {
                    rows.append(
                        LogoRow(
                            name: "logo/\(verification)/\(hasLogo ? "there" : "absent")/\(size)",
                            kind: .steady(hasLogo: hasLogo),
                            element: "\(factory) \(template) mode=sync verify=\(verification)",
                            streams: streams(hasLogo ? 1 : 0, size), effort: long))
                }
            }
        }
        for isOurs in [true, false] {
            for count in [1, 0] {
                rows.append(
                    LogoRow(
                        name:
                            "logo/live/\(isOurs ? "async" : "nothing")/\(count == 1 ? "there" : "absent")/\(FrameSize.vga)",
                        kind: .live(isOurs: isOurs), element: isOurs ? "\(factory) \(template) mode=async" : nil,
                        streams: [streams(count, .vga)[0]], effort: long))
            }
        }
        return rows
    }
}
