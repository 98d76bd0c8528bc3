// SPDX-License-Identifier: LGPL-2.1-or-later
import CBrokers
import Foundation
@testable import Publishing
import Synchronization
import TestSupport
import Testing

/// Tests of messages that brokers refuse or forget. If a subscriber does not get a message, the message must not count
/// as acknowledged.
@Suite("Refusals by MQTT", .serialized, .enabled(if: Mosquitto.missing == nil, "\(Mosquitto.missing ?? "")"))
struct RefusalTests {
    private let folder: TemporaryFolder
    private let events = Events()

    init() throws { folder = try TemporaryFolder() }

    private func settings(_ port: Int, quality: Int32 = 1, clientID: String = "publisher") throws -> MQTTSettings {
        MQTTSettings(
            address: try BrokerAddress("tcp://localhost:\(port)", usesTLS: false), topic: "t", statusTopic: "t/stats",
            clientID: clientID, quality: quality)
    }

    private func publisher(
        _ port: Int, quality: Int32 = 1, clientID: String = "publisher", _ settings: PublisherSettings = quick()
    ) throws -> Publisher {
        let events = events
        let destination = Destination.mqtt(try self.settings(port, quality: quality, clientID: clientID))
        return try Publisher(to: destination, settings) { events.add($0) }
    }

