// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import TestSupport
import Testing

/// Tests of the text format of Prometheus (prometheus.io, "Exposition formats", version 0.0.4).
@Suite("Metrics in the format of Prometheus")
struct PrometheusTests {
    private func text(_ metrics: PrometheusMetric...) -> String {
        String(decoding: PrometheusMetric.text(metrics), as: UTF8.self)
    }

    @Test("Each metric has a description, a type and its values, one per line")
    func lines() {
        var frames = PrometheusMetric("frames_total", .counter, "Frames")
        frames.add(7, ("element", "a"))
        frames.add(0, ("element", "b"), ("event", "c"))
        var queue = PrometheusMetric("queue", .gauge, "Messages")
        queue.add(.max)
        let expected = """
            # HELP frames_total Frames
            # TYPE frames_total counter
            frames_total{element="a"} 7
            frames_total{element="b",event="c"} 0
            # HELP queue Messages
            # TYPE queue gauge
            queue 18446744073709551615

            """
        #expect(text(frames, queue) == expected)
    }

    @Test("Backslashes, quotes and line feeds are escaped in labels; a description keeps its quotes")
    func escapes() {
        var metric = PrometheusMetric("m", .gauge, "a \"b\" \\ c\nd")
        metric.add(1, ("l", "a \"b\" \\ c\nd żółć }"))
        #expect(
            text(metric) == """
                # HELP m a "b" \\\\ c\\nd
                # TYPE m gauge
                m{l="a \\"b\\" \\\\ c\\nd żółć }"} 1

                """)
    }

    @Test(
        "Labels are escaped by Unicode scalars, without carriage returns",
        arguments: [
            ("a\r\nb", "a \\nb"), ("\"\u{301}", "\\\"\u{301}"), ("\\\u{301}", "\\\\\u{301}"),
            ("\n\u{301}", "\\n\u{301}"),
            ("a\rb", "a b"),
        ])
    func scalars(_ value: String, _ escaped: String) {
        var metric = PrometheusMetric("m", .gauge, value)
        metric.add(1, ("l", value))
        let scalars = Array(text(metric).unicodeScalars)
        let expected = "m{l=\"\(escaped)\"} 1\n".unicodeScalars
        #expect(scalars.suffix(expected.count).elementsEqual(expected))
        #expect(scalars.count { $0 == "\n" } == 3 && !scalars.contains("\r"))
    }

    @Test("Labels have at most 200 bytes, and a common label is in all values")
    func length() {
        var metric = PrometheusMetric("m", .gauge, "")
        metric.add(1, ("l", String(repeating: "ż", count: 300)))
        metric.add(2)
        let text = String(decoding: PrometheusMetric.text([metric], [("source", "a\"b")]), as: UTF8.self)
        #expect(text.contains("\nm{source=\"a\\\"b\",l=\"\(String(repeating: "ż", count: 100))\"} 1\n"))
        #expect(text.hasSuffix("\nm{source=\"a\\\"b\"} 2\n"))
        var counts = LabelCounts(limit: 5)
        counts.add(String(repeating: "x", count: 1000))
        #expect(counts.all.map(\.label.utf8.count) == [200])
    }

    @Test("Invalid characters in names are replaced")
    func names() {
        var metric = PrometheusMetric("1 a-b:c", .gauge, "")
        metric.add(1, ("2-x:y", ""))
        #expect(text(metric).contains("\n_1_a_b:c{_2_x_y=\"\"} 1\n"))
    }

    @Test("Values with the same labels are added up")
    func sum() {
        var metric = PrometheusMetric("m", .counter, "")
        for value in [3, 4] as [UInt64] { metric.add(value, ("l", "a")) }
        metric.add(.max, ("l", "b"))
        metric.add(1, ("l", "b"))
        #expect(text(metric).contains("m{l=\"a\"} 7\nm{l=\"b\"} 18446744073709551615\n"))
    }

    @Test("A metric without values is omitted")
    func empty() { #expect(text(PrometheusMetric("m", .counter, "")).isEmpty) }

    @Test("After 50 labels, new labels count as other, and known labels still count")
    func limit() {
        var counts = LabelCounts(limit: 50)
        for number in 0..<80 { counts.add("label \(number)") }
        counts.add("label 3", 10)
        let all = Dictionary(uniqueKeysWithValues: counts.all.map { ($0.label, $0.count) })
        #expect(all.count == 51 && all["other"] == 30 && all["label 3"] == 11 && all["label 50"] == nil)
        var early = LabelCounts(limit: 2)
        for label in ["other", "a", "b", "c", "other"] { early.add(label) }
        #expect(early.all.map(\.label) == ["a", "b", "other"] && early.all.last?.count == 3)
    }
}
