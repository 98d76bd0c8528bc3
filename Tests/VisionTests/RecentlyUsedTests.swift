// SPDX-License-Identifier: LGPL-2.1-or-later
import Testing

import Vision

@Suite("Recently used values")
struct RecentlyUsedTests {
    @Test("values stay as long as somebody asks for them")
    func values() {
        var store = RecentlyUsed<Int, String>(patience: 3)
        #expect(store.value(of: 1) { "a" } == "a")
        #expect(store.value(of: 2) { "b" } == "b")
        for _ in 0..<4 {
            #expect(store.value(of: 1) { "new" } == "a")
            store.endTurn()
        }
        // Value 2 was last used in the first of the four turns.
        #expect(store.value(of: 2) { "new" } == "new")
        store.removeAll()
        #expect(store.value(of: 1) { "again" } == "again")
    }

    @Test("a value is forgotten after as many turns as the patience")
    func patience() {
        for turns in 0..<6 {
            var store = RecentlyUsed<Int, Int>(patience: 3)
            _ = store.value(of: 7) { 0 }
            for _ in 0..<turns { store.endTurn() }
            #expect(store.value(of: 7) { 1 } == (turns > 3 ? 1 : 0), "\(turns)")
        }
    }
}
