// SPDX-License-Identifier: LGPL-2.1-or-later
import Filters
import Foundation
import Testing

@Suite("Filters: text of chains")
struct FiltersChainTests {
    private func values(_ chain: FilterChain) -> [[String: FilterValue]] {
        chain.uses.map { use in
            Dictionary(uniqueKeysWithValues: zip(use.filter.parameters.map(\.name), use.values))
        }
    }

    @Test func filtersParametersAndBlanks() throws {
        let chain = try FilterChain(
            "  sepia-tone intensity=0.8|vignette radius=1.2\tcenter-x=0 |  gaussian-blur  radius=4 ")
        #expect(chain.uses.map(\.filter.name) == ["sepia-tone", "vignette", "gaussian-blur"])
        let values = values(chain)
        #expect(values[0] == ["intensity": .number(0.8)])
        #expect(values[1]["radius"] == .number(1.2))
        #expect(values[1]["center-x"] == .number(0))
        #expect(values[1]["intensity"] == .number(0.8), "the default")
        #expect(values[2] == ["radius": .number(4)])
        #expect(try FilterChain(" \n").uses.isEmpty)
    }

    @Test func kindsOfValues() throws {
        let chain = try FilterChain(
            "monochrome color=#fF8001 | monochrome color=0x0000ff | mirror axis='both' | posterize levels=7 | hue angle=-1e1"
        )
        let values = values(chain)
        #expect(values[0]["color"] == .color(0xFF8001))
        #expect(values[1]["color"] == .color(0xFF))
        #expect(values[2]["axis"] == .word("both"))
        #expect(values[3]["levels"] == .number(7))
        #expect(values[4]["angle"] == .number(-10))
    }

    /// A text, the position of its error (counted from 0), and words that the message must contain.
    static let mistakes: [(String, Int, String)] = [
        ("sepia-tine", 0, "\"sepia-tone\"?"),
        ("hue | gausian-blur radius=3", 6, "\"gaussian-blur\"?"),
        ("hue | blur radius=3", 6, "\"gaussian-blur\"?"),
        ("xyzzy", 0, "unknown filter \"xyzzy\""),
        ("hue |", 5, "a filter name is missing"),
        ("| hue", 0, "a filter name is missing"),
        ("hue || hue", 5, "a filter name is missing"),
        ("gaussian-blur raduis=4", 14, "\"radius\"?"),
        ("photo-noir radius=4", 11, "has no parameters"),
        ("hue angle", 9, "\"=\" is missing after angle"),
        ("hue angle = 3", 9, "\"=\" is missing after angle"),
        ("hue angle=", 10, "must be a number, not \"\""),
        ("hue angle=4x", 10, "must be a number, not \"4x\""),
        ("hue angle=nan", 10, "must be a number"),
        ("hue angle=181", 10, "between -180 and 180"),
        ("hue angle=1 angle=2", 12, "set twice"),
        ("posterize levels=2.5", 17, "whole number"),
        ("mirror axis=sideways", 12, "Use one of: horizontal, vertical, both."),
        ("mirror axis=vertikal", 12, "\"vertical\"?"),
        ("monochrome color=red", 17, "#ff8000"),
        ("monochrome color=#ff80", 17, "#ff8000"),
        ("hue angle='5", 10, "missing closing quote"),
        ("hue angle=0->500@2s", 13, "between -180 and 180"),
        ("hue angle=500->0@2s", 10, "between -180 and 180"),
        ("hue angle=0->a@2s", 13, "must be a number"),
        ("hue angle=0->1@2s smoth", 18, "unknown word \"smoth\" after"),
        ("hue angle=0->1@2s | smooth", 20, "unknown filter"),
        ("hue angle=0->1@2s, vignette", 17, "Write \"| vignette\"."),
        ("hue angle=0->1@2s vignette", 18, "\"|\" is missing before vignette"),
        ("hue angle=0->1@2s, hold 8s, vignette", 26, "Write \"| vignette\"."),
        ("hue angle=0->5", 10, "FROM->TO@TIME"),
        ("hue angle=0->5@soon", 15, "malformed time in a fade"),
        ("hue angle=0->5@-2s", 15, "malformed time in a fade"),
        ("hue angle=0->5@", 15, "malformed time in a fade"),
        ("hue angle='0->500@2s'", 14, "between -180 and 180"),
        ("hue angle='0->1@2s' smoth", 20, "unknown word \"smoth\" after"),
        ("hue angle=0->1@2s, | gamma", 18, "missing fade after a comma"),
        ("hue angle=0->1@2s, hold 8s, 1->500@1s, repeat", 31, "between -180 and 180"),
        ("hue angle=0->1@2s, repaet | gamma", 19, "Did you mean \"repeat\"?"),
        ("hue angle=0->1@2beats", 15, "needs a tempo"),
        ("twirl angle=0->1@2s, hold radius=2", 25, "missing time after \"hold\""),
        ("hue angle=repeat", 10, "missing fade before \"repeat\""),
        ("cube path='/no/such file.cube'", 10, "cannot read \"/no/such file.cube\": no such file"),
        ("hue,vignette", 3, "\"|\" separates filters, not \",\". Write \"| vignette\"."),
        ("hue, vignette radius=1", 3, "Write \"| vignette\"."),
        ("hue , vignette", 4, "Write \"| vignette\"."),
        ("hue angle=30,vignette", 12, "Write \"| vignette\"."),
        ("hue angle=30, vignette", 12, "Write \"| vignette\"."),
        ("monochrome color=#ff8000,hue angle=3", 24, "Write \"| hue\"."),
        ("mirror axis=both,film-noir", 16, "Write \"| film-noir\"."),
        ("film-noir,hue", 9, "Write \"| hue\"."),
        ("film-noir ,hue", 10, "Write \"| hue\"."),
        ("hue vignette", 4, "\"|\" is missing before vignette"),
        ("film-noir hue angle=3", 10, "\"|\" is missing before hue"),
        ("film-noir radius=3", 10, "the look film-noir has no parameters"),
        ("hue,xyzzy", 0, "unknown filter \"hue,xyzzy\""),
        ("hue angle=1,5", 10, "must be a number"),
        ("film-nior", 0, "\"film-noir\"?"),
        ("ünïcode | 日本", 0, "unknown filter \"ünïcode\""),
    ]

