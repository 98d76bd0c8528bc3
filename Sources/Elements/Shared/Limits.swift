/// The longest side, in pixels, that a picture may be given, and the farthest that it may be moved.
let longestSide: Int32 = 16384
