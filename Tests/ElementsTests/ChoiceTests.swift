// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import KernelTypes
import Scenes
import Testing
import Vision

@testable import Elements

@Suite("properties that are a choice")
struct ChoiceTests {
    @Test("Each value is in its type's table, once, with a description")
    func members() {
        func check<Choice: PropertyEnum>(_: Choice.Type) {
            #expect(Choice.members.map(\.value.rawValue) == Choice.allCases.map(\.rawValue), "\(Choice.self)")
            #expect(Choice.members.allSatisfy { !$0.blurb.isEmpty }, "\(Choice.self)")
        }
        check(BlendMode.self)
        check(BlobClassify.Which.self)
        check(BlobDetect.View.self)
        check(BlobSettings.Model.self)
        check(Cascade.Features.self)
        check(ClassifierSettings.Algorithm.self)
        check(ClassifierSettings.Features.self)
        check(Edges.Show.self)
        check(FaceDetect.Preset.self)
        check(FaceMerge.InsetPosition.self)
        check(FaceMerge.Layout.self)
        check(FaceMerge.Preset.self)
        check(FaceRecognize.Phase.self)
        check(FaceSettings.Equalization.self)
        check(Fit.self)
        check(LogoSettings.Verification.self)
        check(MessagePolicy.self)
        check(AlgorithmChoice.self)
        check(ReportPolicy.self)
        check(Scene.Kind.self)
        check(SearchMode.self)
        check(SobelAperture.self)
        check(Tint.Balance.self)
        check(Tint.Transition.self)
    }
}
