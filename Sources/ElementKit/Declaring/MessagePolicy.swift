/// Policy for messages about what an element sees or does.
package enum MessagePolicy: Int32, PropertyEnum {
    case none
    case onChange

    package static let typeName = "GstSvMessagePolicy"

    package var blurb: String {
        switch self {
        case .none: "Never"
        case .onChange: "When something changes"
        }
    }
}
