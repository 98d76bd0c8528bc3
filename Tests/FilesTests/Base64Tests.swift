// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Foundation
import Testing

/// Compares Base64 with the functions of Foundation.
@Suite struct Base64Tests {
    @Test(arguments: 0...40) func isFoundations(_ count: Int) {
        var random = SystemRandomNumberGenerator()
        let content = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        let text = base64(content)
        #expect(text == Data(content).base64EncodedString())
        #expect(bytes(base64: text) == content)
    }

    @Test(arguments: ["A", "AA", "AAA", "AA=A", "====", "A===", "AAA\n", "AA A", "AA-_", "AAAA=", "AAAAA===", "ÄAA"])
    func whatIsNoneIsRefused(_ text: String) {
        #expect(bytes(base64: text) == nil)
    }
}
