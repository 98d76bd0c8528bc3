// SPDX-License-Identifier: LGPL-2.1-or-later
import Filters
import Imaging
import Testing

@Suite("Filters: looks")
struct LookTests {
    private static let names = Look.all.map(\.name)

    @Test("there are at least 20 looks, each with a name of its own and a summary of one line")
    func list() {
        #expect(Look.all.count >= 20)
        #expect(Set(Self.names).count == Self.names.count)
        #expect(Set(Self.names).isDisjoint(with: Filter.all.map(\.name)))
        for look in Look.all {
            #expect(look.name.allSatisfy { $0.isLowercase || $0 == "-" }, "\(look.name)")
            #expect(look.summary.hasSuffix(".") && look.summary.count <= 100, "\(look.name)")
            #expect(Look.catalogue.contains("  \(look.name) "), "\(look.name)")
        }
    }

    @Test("each look is a chain of filters that changes an image", arguments: names)
    func change(name: String) throws {
        let look = try Look(named: name)
        let chain = try FilterChain(look.text)
        #expect(!chain.uses.isEmpty)
        #expect(chain.uses.allSatisfy { look.text.contains($0.filter.name) }, "\(name)")
        #expect(try FilterChain(name) == chain)
        #expect(try FilterChain("hue | \(name) | invert").description == "hue | \(chain) | invert")
        let picture = RealPicture.sample(width: 64, height: 48)
        let (plain, changed) = (Picture(.bgrx, width: 64, height: 48), Picture(.bgrx, width: 64, height: 48))
        picture.write(to: plain)
        picture.write(to: changed)
        FilterRunner(threads: 1).run(chain, on: changed.image)
        // The look must be visible: on average, a byte changes by at least 3 levels.
        let change = zip(plain.bytes, changed.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(change >= 3 * 3 * 64 * 48, "\(name): \(change)")
        // A look must not make an image uniform.
        #expect(Set(changed.bytes).count > 2, "\(name)")
    }

    @Test(
        "an unknown look is an error that lists the most similar names",
        arguments: [
            ("film-nior", "film-noir"), ("noir", "film-noir"), ("teal", "teal-orange"), ("Cyanotype", "cyanotype"),
            ("", ""), ("vhs", "vhs-tape"), (String(repeating: "long", count: 100_000), ""),
        ])
    func unknown(name: String, nearest: String) {
        let error = #expect(throws: FilterChainError.self) { try Look(named: name) }
        let message = error?.message ?? ""
        let listed = Self.names.filter { message.contains("\"\($0)\"") }
        #expect(listed.count == 3, "\(message.suffix(200))")
        #expect(nearest.isEmpty || message.contains("are \"\(nearest)\","), "\(message)")
    }
}
