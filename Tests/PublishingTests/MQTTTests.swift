// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
@testable import Publishing
import Synchronization
import TestSupport
import Testing

@Suite("Messages by MQTT", .serialized, .enabled(if: Mosquitto.missing == nil, "\(Mosquitto.missing ?? "")"))
struct MQTTTests {
    private let folder: TemporaryFolder
    private let events = Events()

    init() throws { folder = try TemporaryFolder() }

    private func destination(
        _ port: Int, quality: Int32 = 1, scheme: String = "tcp", _ credentials: Credentials = Credentials()
    ) throws -> Destination {
        var settings = MQTTSettings(
            address: try BrokerAddress("\(scheme)://localhost:\(port)", usesTLS: false), topic: "t",
            statusTopic: "t/stats", clientID: "publisher")
        settings.quality = quality
        settings.credentials = credentials
        settings.will = Array("{\"state\":\"lost\"}".utf8)
        return .mqtt(settings)
    }

    private func publisher(_ destination: Destination, _ settings: PublisherSettings = quick()) throws -> Publisher {
        let events = events
        return try Publisher(to: destination, settings) { events.add($0) }
    }

    /// Waits until a subscriber has received its first message, which the test sends.
    private func subscriber(_ broker: Mosquitto, _ publisher: Publisher) throws -> Subscriber {
        let subscriber = try Subscriber(broker, folder)
        #expect(
            eventually {
                _ = publisher.publish(message(-5))
                usleep(20_000)
                return subscriber.numbers.contains(-5)
            })
        return subscriber
    }

    @Test("All messages come, in order, none twice", arguments: [0, 1, 2] as [Int32])
    func order(_ quality: Int32) throws {
        let broker = try Mosquitto(folder)
        let publisher = try publisher(destination(broker.port, quality: quality))
        let subscriber = try subscriber(broker, publisher)
        for number in 0..<1000 { #expect(publisher.publish(message(number))) }
        #expect(publisher.drain(until: patience()))
        #expect(eventually { subscriber.numbers.last == 999 })
        #expect(subscriber.numbers.filter { $0 >= 0 } == Array(0..<1000))
        #expect(publisher.stop().left == 0)
        #expect(events.count(.connected) == 1)
    }

    @Test("A broker that is killed in mid-stream gets all that it has not acknowledged, in order")
    func killed() throws {
        let broker = try Mosquitto(folder)
        let publisher = try publisher(destination(broker.port))
        #expect(publisher.publish(message(0)))
        #expect(publisher.drain(until: patience()))
        broker.kill()
        for number in 1..<400 { #expect(publisher.publish(message(number))) }
        #expect(eventually { !events.losses.isEmpty })
        #expect(publisher.counts.waiting == 399)
        try broker.start()
        let late = try Subscriber(broker, folder, topic: "late")
        #expect(publisher.drain(until: patience()))
        withExtendedLifetime(late) {}
        #expect(events.count(.connected) == 2)
        #expect(publisher.counts.acknowledged == 400)
        #expect(publisher.counts.dropped == 0)
        _ = publisher.stop()
    }

    /// If the connection is lost while a message is written, libmosquitto keeps the message and sends it later.
    @Test(
        "However often the broker is killed while messages go to it, all are acknowledged in the end",
        arguments: [1, 2] as [Int32])
    func killedOften(_ quality: Int32) throws {
        let broker = try Mosquitto(folder)
        let publisher = try publisher(destination(broker.port, quality: quality), quick(limits(200, .block)))
        let sent = Atomic(0)
        let stream = BackgroundThread { _ in
            if publisher.publish(message(0, padding: 2000)) {
                sent.add(1, ordering: .relaxed)
            } else {
                usleep(200)
            }
        }
        for _ in 0..<12 {
            let before = publisher.counts.acknowledged
            #expect(eventually { publisher.counts.acknowledged > before + 20 })
            broker.kill()
            try broker.start()
        }
        stream.stop()
        #expect(publisher.drain(until: patience()))
        #expect(publisher.counts.acknowledged == UInt64(sent.load(ordering: .relaxed)))
        #expect(publisher.counts.refused == 0 && publisher.counts.dropped == 0)
        #expect(publisher.stop().left == 0)
    }

    @Test(
        "Where answers are lost with the connection, what comes twice is counted; nothing does with a quality of 2",
        arguments: [1, 2] as [Int32])
    func repeated(_ quality: Int32) throws {
        let broker = try Mosquitto(folder)
        let relay = try Relay(to: broker.port)
        defer { relay.stop() }
        let publisher = try publisher(destination(relay.port, quality: quality))
        let subscriber = try subscriber(broker, publisher)
        for number in 0..<20 { #expect(publisher.publish(message(number))) }
        #expect(publisher.drain(until: patience()))
        relay.loseAnswers()
        // mosquitto allows this number of messages in flight.
        for number in 20..<40 { #expect(publisher.publish(message(number))) }
        #expect(eventually { quality == 1 ? subscriber.numbers.last == 39 : relay.hasLostAnswers })
        #expect(publisher.counts.waiting == 20 && publisher.counts.repeated == 0)
        relay.cut()
        #expect(publisher.drain(until: patience()))
        let more = quality == 1 ? Array(20..<40) : []
        #expect(eventually { subscriber.numbers.count { $0 >= 0 } == 40 + more.count })
        #expect(subscriber.numbers.filter { $0 >= 0 } == Array(0..<40) + more)
        #expect(publisher.counts.repeated == UInt64(more.count))
        #expect(publisher.stop().left == 0)
    }

    /// libmosquitto makes the process ignore SIGPIPE. Child processes would inherit this.
    @Test("SIGPIPE is left as it was, however many clients are made at once")
    func brokenPipes() async throws {
        func handler() -> UInt {
            var action = sigaction()
            sigaction(SIGPIPE, nil, &action)
            return UInt(bitPattern: unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self))
        }
        let before = signal(SIGPIPE) { _ in }
        defer { signal(SIGPIPE, before) }
        let own = handler()
        let settings = MQTTSettings(
            address: try BrokerAddress("localhost", usesTLS: false), topic: "t", statusTopic: "s", clientID: "c")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<500 { _ = try? MQTTLink(settings) } }
            }
        }
        #expect(handler() == own)
    }

    @Test("What waits for a broker comes when it is there, to those who subscribe first")
    func late() throws {
        let broker = try Mosquitto(folder)
        var settings = quick()
        settings.reconnectInterval = 1500
        settings.maximumReconnectInterval = 1500
        let publisher = try publisher(destination(broker.port), settings)
        let subscriber = try subscriber(broker, publisher)
        #expect(publisher.drain(until: patience()))
        broker.kill()
        #expect(eventually { !publisher.counts.isConnected })
        for number in 0..<300 { #expect(publisher.publish(message(number))) }
        try broker.start()
        #expect(publisher.drain(until: patience()))
        // The subscriber reconnects automatically. It does not receive earlier messages.
        #expect(eventually { subscriber.numbers.last == 299 || publisher.counts.waiting == 0 })
        let found = subscriber.numbers.filter { $0 >= 0 }
        #expect(found == found.sorted() && Set(found).count == found.count)
        _ = publisher.stop()
    }

    @Test("Who stops while the broker is away does not wait, and says what is lost")
    func away() throws {
        let port = try freePort()
        let publisher = try publisher(destination(port))
        for number in 0..<7 { #expect(publisher.publish(message(number))) }
        #expect(eventually { !events.losses.isEmpty })
        #expect(publisher.stop().left == 7)
    }

    @Test("Who has the password gets in; who has not is told, and never the password")
    func passwords() throws {
        let passwords = folder.file("passwords")
        let made = try Process.run(
            URL(fileURLWithPath: "/usr/bin/mosquitto_passwd"), arguments: ["-b", "-c", passwords, "cam", "secret-7"])
        made.waitUntilExit()
        let broker = try Mosquitto(folder, ["allow_anonymous false", "user root", "password_file \(passwords)"])
        let good = try publisher(
            destination(broker.port, Credentials(username: "cam", password: "secret-7")))
        #expect(good.publish(message(1)))
        #expect(good.drain(until: patience()))
        _ = good.stop()
        let bad = try publisher(destination(broker.port, Credentials(username: "cam", password: "wrong-8")))
        #expect(bad.publish(message(1)))
        #expect(eventually { !events.losses.isEmpty })
        #expect(events.losses[0].contains("Not authorized (0x87)"))
        #expect(!events.losses.contains { $0.contains("wrong-8") })
        _ = bad.stop()
    }

    @Test("A password without TLS is a warning")
    func exposure() throws {
        let credentials = Credentials(username: "cam", password: "secret-7")
        let warning = try #require(try destination(1883, credentials).exposure)
        #expect(warning.contains("localhost unencrypted") && !warning.contains("secret-7"))
        #expect(try destination(8883, scheme: "ssl", credentials).exposure == nil)
        #expect(try destination(1883, Credentials(username: "cam")).exposure == nil)
        #expect(try destination(1883, Credentials(password: "unused")).exposure == nil)
    }

    @Test("A message that the broker closes on is dropped, and the others come")
    func tooLarge() throws {
        let broker = try Mosquitto(folder, ["allow_anonymous true", "max_packet_size 2000"])
        let publisher = try publisher(destination(broker.port))
        #expect(publisher.publish(message(0)))
        #expect(publisher.drain(until: patience()))
        for number in 1..<10 { #expect(publisher.publish(message(number, padding: number == 4 ? 5000 : 0))) }
        #expect(publisher.drain(until: patience()))
        #expect(events.refusals == [message(4, padding: 5000).count])
        #expect(publisher.counts.acknowledged == 9)
        _ = publisher.stop()
    }

    @Test("A host that takes the connection and says nothing is given up, and tried again", arguments: ["tcp", "ssl"])
    func silent(_ scheme: String) throws {
        let server = try SilentServer()
        var settings = quick()
        settings.connectTimeout = 300
        let publisher = try publisher(destination(server.port, scheme: scheme), settings)
        #expect(publisher.publish(message(0)))
        #expect(eventually { events.losses.contains { $0.contains("no answer") } })
        #expect(publisher.stop().left == 1)
        withExtendedLifetime(server) {}
    }

    @Test("The state is retained for those who come later, and says so when the stream has ended")
    func status() throws {
        let broker = try Mosquitto(folder)
        var settings = quick()
        (settings.statusInterval, settings.source) = (100, "cam1")
        let publisher = try publisher(destination(broker.port), settings)
        // While an element works on a frame, the stream is not stalled.
        publisher.countFrame()
        #expect(eventually { publisher.counts.isConnected })
        let subscriber = try Subscriber(broker, folder, topic: "t/stats")
        #expect(eventually { subscriber.text.contains("\"source\":\"cam1\",\"state\":\"playing\"") })
        _ = publisher.stop()
        #expect(eventually { subscriber.text.contains("\"state\":\"stopped\"") })
        #expect(!subscriber.text.contains("lost"))
    }

    @Test("A stream without frames is stalled, a stream with an error has failed, and both are told at once")
    func states() throws {
        let broker = try Mosquitto(folder)
        var settings = quick()
        // The interval is longer than the test.
        (settings.statusInterval, settings.source) = (1_000_000_000, "cam1")
        settings.statusPath = folder.file("stats.json")
        let publisher = try publisher(destination(broker.port), settings)
        let subscriber = try Subscriber(broker, folder, topic: "t/stats")
        publisher.countFrame()
        publisher.releaseFrame()
        func note() -> String { String(decoding: (try? contents(of: folder.file("stats.json"))) ?? [], as: UTF8.self) }
        for state in ["stalled", "playing", "failed"] {
            if state == "playing" { publisher.countFrame() }
            if state == "failed" { publisher.failStream() }
            #expect(eventually { subscriber.text.contains("\"state\":\"\(state)\"") })
            #expect(eventually { note().contains("\"state\":\"\(state)\"") })
        }
        _ = publisher.stop()
        #expect(note().contains("\"source\":\"cam1\",\"state\":\"failed\"") && note().contains("\"frames\":2"))
        #expect(!subscriber.text.contains("stopped"))
    }

    @Test("Addresses and topics that cannot be are refused, without showing a password")
    func addresses() throws {
        #expect(try BrokerAddress("tcp://[::1]:1884", usesTLS: false).host == "::1")
        #expect(try BrokerAddress("host", usesTLS: false).port == 1883)
        #expect(try BrokerAddress("mqtts://host", usesTLS: false).port == 8883)
        for text in ["", "tcp://", "ftp://a", "a:0", "a:65536", "a:b", "[::1"] where text != "[::1" {
            #expect(throws: LinkFailure.self, "\(text)") { try BrokerAddress(text, usesTLS: false) }
        }
        do {
            _ = try BrokerAddress("tcp://cam:secret@host", usesTLS: false)
            Issue.record("a password in an address")
        } catch {
            #expect(!"\(error)".contains("secret"))
        }
        for topic in ["", "a/+", "#"] {
            #expect(throws: LinkFailure.self) {
                try MQTTLink(
                    MQTTSettings(
                        address: BrokerAddress("a", usesTLS: false), topic: topic, statusTopic: "s", clientID: "c"))
            }
        }
    }
}