    @Test(arguments: mistakes) func mistake(text: String, position: Int, message: String) {
        let error = #expect(throws: FilterChainError.self) { try FilterChain(text) }
        #expect(error?.position == position, "\(text): \(String(describing: error))")
        #expect(error?.message.contains(message) == true, "\(text): \(String(describing: error))")
        #expect(error?.description.hasPrefix("at character \(position + 1): ") == true)
    }

    @Test("the text of a chain is the chain")
    func textIsTheChain() throws {
        let texts = [
            "", "sepia-tone", "gaussian-blur radius=2.5 | mirror axis=vertical",
            "monochrome color=#00ff08 intensity=0.25->1.0@2.5s",
            "hue angle=after 2s, 0.0->9.0@1/3s smooth, hold 8s, repeat 3 | twirl angle=0.0->9.0@1s, ping-pong radius=0.25",
        ]
        for text in texts {
            let chain = try FilterChain(text)
            #expect(chain.description == text)
            #expect(try FilterChain(chain.description) == chain)
        }
    }

    @Test("any text gives a chain or an error")
    func noise() throws {
        var random = Random(seed: 11)
        let pieces =
            Filter.all.map(\.name) + [
                "|", "=", "'", " ", "->", "@", "2s", "ms", "radius", "angle", "#ff", "0x", "1e999", "-", "é",
            ]
        var good = 0
        for _ in 0..<300 {
            let count = 1 + Int(random.next() % 8)
            let text = (0..<count).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
            switch Result(catching: { () throws(FilterChainError) in try FilterChain(text) }) {
            case .success(let chain):
                #expect(try FilterChain(chain.description) == chain)
                good += 1
            case .failure(let error): #expect((0...text.count).contains(error.position), "\(text): \(error)")
            }
        }
        #expect(good > 5)
    }

    // MARK: - Changes

    @Test func setParameters() throws {
        var chain = try FilterChain("gaussian-blur radius=3 | hue | gaussian-blur | mirror")
        try chain.set("gaussian-blur.radius", to: 5)
        try chain.set("gaussian-blur#2.radius", to: 7)
        try chain.set("mirror.axis", to: "both")
        #expect(chain.description == "gaussian-blur radius=5 | hue | gaussian-blur radius=7 | mirror axis=both")
        #expect(try chain.value("gaussian-blur#2.radius") == .number(7))
        let wrong: [(String, String)] = [
            ("radius", "malformed"), ("sepia-tone.intensity", "unknown filter in this chain \"sepia-tone\""),
            ("gausian-blur.radius", "\"gaussian-blur\"?"), ("gaussian-blur#3.radius", "only 2 filters named"),
            ("gaussian-blur#0.radius", "only 2 filters named"), ("hue#x.angle", "only 1 filter named"),
            ("hue.angel", "\"angle\"?"), ("hue.angle", "between -180 and 180"), ("mirror.axis", "is not a number"),
        ]
        let before = chain
        for (path, message) in wrong {
            let error = #expect(throws: FilterChainError.self) { try chain.set(path, to: 1000) }
            #expect(error?.message.contains(message) == true, "\(path): \(String(describing: error))")
        }
        #expect(chain == before)
    }