    /// Returns a subscriber that has already received a message.
    private func subscriber(_ broker: Mosquitto) throws -> Subscriber {
        let subscriber = try Subscriber(broker, folder)
        let publisher = try self.publisher(broker.port, clientID: "first")
        #expect(
            eventually {
                publisher.publish(message(-5))
                usleep(20_000)
                return subscriber.numbers.contains(-5)
            })
        _ = publisher.stop()
        return subscriber
    }

    // MARK: - Refusals

    @Test("Messages that an access list forbids are refused with the broker's reason", arguments: [1, 2] as [Int32])
    func forbidden(_ quality: Int32) throws {
        let list = try folder.write(Array("topic read #\n".utf8), "acl")
        let broker = try Mosquitto(folder, ["allow_anonymous true", "user root", "acl_file \(list)"])
        let subscriber = try Subscriber(broker, folder)
        let publisher = try publisher(broker.port, quality: quality)
        for number in 0..<60 { publisher.publish(message(number)) }
        #expect(publisher.drain(until: patience()))
        #expect(publisher.stop().left == 0)
        #expect(publisher.counts.refused == 60 && publisher.counts.acknowledged == 0)
        #expect(subscriber.numbers.isEmpty)
        let reasons = events.refusalReasons
        // There is no report for each message. The first refusal is reported, and at the end the total number.
        #expect((1...2).contains(reasons.count) && reasons.allSatisfy { $0.contains("Not authorized (0x87)") })
        #expect(
            events.all.contains { if case .refused(60, _, _) = $0 { true } else { false } }, "\(events.all)")
        #expect(events.losses.isEmpty)
    }

    @Test(
        "Messages that are larger than the broker's limit are refused, the others arrive", arguments: [1, 2] as [Int32])
    func tooLarge(_ quality: Int32) throws {
        let broker = try Mosquitto(folder, ["allow_anonymous true", "message_size_limit 400"])
        let subscriber = try subscriber(broker)
        let publisher = try publisher(broker.port, quality: quality)
        for number in 0..<60 { publisher.publish(message(number, padding: number % 3 == 0 ? 500 : 0)) }
        #expect(publisher.drain(until: patience()))
        #expect(publisher.stop().left == 0)
        let small = (0..<60).filter { $0 % 3 != 0 }
        func arrived() -> [Int] { subscriber.numbers.filter { $0 >= 0 } }
        #expect(eventually { Set(arrived()).count >= small.count })
        // Version 2.0.11 of mosquitto refuses a large message, and 2.0.21 closes the connection. After a lost
        // connection, messages with QoS 1 can arrive twice.
        let isClosing = !events.losses.isEmpty
        #expect(isClosing && quality == 1 ? Set(arrived()) == Set(small) : arrived() == small)
        #expect(publisher.counts.acknowledged == 40 && publisher.counts.refused == 20)
        let reason = isClosing ? "closed the connection" : "(0x95)"
        #expect(events.refusalReasons.allSatisfy { $0.contains(reason) }, "\(events.refusalReasons)")
    }

    @Test("With a quality of 0 nothing counts as acknowledged")
    func unconfirmed() throws {
        let list = try folder.write(Array("topic read #\n".utf8), "acl")
        let broker = try Mosquitto(folder, ["allow_anonymous true", "user root", "acl_file \(list)"])
        let publisher = try publisher(broker.port, quality: 0)
        for number in 0..<60 { publisher.publish(message(number)) }
        #expect(publisher.drain(until: patience()))
        #expect(publisher.stop().left == 0)
        #expect(publisher.counts.acknowledged == 0 && publisher.counts.refused == 0)
        #expect(publisher.counts.messages == 60 && publisher.counts.bytes > 0)
    }

    @Test("A broker that shuts down again and again says why, and no message is dropped")
    func shutDown() throws {
        let broker = try Mosquitto(folder)
        let relay = try Relay(to: broker.port, farewells: 6)
        defer { relay.stop() }
        let publisher = try publisher(relay.port)
        for number in 0..<20 { publisher.publish(message(number)) }
        #expect(publisher.drain(until: patience()))
        #expect(publisher.counts.acknowledged == 20 && publisher.counts.refused == 0)
        #expect(events.losses.contains { $0.contains("(0x8B)") }, "\(events.losses)")
        #expect(publisher.stop().left == 0)
    }

    // MARK: - Old brokers

    @Test(
        "A broker that knows only MQTT 3.1.1 gets the messages, with a warning",
        arguments: [Relay.Age.refuses, .closes], [1, 2] as [Int32])
    func old(_ age: Relay.Age, _ quality: Int32) throws {
        let broker = try Mosquitto(folder)
        let relay = try Relay(to: broker.port, age)
        defer { relay.stop() }
        let subscriber = try subscriber(broker)
        let publisher = try publisher(relay.port, quality: quality)
        for number in 0..<50 { publisher.publish(message(number)) }
        #expect(publisher.drain(until: patience()))
        #expect(publisher.stop().left == 0)
        #expect(eventually { subscriber.numbers.last == 49 })
        #expect(subscriber.numbers.filter { $0 >= 0 } == Array(0..<50))
        #expect(events.limits.count == 1 && events.limits[0].contains("MQTT 3.1.1"))
        #expect(publisher.counts.acknowledged == 50)
    }

    @Test("A broker that was away behind a load balancer is not taken for an old one", arguments: 1...5)
    func balanced(_ closings: Int) throws {
        let broker = try Mosquitto(folder, ["allow_anonymous true", "message_size_limit 400"])
        let relay = try Relay(to: broker.port, closings: closings)
        defer { relay.stop() }
        let publisher = try publisher(relay.port)
        publisher.publish(message(1, padding: 500))
        publisher.publish(message(2))
        #expect(publisher.drain(until: patience()))
        #expect(publisher.stop().left == 0)
        // Some versions of mosquitto close the connection at the large message.
        let isClosing = events.refusalReasons.contains { $0.contains("closed the connection") }
        #expect(events.limits.isEmpty && (isClosing || events.outages.count == 1), "\(events.losses)")
        #expect(publisher.counts.refused == 1 && publisher.counts.acknowledged == 1)
    }

    @Test("A message that a broker of MQTT 3.1.1 closes on is dropped, and the others come")
    func closedOn() throws {
        let broker = try Mosquitto(folder, ["allow_anonymous true", "max_packet_size 2000"])
        let relay = try Relay(to: broker.port, .refuses)
        defer { relay.stop() }
        let publisher = try publisher(relay.port)
        for number in 0..<10 { publisher.publish(message(number, padding: number == 4 ? 5000 : 0)) }
        #expect(publisher.drain(until: patience()))
        #expect(events.refusals == [message(4, padding: 5000).count])
        #expect(publisher.counts.acknowledged == 9)
        _ = publisher.stop()
    }

    @Test("A libmosquitto without MQTT 5 speaks 3.1.1, with a warning")
    func oldLibrary() throws {
        let broker = try Mosquitto(folder)
        var library = try #require(sv_mosquitto()).pointee
        library.has_version_5 = false
        (library.int_option, library.connect_bind_v5, library.disconnect_v5) = (nil, nil, nil)
        (library.connect_v5_callback_set, library.publish_v5_callback_set) = (nil, nil)
        (library.disconnect_v5_callback_set, library.property_add_int32) = (nil, nil)
        (library.property_read_int16, library.property_read_string) = (nil, nil)
        library.property_read_byte = nil
        (library.property_free_all, library.reason_string) = (nil, nil)
        let link = try MQTTLink(settings(broker.port), library)
        let wakeup = try #require(Wakeup())
        var (isConnected, isLimited, isAcknowledged) = (false, false, false)
        try link.connect()
        #expect(
            try eventually {
                for event in link.wait(for: wakeup.file, milliseconds: 10) {
                    switch event {
                    case .connected:
                        isConnected = true
                        _ = try link.send(Record(number: 7, payload: message(7)))
                    case .limited(let reason): isLimited = reason.contains("libmosquitto")
                    case .acknowledged(7): isAcknowledged = true
                    default: Issue.record("\(event)")
                    }
                }
                return isAcknowledged
            })
        #expect(isConnected && isLimited)
        _ = link.disconnect(milliseconds: 100)
    }

    // MARK: - Brokers that forget

    /// The broker has confirmed the first step of all messages, and ends before it receives the second step.
    @Test("Messages of quality 2 that the broker forgot are sent anew")
    func forgotten() throws {
        let broker = try Mosquitto(folder)
        let relay = try Relay(to: broker.port)
        defer { relay.stop() }
        let publisher = try publisher(relay.port, quality: 2)
        publisher.publish(message(-1))
        #expect(publisher.drain(until: patience()))
        relay.loseReleases()
        for number in 0..<15 { publisher.publish(message(number)) }
        #expect(eventually { relay.countOfLostReleases == 15 })
        relay.hold(true)
        broker.kill()
        relay.cut()
        try broker.start()
        let subscriber = try subscriber(broker)
        relay.hold(false)
        #expect(publisher.drain(until: patience()))
        #expect(eventually { subscriber.numbers.last == 14 })
        #expect(subscriber.numbers.filter { $0 >= 0 } == Array(0..<15))
        #expect(publisher.counts.repeated == 15 && publisher.counts.acknowledged == 16)
        #expect(publisher.stop().left == 0)
    }

    @Test("Messages of quality 2 that the broker remembers arrive once")
    func remembered() throws {
        let broker = try Mosquitto(folder)
        let relay = try Relay(to: broker.port)
        defer { relay.stop() }
        let subscriber = try subscriber(broker)
        let publisher = try publisher(relay.port, quality: 2)
        publisher.publish(message(0))
        #expect(publisher.drain(until: patience()))
        relay.loseReleases()
        for number in 1..<15 { publisher.publish(message(number)) }
        #expect(eventually { relay.countOfLostReleases == 14 })
        relay.cut()
        #expect(publisher.drain(until: patience()))
        #expect(eventually { subscriber.numbers.last == 14 })
        #expect(subscriber.numbers.filter { $0 >= 0 } == Array(0..<15))
        #expect(publisher.counts.repeated == 0 && publisher.counts.acknowledged == 15)
        #expect(publisher.stop().left == 0)
    }

    @Test("What an older client of the same name left with the broker swallows no message")
    func leftOver() throws {
        let broker = try Mosquitto(folder)
        let relay = try Relay(to: broker.port)
        let subscriber = try subscriber(broker)
        let first = try publisher(relay.port, quality: 2)
        first.publish(message(-1))
        #expect(first.drain(until: patience()))
        relay.loseReleases()
        for _ in 0..<15 { first.publish(message(100)) }
        #expect(eventually { relay.countOfLostReleases == 15 })
        relay.hold(true)
        relay.cut()
        _ = first.stop()
        relay.stop()
        let second = try publisher(broker.port, quality: 2)
        for _ in 0..<20 { second.publish(message(100)) }
        #expect(second.drain(until: patience()))
        #expect(second.stop().left == 0)
        #expect(eventually { subscriber.numbers.count { $0 == 100 } == 20 })
        #expect(second.counts.acknowledged == 20)
    }

    /// There are 30 restarts if `SWIFTVISION_FULL` is set.
    @Test(
        "However often a lasting broker is restarted, a subscriber gets all that was acknowledged",
        arguments: [1, 2] as [Int32])
    func restarted(_ quality: Int32) throws {
        let broker = try Mosquitto(folder, Mosquitto.lasting(folder))
        let subscriber = try subscriber(broker)
        let publisher = try publisher(broker.port, quality: quality, quick(limits(200, .block)))
        let sent = Atomic(0)
        let stream = BackgroundThread { _ in
            if publisher.publish(message(sent.load(ordering: .relaxed), padding: 200)) {
                sent.add(1, ordering: .relaxed)
            }
            usleep(2000)
        }
        let isFull = ProcessInfo.processInfo.environment["SWIFTVISION_FULL"] != nil
        for _ in 0..<(isFull ? 30 : 3) {
            let before = publisher.counts.acknowledged
            #expect(eventually { publisher.counts.acknowledged > before + 20 })
            usleep(.random(in: 0..<50_000))
            broker.stop()
            try broker.start()
        }
        stream.stop()
        #expect(publisher.drain(until: patience()))
        let count = sent.load(ordering: .relaxed)
        #expect(publisher.counts.acknowledged == UInt64(count))
        #expect(publisher.counts.refused == 0 && publisher.counts.dropped == 0)
        #expect(publisher.stop().left == 0)
        let all = Set(0..<count)
        #expect(eventually { all.isSubset(of: subscriber.numbers) })
        let found = subscriber.numbers.filter { $0 >= 0 }
        if isFull {
            let (distinct, counts) = (Set(found).count, publisher.counts)
            print("quality \(quality): \(count) acknowledged, \(distinct) received, \(found.count) with repeats")
            print("\(counts.repeated) sent again, \(counts.connections) connections")
        }
    }
}
