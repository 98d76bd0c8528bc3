#ifndef SV_PROCESSOR_H
#define SV_PROCESSOR_H

// What Swift cannot say: which of the compiled kernel sets this machine's processor can run, and instructions that no
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

/// Replaces each of some values, clipped to 0...255, by a square polynomial of it, of which there are 32 for as many
/// segments of that range; only where sv_processor_level() says 4.
/// - coefficients: the polynomials' 32 constants, then their factors of the value, then those of its square.
/// - scale, offset, shift: a value's segment is what the lowest five bits are of the bits of value * scale + offset, as a
///   float, shifted to the right.
void sv_apply_segments(
    float *values, size_t count, const float *coefficients, float scale, float offset, unsigned shift);

#endif
