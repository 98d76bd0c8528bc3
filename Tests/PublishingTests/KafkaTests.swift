// SPDX-License-Identifier: LGPL-2.1-or-later
@testable import Publishing
import TestSupport
import Testing

@Suite("Messages by Kafka", .serialized, .enabled(if: MockKafka.missing == nil, "\(MockKafka.missing ?? "")"))
struct KafkaTests {
    private let events = Events()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func publisher(_ kafka: MockKafka, _ settings: PublisherSettings = quick(), key: String = "cam1") throws
        -> Publisher
    {
        let events = events
        let destination = KafkaSettings(
            address: try KafkaAddress(kafka.address), topic: "t", statusTopic: "t-stats", key: key,
            clientID: "publisher",
            reconnectInterval: 20, maximumReconnectInterval: 50)
        return try Publisher(to: .kafka(destination), settings) { events.add($0) }
    }

    @Test("All messages of a source come once, in order, in one partition")
    func order() throws {
        let kafka = try MockKafka()
        kafka.create("t", partitions: 4)
        for key in ["cam1", "cam2"] {
            let publisher = try publisher(kafka, key: key)
            for number in 0..<1000 { #expect(publisher.publish(message(number))) }
            #expect(publisher.drain(until: patience()))
            #expect(publisher.stop().left == 0)
            #expect(publisher.counts.acknowledged == 1000)
        }
        let found = try kafka.messages(of: "t", partitions: 4).map { numbers(in: $0) }
        // Kafka's murmur2 may put both keys in the same partition or in different partitions. The order is right in
        // both cases.
        #expect(found.flatMap { $0 }.count == 2000)
        #expect(found.allSatisfy { $0.isEmpty || $0 == Array(0..<1000) || $0 == Array(0..<1000) + Array(0..<1000) })
        #expect(events.count(.connected) == 2 && events.losses.isEmpty)
    }

    @Test("A broker that goes away gets all when it is back, once and in order")
    func away() throws {
        let kafka = try MockKafka()
        kafka.create("t", partitions: 1)
        let publisher = try publisher(kafka)
        for number in 0..<100 { #expect(publisher.publish(message(number))) }
        #expect(publisher.drain(until: patience()))
        for round in 1...3 {
            kafka.goDown()
            for number in 0..<500 { #expect(publisher.publish(message(round * 500 - 400 + number))) }
            #expect(eventually { events.losses.count >= 1 && !publisher.counts.isConnected })
            kafka.comeUp()
            #expect(publisher.drain(until: patience()))
        }
        #expect(publisher.stop().left == 0)
        #expect(numbers(in: try kafka.messages(of: "t", partitions: 1)[0]) == Array(0..<1600))
        #expect(publisher.counts.repeated == 0 && events.count(.connected) >= 2)
    }

    @Test("What the broker fails to take is sent again, in order")
    func errors() throws {
        let kafka = try MockKafka()
        kafka.create("t", partitions: 1)
        // REQUEST_TIMED_OUT, NOT_LEADER_FOR_PARTITION, NOT_ENOUGH_REPLICAS
        kafka.fail(.produce, [7, 6, 19, 7])
        let publisher = try publisher(kafka)
        for number in 0..<300 { #expect(publisher.publish(message(number))) }
        #expect(publisher.drain(until: patience()))
        _ = publisher.stop()
        #expect(numbers(in: try kafka.messages(of: "t", partitions: 1)[0]) == Array(0..<300))
        #expect(events.refusals.isEmpty)
    }

    @Test("A producer that cannot go on is replaced; its messages are not lost")
    func fatal() throws {
        let kafka = try MockKafka()
        kafka.create("t", partitions: 1)
        // CLUSTER_AUTHORIZATION_FAILED
        kafka.fail(.initProducer, [31])
        let publisher = try publisher(kafka)
        for number in 0..<50 { #expect(publisher.publish(message(number))) }
        #expect(publisher.drain(until: patience()))
        _ = publisher.stop()
        #expect(numbers(in: try kafka.messages(of: "t", partitions: 1)[0]) == Array(0..<50))
        #expect(events.losses.count == 1 && events.refusals.isEmpty)
        #expect(publisher.counts.acknowledged == 50)
    }

    @Test("What is left when it stops is in the queue's file, and comes first the next time")
    func kept() throws {
        let kafka = try MockKafka()
        kafka.create("t", partitions: 1)
        kafka.goDown()
        let first = try publisher(kafka, quick(spool: folder.file("spool")))
        for number in 0..<50 { #expect(first.publish(message(number))) }
        let (left, areKept) = first.stop()
        #expect(left == 50 && areKept)
        kafka.comeUp()
        let second = try publisher(kafka, quick(spool: folder.file("spool")))
        for number in 50..<60 { #expect(second.publish(message(number))) }
        #expect(second.drain(until: patience()))
        _ = second.stop()
        #expect(numbers(in: try kafka.messages(of: "t", partitions: 1)[0]) == Array(0..<60))
        #expect(try contents(of: folder.file("spool")).isEmpty)
    }

    @Test("A message that is too large is dropped, and the others come")
    func tooLarge() throws {
        let kafka = try MockKafka()
        kafka.create("t", partitions: 1)
        let publisher = try publisher(kafka)
        for number in 0..<10 { #expect(publisher.publish(message(number, padding: number == 4 ? 1_100_000 : 0))) }
        #expect(publisher.drain(until: patience()))
        _ = publisher.stop()
        #expect(numbers(in: try kafka.messages(of: "t", partitions: 1)[0]) == [0, 1, 2, 3, 5, 6, 7, 8, 9])
        #expect(events.refusals == [message(4, padding: 1_100_000).count])
    }

    @Test("Addresses that cannot be are refused, without showing a password")
    func addresses() throws {
        let addresses = [
            "kafka://host:9092", "cam:secret@host:9092", "a/b,cam:secret@host:9092", "ssl://a:1,tcp://b:2", "",
        ]
        for address in addresses {
            do {
                _ = try KafkaAddress(address)
                Issue.record("\(address) is taken")
            } catch {
                #expect(!"\(error)".contains("secret"))
            }
        }
    }

    @Test("ssl:// makes the connections secure, with the system's authorities if no file is given")
    func secureAddresses() throws {
        let address = try KafkaAddress("ssl://a:9093, ssl://b:9093")
        #expect(address.servers == "a:9093,b:9093" && address.usesTLS)
        #expect(try !KafkaAddress("a:9092,tcp://b:9092").usesTLS)
        #expect(try KafkaAddress("a:9092", usesTLS: true).usesTLS)
        let settings = KafkaSettings(address: address, topic: "t", statusTopic: "s", key: "k", clientID: "c")
        _ = try KafkaLink(settings)
    }

    @Test("A user name without TLS is a warning")
    func exposure() throws {
        func exposure(_ address: String, _ credentials: Credentials) throws -> String? {
            let settings = KafkaSettings(
                address: try KafkaAddress(address), topic: "t", statusTopic: "s", key: "k", clientID: "c",
                credentials: credentials)
            return Destination.kafka(settings).exposure
        }
        let credentials = Credentials(username: "cam", password: "secret-7")
        let warning = try #require(try exposure("host:9092", credentials))
        #expect(warning.contains("host:9092 unencrypted") && !warning.contains("secret-7"))
        #expect(try exposure("ssl://host:9093", credentials) == nil)
        #expect(try exposure("host:9092", Credentials()) == nil)
    }
}
