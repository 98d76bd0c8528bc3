// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing
import Vision

@Suite("Blobs: training list")
struct BlobsTrainingListTests {
    private let object: [String: Any] = [
        "labelDescriptions": ["unidentified", "bean", "Münze"],
        "blobs": [
            ["imageFilename": "a.png", "label": 2], ["imageFilename": "b c.png", "label": 1],
            ["imageFilename": "/x/d.png", "label": 0],
        ] as [[String: Any]],
    ]

    private func list(_ text: String) throws -> TrainingList { try TrainingList(Array(text.utf8), folder: "f") }

    private func check(_ list: TrainingList) {
        #expect(list.labelDescriptions == ["unidentified", "bean", "Münze"])
        #expect(list.blobs.map(\.label) == [2, 1, 0])
        #expect(list.blobs.map { list.path(of: $0) } == ["f/a.png", "f/b c.png", "/x/d.png"])
    }

    @Test("property lists, XML and binary, and JSON")
    func formats() throws {
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let data = try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0)
            check(try TrainingList([UInt8](data), folder: "f"))
        }
        check(try TrainingList([UInt8](try JSONSerialization.data(withJSONObject: object)), folder: "f"))
        let text = try #require(
            String(data: try JSONSerialization.data(withJSONObject: object), encoding: .utf8))
        check(try list("\n\t " + text))
    }

    @Test("what is written is read again")
    func roundTrip() throws {
        let data = try PropertyListSerialization.data(fromPropertyList: object, format: .xml, options: 0)
        let bytes = try TrainingList([UInt8](data), folder: "f").propertyList()
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("<?xml"))
        check(try TrainingList(bytes, folder: "f"))
        let again = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? NSDictionary
        #expect(again == object as NSDictionary)
    }

    @Test(
        "errors name the key",
        arguments: [
            ("", "not a training list"),
            ("hello", "a dictionary with labelDescriptions and blobs"),
            ("{\"blobs\"", "not a training list"),
            ("[1]", "not a training list"),
            ("<?xml version=\"1.0\"?><plist><dict><key>blobs</key>", "not a training list"),
            ("{}", "labelDescriptions is missing"),
            (#"{"labelDescriptions": 3, "blobs": []}"#, "labelDescriptions is not a list"),
            (#"{"labelDescriptions": ["x", 5], "blobs": []}"#, "labelDescriptions[1] is not a text"),
            (#"{"labelDescriptions": ["x"]}"#, "blobs is missing"),
            (#"{"labelDescriptions": ["x"], "blobs": []}"#, "blobs is empty"),
            (#"{"labelDescriptions": [], "blobs": []}"#, "labelDescriptions is empty"),
            (#"{"labelDescriptions": ["x"], "blobs": [{"label": 0}]}"#, "blobs[0].imageFilename is missing"),
            (
                #"{"labelDescriptions": ["x"], "blobs": [{"imageFilename": "a", "label": "0"}]}"#,
                "blobs[0].label is not a whole number"
            ),
            (
                #"{"labelDescriptions": ["x"], "blobs": [{"imageFilename": "a", "label": 0.5}]}"#,
                "blobs[0].label is not a whole number"
            ),
            (
                #"{"labelDescriptions": ["x"], "blobs": [{"imageFilename": "a", "label": 1e30}]}"#,
                "blobs[0].label is not a whole number"
            ),
            (
                #"{"labelDescriptions": ["x"], "blobs": [{"imageFilename": "a", "label": 0}, {"imageFilename": "a", "label": 1}]}"#,
                "blobs[1].label is 1, but labelDescriptions has only the labels 0 to 0"
            ),
            (
                #"{"labelDescriptions": ["x"], "blobs": [{"imageFilename": "a", "label": -1}]}"#,
                "blobs[0].label is -1"
            ),
            (
                #"{"labelDescriptions": ["x"], "blobs": [{"imageFilename": "a", "label": 0, "sizePer10000": 0}]}"#,
                "blobs[0].sizePer10000 is not a whole number from 1"
            ),
            (
                #"{"labelDescriptions": ["x"], "blobs": [{"imageFilename": "a", "label": 0, "sizePer10000": "9"}]}"#,
                "blobs[0].sizePer10000 is not"
            ),
            (
                #"{"labelDescriptions": ["x"], "blobs": [{"imageFilename": "", "label": 0}]}"#,
                "blobs[0].imageFilename is not a file name"
            ),
            (
                "<plist><dict><key>labelDescriptions</key><array><string>x</string></array>"
                    + "<key>blobs</key><array><string>y</string></array></dict></plist>", "blobs[0] is not"
            ),
        ])
    func errors(text: String, reason: String) {
        let error = #expect(throws: TrainingError.self) { try list(text) }
        let description = error?.description ?? ""
        #expect(description.contains(reason), "\(description)")
    }

    @Test("a folder of folders")
    func folders() throws {
        let list = try TrainingList(
            folder: "f",
            files: [
                ("pinto", ["2.PNG", "1.jpg", "notes.txt"]), ("empty", []), ("text", ["a.txt"]), ("dime", ["x.jpeg"]),
            ])
        #expect(list.labelDescriptions == ["unidentified", "dime", "pinto"])
        #expect(list.blobs.map { list.path(of: $0) } == ["f/dime/x.jpeg", "f/pinto/1.jpg", "f/pinto/2.PNG"])
        #expect(list.blobs.map(\.label) == [1, 2, 2])
        #expect(throws: TrainingError.self) { try TrainingList(folder: "f", files: [("text", ["a.txt"])]) }
    }

    @Test("BeanCounter's own", .enabled(if: RealData.isPresent, RealData.absence))
    func beancounter() throws {
        let list = try #require(RealData.beancounter)
        #expect(list.labelDescriptions.count == 9 && list.labelDescriptions[8] == "romano bean")
        #expect(list.blobs.map(\.label) == [2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8])
        for entry in list.blobs { #expect(FileManager.default.fileExists(atPath: list.path(of: entry))) }
    }
}
