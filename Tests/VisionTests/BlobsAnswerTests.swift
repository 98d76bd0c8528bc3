// SPDX-License-Identifier: LGPL-2.1-or-later
import Testing
@testable import Vision

/// Tests of the results of distances and votes. The expected values were computed by hand.
@Suite("Blobs: answers")
struct BlobsAnswerTests {
    private let labels = ["none", "dime", "bean", "pea"]

    private func settings(maxDistance: Double? = nil, minMargin: Double? = nil) -> ClassifierSettings {
        var settings = ClassifierSettings()
        settings.maxDistance = maxDistance
        if let minMargin { settings.minMargin = minMargin }
        return settings
    }

    private func answer(
        _ values: [Int: Double], maxDistance: Double? = 0.5, minMargin: Double? = 0.1
    ) -> BlobAnswer {
        LabelDistances(values: values).answer(
            settings(maxDistance: maxDistance, minMargin: minMargin), labels: labels)
    }

    @Test("the nearest label, and how far the next best answer is")
    func nearest() {
        // The second best answer is another label, or "none of the labels".
        let nearest = answer([1: 0.125, 2: 0.375, 3: 0.9])
        #expect(nearest == BlobAnswer(label: 1, name: "dime", distance: 0.125, confidence: 0.75))
        #expect(answer([3: 0.125, 2: 0.9]) == BlobAnswer(label: 3, name: "pea", distance: 0.125, confidence: 0.8))
        #expect(answer([2: 0]).confidence == 1)
    }

    @Test("nothing near enough is label 0")
    func unidentified() {
        #expect(answer([1: 0.5]).label == 1)
        let far = answer([1: 0.7, 2: 0.8])
        #expect(far.label == 0 && far.name == "none" && far.distance == 0.7)
        #expect(abs(far.confidence - 0.7 / 1.2) < 1e-12)
        #expect(answer([1: 0.01], maxDistance: 0).label == 0)
        #expect(answer([1: 99], maxDistance: .infinity).label == 1)
        #expect(answer([:]) == BlobAnswer(label: 0, name: "none", distance: .infinity, confidence: 1))
        // A training image may show something that must not be identified.
        #expect(answer([0: 0.1, 1: 0.4]).label == 0)
    }

    @Test("two labels that are too close are label 0")
    func margin() {
        let close = answer([1: 0.2, 2: 0.29])
        #expect(close == BlobAnswer(label: 0, name: "none", distance: 0.2, confidence: 0.5))
        #expect(answer([1: 0.2, 2: 0.29], minMargin: 0.05).label == 1)
        #expect(answer([1: 0.2, 2: 0.2], minMargin: 0).label == 1)
    }

    @Test("defaults: contours have limits, BeanCounter's algorithm has none")
    func defaults() {
        let values = LabelDistances(values: [1: 3, 2: 3.001])
        #expect(values.answer(.classic, labels: labels).label == 1)
        #expect(values.answer(ClassifierSettings(), labels: labels).label == 0)
        #expect(LabelDistances(values: [1: 0.2, 2: 0.3]).answer(ClassifierSettings(), labels: labels).label == 1)
        #expect(LabelDistances(values: [1: 0.2, 2: 0.21]).answer(ClassifierSettings(), labels: labels).label == 0)
    }

    @Test("numbers and labels that make no sense")
    func senseless() {
        for value in [Double.nan, .infinity, -.infinity] {
            let answer = answer([1: value, 2: value])
            #expect(answer.confidence >= 0 && answer.confidence <= 1)
        }
        #expect(answer([9: 0.1]).name == "" && answer([-1: 0.1]).label == -1)
        #expect(LabelDistances().answer(ClassifierSettings(), labels: []).name == "")
    }

    @Test("votes: the mean of the last five looks")
    func votes() {
        var votes = BlobVotes()
        #expect(votes.count == 0 && votes.distances.values.isEmpty)
        // One distance is wrong, but the other distances are right.
        for first in [0.1, 0.6, 0.2, 0.1] { votes.add(LabelDistances(values: [1: first, 2: 0.5])) }
        #expect(votes.count == 4)
        #expect(abs((votes.distances.values[1] ?? 0) - 0.25) < 1e-12)
        #expect(votes.distances.answer(settings(), labels: labels).name == "dime")
        // Then there is another object. After five results, only this object counts.
        for _ in 0..<5 { votes.add(LabelDistances(values: [2: 0.125])) }
        #expect(votes.count == 9)
        #expect(votes.distances.values == [2: 0.125])
        // If a label is learned meanwhile, only the results that contain this label count for it.
        votes.add(LabelDistances(values: [2: 0.125, 3: 0.75]))
        #expect(votes.distances.values == [2: 0.125, 3: 0.75])
    }
}
