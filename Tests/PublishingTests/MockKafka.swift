// SPDX-License-Identifier: LGPL-2.1-or-later
import CBrokers
import Glibc
import TestSupport

/// The mock cluster of librdkafka for tests (rdkafka_mock.h), with one broker in this process. It supports Kafka's
/// protocol, but no security. Unlike a real broker, it does not check sequence numbers.
final class MockKafka {
    /// A message about the missing library; nil if librdkafka is installed.
    static let missing: String? = sv_kafka() == nil ? "librdkafka1 is not installed" : nil

    private typealias Cluster = OpaquePointer

    /// Functions of librdkafka that only tests use: for the mock cluster, and to read messages.
    private struct Functions {
        let newCluster: @convention(c) (OpaquePointer, Int32) -> Cluster?
        let destroyCluster: @convention(c) (Cluster) -> Void
        let bootstraps: @convention(c) (Cluster) -> UnsafePointer<CChar>?
        let createTopic: @convention(c) (Cluster, UnsafePointer<CChar>, Int32, Int32) -> Int32
        let setDown: @convention(c) (Cluster, Int32) -> Int32
        let setUp: @convention(c) (Cluster, Int32) -> Int32
        let pushErrors: @convention(c) (Cluster, Int16, Int, UnsafePointer<Int32>) -> Void
        let start: @convention(c) (OpaquePointer, Int32, Int64) -> Int32
        let consume: @convention(c) (OpaquePointer, Int32, Int32) -> UnsafeMutablePointer<SVKafkaMessage>?
        let destroyMessage: @convention(c) (UnsafeMutablePointer<SVKafkaMessage>) -> Void
        let stop: @convention(c) (OpaquePointer, Int32) -> Int32

        init() throws {
            let library = dlopen("librdkafka.so.1", RTLD_NOW)
            func find<Function>(_ name: String, as _: Function.Type = Function.self) throws -> Function {
                unsafeBitCast(try required(dlsym(library, "rd_kafka_" + name), name), to: Function.self)
            }
            newCluster = try find("mock_cluster_new")
            destroyCluster = try find("mock_cluster_destroy")
            bootstraps = try find("mock_cluster_bootstraps")
            createTopic = try find("mock_topic_create")
            setDown = try find("mock_broker_set_down")
            setUp = try find("mock_broker_set_up")
            pushErrors = try find("mock_push_request_errors_array")
            start = try find("consume_start")
            consume = try find("consume")
            destroyMessage = try find("message_destroy")
            stop = try find("consume_stop")
        }
    }

    /// Types of requests. The raw value is the API key.
    enum Request: Int16 { case produce = 0, initProducer = 22 }

    let address: String
    private let library: SVKafka
    private let functions: Functions
    private let owner: OpaquePointer
    private let cluster: Cluster

    init() throws {
        library = try required(sv_kafka(), "no librdkafka").pointee
        functions = try Functions()
        owner = try Self.client(library, Int32(SV_KAFKA_PRODUCER), [])
        cluster = try required(functions.newCluster(owner, 1), "no cluster")
        address = String(cString: try required(functions.bootstraps(cluster), "no address"))
    }

    deinit {
        functions.destroyCluster(cluster)
        library.destroy_flags(owner, 0)
    }

    private static func client(_ library: SVKafka, _ type: Int32, _ options: [(String, String)]) throws -> OpaquePointer
    {
        let settings = try required(library.conf_new(), "no settings")
        var text = [CChar](repeating: 0, count: 256)
        for (name, value) in options { _ = library.conf_set(settings, name, value, &text, text.count) }
        library.conf_set_log_cb(settings) { _, _, _, _ in }
        return try required(library.create(type, settings, &text, text.count), "no client")
    }

    // MARK: - The broker

    func create(_ topic: String, partitions: Int32) { _ = functions.createTopic(cluster, topic, partitions, 1) }
    func goDown() { _ = functions.setDown(cluster, 1) }
    func comeUp() { _ = functions.setUp(cluster, 1) }

    /// Answers the next requests of a type with errors (rd_kafka_resp_err_t).
    func fail(_ request: Request, _ errors: [Int32]) {
        functions.pushErrors(cluster, request.rawValue, errors.count, errors)
    }

    // MARK: - Reading

    /// Returns the messages in each partition of a topic, one message per line.
    func messages(of name: String, partitions: Int32) throws -> [String] {
        let client = try Self.client(
            library, 1, [("bootstrap.servers", address), ("enable.partition.eof", "true"), ("group.id", "test")])
        defer { library.destroy_flags(client, 0) }
        let topic = try required(library.topic_new(client, name, nil), "no topic")
        defer { library.topic_destroy(topic) }
        return try (0..<partitions).map { try messages(of: topic, $0) }
    }

    private func messages(of topic: OpaquePointer, _ partition: Int32) throws -> String {
        // −2 is the beginning of the partition.
        guard functions.start(topic, partition, -2) == 0 else { throw TestFailure("nothing can be read") }
        defer { _ = functions.stop(topic, partition) }
        var text = ""
        while let message = functions.consume(topic, partition, 30_000) {
            defer { functions.destroyMessage(message) }
            // −191 is the end of the partition.
            if message.pointee.error == -191 { return text }
            guard message.pointee.error == 0 else { throw TestFailure("error \(message.pointee.error)") }
            let bytes = UnsafeRawBufferPointer(start: message.pointee.payload, count: message.pointee.count)
            text += String(decoding: bytes, as: UTF8.self) + "\n"
        }
        throw TestFailure("the partition does not end")
    }
}
