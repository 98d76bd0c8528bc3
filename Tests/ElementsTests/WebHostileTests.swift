// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Foundation
import TestSupport
import Testing

/// Sends random and mutated requests, frames and messages to a pipeline with svwebsink. They are the same in each run.
/// The pipeline must continue to play, answer, and end. With `SWIFTVISION_FULL=1`, there are 10,000 of each.
@Suite struct WebHostileTests {
    private static let live = "videotestsrc is-live=true ! video/x-raw,width=64,height=48,framerate=30/1"

    /// Returns valid messages of a page of this pipeline.
    private static func messages(_ pipeline: String) -> [String] {
        let properties = [("tint", "red", "0.5"), ("sink", "quality", "50"), ("queue", "max-size-buffers", "3")]
        return properties.flatMap { element, name, value in
            [
                #"{"type":"set","id":1,"element":"\#(pipeline)/\#(element)","name":"\#(name)","value":\#(value)}"#,
                #"{"type":"reset","id":2,"element":"\#(pipeline)/\#(element)","name":"\#(name)"}"#,
            ]
        } + [
            #"{"type":"ack","frame":1}"#, #"{"type":"visible","visible":true}"#,
            #"{"type":"act","id":3,"element":"\#(pipeline)/blend","name":"clear","arguments":[]}"#,
            #"{"type":"record","id":4,"on":true}"#, #"{"type":"record","id":5,"on":false}"#,
            #"{"type":"pointer","id":6,"event":"press","x":1,"y":2,"button":1}"#,
            #"{"type":"key","id":7,"event":"press","key":"space"}"#,
        ]
    }

    @Test(arguments: [19, 91]) func attacksOnAPipeline(_ seed: UInt64) throws {
        let pipeline = try pipeline(
            "\(Self.live) ! queue name=queue ! svtint name=tint ! svblend name=blend ! svwebsink name=sink key=k port=0"
        )
        try pipeline.play()
        let fields = try #require(pipeline.bus.wait(GST_MESSAGE_ELEMENT).flatMap { Fields($0.structure) })
        let port = try #require(fields.int("port"))
        let name = try #require(pipeline.handle.text("name"))
        var attack = WebAttack(seed: seed, messages: Self.messages(name))
        _ = try attack.sendRequests(WebAttack.count, to: port)
        try attack.sendFrames(WebAttack.count, to: port)
        let page = try WebClient(port, patience: 30)
        #expect(try page.open() == 101)
        // While many requests of the attack are still waiting, further requests are refused.
        #expect(
            try eventually {
                page.say(#"{"type":"set","id":"last","element":"\#(name)/tint","name":"red","value":0.25}"#)
                var reply: [String: Any] = [:]
                // Statistics arrive every second, so the read does not time out.
                while reply["id"] as? String != "last" {
                    let message = try page.frame(1)
                    reply = try JSONSerialization.jsonObject(with: Data(message.data)) as? [String: Any] ?? [:]
                }
                return reply["ok"] as? Bool == true
            })
        #expect(try WebClient(port, patience: 30).ask("/picture.png?key=k").status == 200)
        #expect(pipeline.bus.pending(GST_MESSAGE_ERROR).isEmpty)
        try pipeline.reach(GST_STATE_NULL)
    }
}