    @Test("names tell filters apart, and a filter's parameters")
    func namesAreUnique() {
        #expect(Set(Filter.all.map(\.name)).count == Filter.all.count)
        for filter in Filter.all {
            #expect(Set(filter.parameters.map(\.name)).count == filter.parameters.count, "\(filter.name)")
        }
    }

    // MARK: - Fades

    private func angle(_ chain: FilterChain, at time: Double) -> Double {
        let nanoseconds = UInt64(time * 1e9)
        guard case .number(let angle)? = chain.states(at: nanoseconds).first?.values.first else { return .nan }
        return angle
    }

    @Test func fadesGoFromOneValueToTheOther() throws {
        let chain = try FilterChain("hue angle=10->50@2s")
        #expect([0, 0.5, 1, 2, 100].map { angle(chain, at: $0) } == [10, 20, 30, 50, 50])
        let short = try FilterChain("hue angle=-20->20@500ms")
        #expect(angle(short, at: 0.25) == 0)
        let instant = try FilterChain("hue angle=1->2@0s")
        #expect(angle(instant, at: 0) == 2)
        let steps = try FilterChain("posterize levels=2->4@1s")
        #expect([0, 0.2, 0.3, 0.7, 0.8].map { angle(steps, at: $0) } == [2, 2, 3, 3, 4])
    }

    @Test func fadesMayBeSmooth() throws {
        // 3t² − 2t³ for t = ¼ is 5/32.
        for text in [
            "hue angle=0->32@1s smooth", "hue angle=0->32@1s  smooth | gamma", "hue angle='0->32@1s smooth'",
        ] {
            let chain = try FilterChain(text)
            #expect([0, 0.25, 0.5, 0.75, 1, 2].map { angle(chain, at: $0) } == [0, 5, 16, 27, 32, 32], "\(text)")
            #expect(try FilterChain(chain.description) == chain)
        }
        let linear = try FilterChain("hue angle=0->32@1s linear")
        #expect(try linear == FilterChain("hue angle=0->32@1s"))
        // Another parameter or another filter follows.
        let two = try FilterChain("gaussian-blur radius=0->8@1s smooth | twirl angle=0->9@1s radius=0.5")
        #expect(two.uses.map(\.fades.count) == [1, 1])
    }

    @Test("A parameter can have a sequence of fades, with or without quotes")
    func sequences() throws {
        for text in [
            "hue angle=0->32@1s, hold 8s, 32->0@1s, repeat | gamma", "hue angle=0->32@1s,hold 8s ,32->0@1s , repeat",
            "hue angle='0->32@1s, hold 8s, 32->0@1s, repeat'", "hue angle='0->32@1s, hold 8s,' 32->0@1s, repeat",
            "hue angle=beat=60bpm, 0->32@1beat, hold 8beats, 32->0@1beat, repeat",
        ] {
            let chain = try FilterChain(text)
            #expect(
                [0, 0.5, 1, 8.5, 9.5, 10, 3600.25].map { angle(chain, at: $0) } == [0, 16, 32, 32, 16, 0, 8], "\(text)")
        }
        // Before the start, the parameter has its default value.
        let late = try FilterChain("twirl angle=after 2s, 90->10@1s, ping-pong 2 radius=0.5")
        let initial = angle(try FilterChain("twirl"), at: 0)
        #expect([0, 1.5, 2, 2.5, 3, 4, 9].map { angle(late, at: $0) } == [initial, initial, 90, 50, 10, 90, 90])
        #expect(try late.value("twirl.radius") == .number(0.5))
        #expect(try late.value("twirl.angle") == .number(90))
    }

    @Test func settingEndsAFade() throws {
        var chain = try FilterChain("hue angle=10->50@2s")
        try chain.set("hue.angle", to: 7)
        #expect([0, 0.5, 3].map { angle(chain, at: $0) } == [7, 7, 7])
    }

    // MARK: - The registry

    @Test func everyFilterIsDeclaredWhole() {
        #expect(Filter.all.count >= 40)
        #expect(Set(Filter.all.map(\.name)).count == Filter.all.count)
        #expect(Set(Filter.all.map(\.category)) == Set(Filter.Category.allCases))
        for filter in Filter.all {
            #expect(!filter.summary.isEmpty)
            #expect(Set(filter.parameters.map(\.name)).count == filter.parameters.count, "\(filter.name)")
            for parameter in filter.parameters {
                #expect(!parameter.blurb.isEmpty, "\(filter.name) \(parameter.name)")
                if case .number(let range, let initial, _) = parameter.kind {
                    #expect(range.contains(initial), "\(filter.name) \(parameter.name)")
                }
            }
        }
    }
}
