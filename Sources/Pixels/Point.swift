/// A place in a picture, in pixels from its top left corner. A pixel covers 0…1: the first one's centre is (0.5, 0.5).
package struct Point: Sendable, Hashable {
    package var x: Double
    package var y: Double

    package init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    var isFinite: Bool { x.isFinite && y.isFinite }
}
