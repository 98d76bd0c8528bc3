#ifndef SV_PROCESSOR_H
#define SV_PROCESSOR_H

// What Swift cannot say: which of the compiled kernel sets this machine's processor can run, and an instruction that no
// loop is compiled to.

#include <stddef.h>
#include <stdint.h>

/// The x86-64 micro-architecture level of this processor: 1 (baseline), 3 (AVX2) or 4 (AVX-512 with byte and
/// word instructions); 1 on every other architecture.
int sv_processor_level(void);

/// Whether this processor looks up 64 bytes in a table at once (AVX-512 VBMI).
int sv_permutes_bytes(void);

/// Replaces bytes by what tables have in their place; only where sv_permutes_bytes() says 1.
/// - bytes: `count` of them, changed in place.
/// - tables: up to three tables of 256 bytes, one behind the other.
/// - lanes: for each table which bytes of every 64 are its own; no byte belongs to two.
void sv_look_up_bytes(
    uint8_t *bytes, size_t count, const uint8_t *tables, const uint64_t *lanes, size_t table_count);

#endif
