// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_PROCESSOR_H
#define SV_PROCESSOR_H

// Facilities that Swift lacks: a test of which compiled kernel sets this machine's processor can run, and instructions
// that no loop is compiled to.

#include <stddef.h>
#include <stdint.h>

/// Returns the x86-64 micro-architecture level of this processor: 1 (baseline), 3 (AVX2) or 4 (AVX-512 with byte and
/// word instructions); 1 on every other architecture.
int sv_processor_level(void);

/// Asks the processor to bring bytes into its first-level cache, which may be anywhere.
static inline void sv_prefetch(const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i += 64) __builtin_prefetch((const char *)bytes + i);
}

/// Returns 1 if this processor looks up 64 bytes in a table at once (AVX-512 VBMI), else 0.
int sv_permutes_bytes(void);

/// Replaces bytes by their entries in tables; may only be called if sv_permutes_bytes() returns 1.
/// - bytes: `count` of them, changed in place.
/// - tables: up to three tables of 256 bytes, one after another.
/// - lanes: for each table the bytes of every 64 that it applies to; no byte belongs to two tables.
void sv_look_up_bytes(
    uint8_t *bytes, size_t count, const uint8_t *tables, const uint64_t *lanes, size_t table_count);

/// Replaces each of some values, clipped to 0...255, by a quadratic polynomial of it, one of 32 for as many segments of
/// that range; may only be called if sv_processor_level() returns 4.
/// - coefficients: the polynomials' 32 constants, then their factors of the value, then those of its square.
/// - scale, offset, shift: a value's segment is given by the lowest five bits of the bits of value * scale + offset, as
///   a float, shifted to the right.
void sv_apply_segments(
    float *values, size_t count, const float *coefficients, float scale, float offset, unsigned shift);

/// Replaces each of some values, clipped to 0...255, by a cubic polynomial of it, one of 8 for as many equal segments of that
/// range; may only be called if sv_processor_level() returns 3 or more.
/// - coefficients: the polynomials' 8 constants, then their factors of the value, of its square and of its cube.
void sv_apply_cubics(float *values, size_t count, const float *coefficients);

#endif
