// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

extension Detection {
    /// The name of the object, without the name of a person. For a face or an object with a recognised person, returns
    /// the type of the object, because a detector of another vendor can also write a person's name to the label.
    var publicLabel: String {
        let isPerson =
            [.face, .catFace, .hybridFace].contains(type.certain) || naming?.name == "person"
            || classifications.contains { $0.name == "person" }
        return isPerson ? type.rawValue : name
    }
}
