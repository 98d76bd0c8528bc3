// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of keys whose values are choices of an element's property.
@Suite struct ChoiceTests {
    private let folder: ScratchFolder

    init() throws {
        try Repository.requirePlugin()
        folder = try ScratchFolder()
        try folder.cloneRepository()
    }

    private func launch(_ words: [String]) throws -> Outcome {
        let keys = ["source=test", "sink=null", "frames=2", "size=160x90"]
        return try Program.run([folder.path("clone/launch")] + words + keys, in: folder.path)
    }

    @Test(
        arguments: [
            (
                ["blend", "mode=sreen"],
                "mode=sreen: unknown value of the property mode of svblend; did you mean 'screen'? valid values:"
            ),
            // gst-launch-1.0 1.22 ignores this value without a message.
            (
                ["blend-live", "mode=multply"],
                "unknown value of the property mode of svmixer; did you mean 'multiply'?"
            ),
            (
                ["tint", "balance=graywold"],
                "unknown value of the property white-balance of svtint; did you mean 'gray-world'?"
            ),
            (["faces", "scene=facse"], "unknown value of the property scene of svtestscene; did you mean 'faces'?"),
            (
                ["logo", "verify=nothing"],
                "unknown value of the property verify of svlogodetect; valid values: none shape orb"
            ),
            (
                ["blend", "fit=."],
                "fit=.: unknown value of the property fit of svblend; valid values: cover contain stretch"
            ),
        ])
    func aWrongChoiceGetsTheNearestOne(_ words: [String], _ expected: String) throws {
        let outcome = try launch(words)
        #expect(outcome.status == 2)
        #expect(outcome.errorLines.count == 1 && outcome.errors.contains(expected), "\(outcome.errors)")
    }

    @Test(arguments: [["blend", "mode=multiply"], ["blend", "mode=3"], ["blend-live", "mode=none", "opacity=0.5"]])
    func aRightChoiceRuns(_ words: [String]) throws {
        try launch(words).expectSuccess("\(words)")
    }
}
