// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc

/// Returns the password in the first line of a file.
/// - Parameter property: the name of the property with the path; nil if errors need no name.
/// - Throws: `ElementError` with the path if the file cannot be read.
func password(inFile path: String, property: String? = nil) throws(ElementError) -> String {
    do throws(FileError) {
        let line = try readFile(path, atMost: 65_536).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return String(decoding: line, as: UTF8.self)
    } catch {
        let name = property.map { "\($0): " } ?? ""
        throw ElementError(.openRead, "\(name)cannot read the password file \"\(path)\": \(error)")
    }
}
