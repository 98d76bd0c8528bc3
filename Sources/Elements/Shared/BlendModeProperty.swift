// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import ElementKit
import KernelTypes

extension BlendMode: PropertyEnum {
    package static var typeName: String { "GstSvBlendMode" }
    package static let members = allCases.map { (value: $0, blurb: $0.blurb) }
}

extension BlendMode {
    /// The next mode in the list. After the last mode comes the first mode.
    var next: BlendMode { step(1) }
    /// The previous mode in the list. Before the first mode comes the last mode.
    var previous: BlendMode { step(Self.allCases.count - 1) }

    private func step(_ count: Int) -> BlendMode {
        let all = Self.allCases
        let index = all.firstIndex(of: self) ?? 0
        return all[(index + count) % all.count]
    }
}
