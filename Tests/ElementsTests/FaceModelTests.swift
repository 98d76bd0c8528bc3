// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Foundation
import Imaging
import Scenes
import TestSupport
import Testing
import Vision

/// Tests of the choice between cascades and a network, and of the folders in which the network is searched.
@Suite("svfacedetect: detector and model")
struct FaceModelTests {
    /// Plays a frame, and returns the posted messages.
    private func messages(_ properties: String) throws -> [Message] {
        try #require(GStreamer.isReady)
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=1 ! video/x-raw,width=96,height=64 ! svfacedetect \(properties) ! fakesink")
        var messages: [Message] = []
        if pipeline.set(GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE {
            while let message = pipeline.bus.wait(
                GST_MESSAGE_INFO, GST_MESSAGE_WARNING, GST_MESSAGE_ERROR, GST_MESSAGE_EOS)
            {
                messages.append(message)
                if message.type == GST_MESSAGE_EOS || message.type == GST_MESSAGE_ERROR { break }
            }
        } else {
            messages = pipeline.bus.pending(GST_MESSAGE_INFO, GST_MESSAGE_WARNING, GST_MESSAGE_ERROR)
        }
        return messages
    }

    @Test("one message says what finds humans: without an installed network the cascade")
    func told() throws {
        for properties in ["", "detector=cascade", "preset=classic"] {
            let told = try messages(properties).filter { $0.type == GST_MESSAGE_INFO }
            #expect(told.count == 1 && told.allSatisfy { $0.text.contains("the cascade haarcascade_frontalface_alt") })
            // The details are printed only if the user has set the property.
            #expect(told.allSatisfy { $0.details.isEmpty == !properties.contains("detector") })
        }
        #expect(try messages("species=cat").allSatisfy { $0.type == GST_MESSAGE_EOS })
    }

    @Test("a named file is taken, without a known sum, too")
    func named() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(SmallNetwork.file(), "small.onnx")
        for detector in ["auto", "network"] {
            let told = try messages("detector=\(detector) model=\(path)").filter { $0.type != GST_MESSAGE_EOS }
            #expect(told.count == 1 && told.allSatisfy { $0.text.contains("the network \"\(path)\"") })
        }
        let cascade = try messages("detector=cascade model=\(path)").filter { $0.type != GST_MESSAGE_EOS }
        #expect(cascade.allSatisfy { $0.text.contains("the cascade") })
    }

    @Test("what is no network, or is not there, is an error at the start")
    func errors() throws {
        let folder = try TemporaryFolder()
        let text = try folder.write(Array("<?xml version=\"1.0\"?>".utf8), "text.onnx")
        let broken = try messages("model=\(text)").last
        #expect(broken?.isError(GST_RESOURCE_ERROR_READ) == true && broken?.text.contains("Use YuNet") == true)
        let missing = try messages("model=\(folder.file("none.onnx"))").last
        #expect(missing?.isError(GST_RESOURCE_ERROR_NOT_FOUND) == true)
        let absent = try messages("detector=network").last
        #expect(absent?.isError(GST_RESOURCE_ERROR_NOT_FOUND) == true)
        #expect(absent?.text.contains("/nonexistent/swiftvision/models") == true)
        #expect(absent?.text.contains("./launch models get yunet") == true)
    }

    @Test("Networks are searched for in the user's folder, then in those of the machine")
    func folders() throws {
        // This needs the environment of the tests.
        try #require(GStreamer.isReady)
        let roots = ["/nonexistent", "/var/lib", "/usr/local/share", "/usr/share"]
        #expect(InstalledModels.standard.folders == roots.map { $0 + "/swiftvision/models" })
    }

    @Test("The search mark names the method: the network for humans, cascades for cats")
    func marked() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(SmallNetwork.file(), "small.onnx")
        let frame = TestFrame(.gray8, 96, 64) { _, _ in [90] }
        for (properties, method) in [([], .cascade), ([("model", path)], .network)]
            as [([(String, String)], SearchMethod)]
        {
            let harness = try faceHarness([("draw", "false")] + properties, like: frame)
            let buffer = try harness.process(giving: frame.buffer().reference)
            let meta = DetectionMeta(buffer: buffer.pointer, size: PixelSize(width: 96, height: 64))
            #expect(meta.searchMethod(for: .face) == method)
            #expect(meta.searchMethod(for: .catFace) == .cascade)
        }
    }

    @Test("a file of the known name is taken only with a known sum; the next folder may have a good one")
    func sums() throws {
        let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
        #expect(try InstalledModels(folders: [first.path]).installed(FaceModel.self)?.path == nil)
        _ = try first.write(SmallNetwork.file(), FaceModel.fileName)
        let error = try #require(throws: ElementError.self) {
            try InstalledModels(folders: [first.path]).installed(FaceModel.self)
        }
        #expect(error.message.contains("modified or truncated") && error.message.contains("8f2383e4"))
        guard let real = realNetwork else { return }
        try FileManager.default.createSymbolicLink(
            atPath: second.file(FaceModel.fileName), withDestinationPath: real)
        let model = try InstalledModels(folders: [first.path, second.path]).installed(FaceModel.self)
        #expect(model?.path == second.file(FaceModel.fileName))
    }

    @Test("MobileFaceNet is found by its name and sum, like YuNet")
    func embedding() throws {
        let folder = try TemporaryFolder()
        #expect(try InstalledModels(folders: [folder.path]).installed(EmbeddingModel.self)?.path == nil)
        let path = try folder.write(SmallEmbedding.file(), EmbeddingModel.fileName)
        let error = try #require(throws: ElementError.self) {
            try InstalledModels(folders: [folder.path]).installed(EmbeddingModel.self)
        }
        #expect(
            error.message.contains("b7120c09") && error.message.contains("set embedding-model to the path of the file"))
        // If the path is set, any network of this kind is accepted.
        let model = try EmbeddingModel(path: path)
        #expect(model.dimension == 3 && model.digest.count == 64)
        guard let real = realNetwork else { return }
        let models = URL(fileURLWithPath: real).deletingLastPathComponent().path
        #expect(try InstalledModels(folders: [folder.path, models]).installed(EmbeddingModel.self)?.dimension == 128)
    }

    @Test("pictures of people and partners are searched by the detector that is asked for")
    func pictures() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("people/Ada"), withIntermediateDirectories: true)
        let (picture, _) = try DrawnFaces(.faces, count: 1, width: 400, height: 400).frame()
        let file = try folder.write(
            TestFrame(.rgb, 400, 400) { x, y in picture.color(x, y).pixel(.rgb) }, "people/Ada/1.png")
        let source = "videotestsrc num-buffers=1 ! video/x-raw,width=96,height=64"
        for line in ["svfacerecognize people=\(folder.file("people"))", "svfacemerge partner=\(file)"] {
            for (detector, fails) in [("auto", false), ("cascade", false), ("network", true)] {
                let pipeline = try Pipeline("\(source) ! \(line) detector=\(detector) ! fakesink")
                let starts = pipeline.set(GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE
                #expect(starts == !fails, "\(line) \(detector)")
                guard fails else { continue }
                let error = pipeline.bus.pending(GST_MESSAGE_ERROR).first
                #expect(error?.isError(GST_RESOURCE_ERROR_NOT_FOUND) == true)
                #expect(error?.text.contains("./launch models get yunet") == true)
            }
        }
    }
}
