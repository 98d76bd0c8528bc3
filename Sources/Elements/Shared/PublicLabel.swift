// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

extension Detection {
    /// The label of the object for receivers that must not get names of persons: the name of a thing from
    /// svblobclassify or svlogodetect, or else the type of the object. Other labels and names are hidden, because
    /// detectors of other vendors can also write names of persons to labels.
    var publicLabel: String {
        let name = type == .blob ? "blob-class" : type == .logo ? "logo" : nil
        let thing = name.flatMap { name in classifications.first { $0.name == name } }
        let isPerson = classifications.contains { $0.name == "person" }
        guard let thing, !thing.label.isEmpty, !isPerson else { return type.rawValue }
        return thing.label
    }
}
