import Vision

/// `Pixels` has a type of this name too; here the points of faces are meant.
typealias Point = Vision.Point
