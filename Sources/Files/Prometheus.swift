// SPDX-License-Identifier: LGPL-2.1-or-later

/// A metric in the text format of Prometheus: a name, a type, a description, and one value for each set of labels.
package struct PrometheusMetric: Sendable {
    package enum Kind: String, Sendable {
        /// A value that never decreases, except after a restart. By convention, its name ends with `_total`.
        case counter
        case gauge
    }

    package typealias Label = (name: String, value: String)

    private struct Sample: Sendable {
        /// The labels, as text between braces; empty for no labels.
        let labels: String
        var value: UInt64
    }

    private let name: String
    private let kind: Kind
    private let help: String
    private var samples: [Sample] = []

    /// - Parameter name: a name of letters, digits, `_` and `:`. Other characters are replaced by `_`.
    package init(_ name: String, _ kind: Kind, _ help: String) {
        (self.name, self.kind, self.help) = (Self.validName(name, allowsColon: true), kind, help)
    }

    /// Adds a value with these labels. Prometheus rejects two values with the same labels, so if the metric already has
    /// such a value, the method adds the new value to it.
    package mutating func add(_ value: UInt64, _ labels: Label...) {
        let labels = Self.text(of: labels)
        if let index = samples.firstIndex(where: { $0.labels == labels }) {
            let (sum, overflows) = samples[index].value.addingReportingOverflow(value)
            samples[index].value = overflows ? .max : sum
        } else {
            samples.append(Sample(labels: labels, value: value))
        }
    }

    /// The media type of the text format.
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// The maximum length of a label value, in bytes.
    package static let maxLength = 200

    /// Returns the metrics in the text format 0.0.4 (prometheus.io, "Exposition formats"). Omits metrics without
    /// values.
    /// - Parameter common: labels of all values.
    package static func text(_ metrics: [PrometheusMetric], _ common: [Label] = []) -> [UInt8] {
        var text = ""
        let common = Self.text(of: common)
        for metric in metrics where !metric.samples.isEmpty {
            let help = escaped(metric.help, escapesQuotes: false)
            text += "# HELP \(metric.name) \(help)\n# TYPE \(metric.name) \(metric.kind.rawValue)\n"
            for sample in metric.samples {
                let labels = [common, sample.labels].filter { !$0.isEmpty }.joined(separator: ",")
                text += (labels.isEmpty ? metric.name : "\(metric.name){\(labels)}") + " \(sample.value)\n"
            }
        }
        return Array(text.utf8)
    }

    private static func text(of labels: [Label]) -> String {
        labels.map { label in
            let value = escaped(label.value.cut(toBytes: maxLength), escapesQuotes: true)
            return "\(validName(label.name, allowsColon: false))=\"\(value)\""
        }.joined(separator: ",")
    }

    /// Escapes special characters for the text format. The method processes Unicode scalars, because a `Character` can
    /// combine a quote with an accent, or a carriage return with a line feed. It replaces carriage returns by spaces,
    /// because some parsers treat them as line ends.
    private static func escaped(_ value: String, escapesQuotes: Bool) -> String {
        value.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += " "
            case "\"" where escapesQuotes: text += "\\\""
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    private static func validName(_ name: String, allowsColon: Bool) -> String {
        var valid = ""
        for scalar in name.unicodeScalars {
            let isLetter = "a"..."z" ~= scalar || "A"..."Z" ~= scalar || scalar == "_" || (scalar == ":" && allowsColon)
            let isDigit = "0"..."9" ~= scalar
            if isDigit, valid.isEmpty { valid = "_" }
            valid.unicodeScalars.append(isLetter || isDigit ? scalar : "_")
        }
        return valid.isEmpty ? "_" : valid
    }
}

/// Counts how often each label occurs. When the number of labels has reached a limit, all new labels count as `other`.
package struct LabelCounts: Sendable {
    private var counts: [String: UInt64] = [:]
    private let limit: Int

    /// The label that replaces all new labels after the limit is reached.
    package static let other = "other"

    package init(limit: Int) { self.limit = limit }

    package mutating func add(_ label: String, _ count: UInt64 = 1) {
        let label = label.cut(toBytes: PrometheusMetric.maxLength)
        let isNew = counts[label] == nil && label != Self.other
        let hasRoom = counts.count - (counts[Self.other] == nil ? 0 : 1) < limit
        counts[isNew && !hasRoom ? Self.other : label, default: 0] &+= count
    }

    /// The labels and their counts, sorted by label.
    package var all: [(label: String, count: UInt64)] {
        counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
