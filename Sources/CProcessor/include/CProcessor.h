// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_PROCESSOR_H
#define SV_PROCESSOR_H

// Functions that Swift cannot provide. These functions detect the processor's instruction sets, or use instructions
// that the compiler never generates from loops.

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Returns the x86-64 microarchitecture level of this processor: 1 (baseline), 3 (AVX2) or 4 (AVX-512 with byte and
/// word instructions). Returns 1 on other architectures. The environment variable SWIFTVISION_PROCESSOR can limit the
/// level. Its values are `x86-64`, `x86-64-v3` and `x86-64-v4`; other values have no effect.
int sv_processor_level(void);

/// Requests that the processor loads `count` bytes into its first-level cache. The address may be invalid.
static inline void sv_prefetch(const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i += 64) __builtin_prefetch((const char *)bytes + i);
}

/// Returns 1 if this processor has AVX-512 VBMI, and 0 otherwise. With AVX-512 VBMI, one instruction looks up 64 bytes
/// in a table.
int sv_permutes_bytes(void);

/// Replaces each byte by an entry of a table. Call this function only if sv_permutes_bytes() returns 1.
/// - bytes: `count` bytes, changed in place.
/// - tables: up to three tables of 256 bytes, one after another.
/// - lanes: a bit mask for each table. Bit i is set if byte i of every group of 64 bytes uses the table. Each byte uses
///   at most one table.
void sv_look_up_bytes(
    uint8_t *bytes, size_t count, const uint8_t *tables, const uint64_t *lanes, size_t table_count);

/// Clamps each value v to 0...255 and computes c0 + c1 · v + c2 · v² in place. The range has 32 segments with different
/// coefficients. Call this function only if sv_processor_level() returns 4.
/// - coefficients: c0 for each of the 32 segments, then c1 for each segment, then c2 for each segment.
/// - scale, offset, shift: the index of the segment of v consists of the lowest five bits of `bits >> shift`. `bits` is
///   the bit pattern of the float v * scale + offset.
void sv_apply_segments(
    float *values, size_t count, const float *coefficients, float scale, float offset, unsigned shift);

/// Clamps each value v to 0...255 and computes c0 + c1 · v + c2 · v² + c3 · v³ in place. The range has 8 equal segments
/// with different coefficients. Call this function only if sv_processor_level() returns 3 or more.
/// - coefficients: c0 for each of the 8 segments, then c1, c2 and c3 for each segment.
void sv_apply_cubics(float *values, size_t count, const float *coefficients);

/// Conversions between rows of luma and chroma and rows of red, green and blue.
///
/// `plane` is the number of elements (bytes or terms) from the red row to the green row, and from the green row to the
/// blue row. Arguments and results are the same as for the kernels in Kernels/YUV.swift. Each function converts only
/// samples that fill whole vectors, and returns the number of converted samples, which is even.
typedef struct {
  /// Computes the terms of `count` chroma pairs. The terms are the parts of red, green and blue that come from chroma.
  size_t (*chroma_pairs_to_terms)(const uint8_t *chroma, int is_blue_first, const int16_t *weights, int16_t *terms,
                                  size_t plane, size_t count);
  /// Computes the colours of 2 * `count` luma samples. Two adjacent luma samples share the chroma terms.
  size_t (*luma_to_colors)(const uint8_t *luma, int16_t weight, const int16_t *terms, uint8_t *colors, size_t plane,
                           size_t count);
  /// Computes the colours of `count` pixels. In `samples`, luma and chroma alternate. Two adjacent pixels share a blue
  /// and a red chroma sample; the blue sample comes first.
  /// - weights: the seven coefficients of chroma, then the coefficient of luma.
  size_t (*packed_to_colors)(const uint8_t *samples, int is_luma_first, const int16_t *weights, uint8_t *colors,
                             size_t plane, size_t count);
  /// Computes the luma of `count` pixels from their colours.
  size_t (*colors_to_luma)(const uint8_t *colors, size_t plane, const int16_t *weights, uint8_t *luma, size_t count);
  /// Computes `count` blue and red chroma samples from colours. Each sample is the mean of two adjacent pixels in each
  /// of two rows. `first` and `second` may be the same row.
  size_t (*colors_to_chroma)(const uint8_t *first, const uint8_t *second, size_t plane, const int16_t *weights,
                             uint8_t *blue, uint8_t *red, size_t count);
  /// Computes the same chroma samples as colors_to_chroma, but writes pairs of a blue and a red sample.
  size_t (*colors_to_chroma_pairs)(const uint8_t *first, const uint8_t *second, size_t plane, const int16_t *weights,
                                   int is_blue_first, uint8_t *chroma, size_t count);
  /// Computes `count` pixels in which luma and chroma alternate. Two adjacent pixels share a blue and a red chroma
  /// sample; the blue sample comes first.
  /// - weights: the four coefficients of luma, then the seven coefficients of chroma.
  size_t (*colors_to_packed)(const uint8_t *colors, size_t plane, const int16_t *weights, int is_luma_first,
                             uint8_t *samples, size_t count);
  /// Clamps levels to 0...255 and rounds the levels to bytes.
  size_t (*levels_to_bytes)(const float *levels, uint8_t *bytes, size_t count);
} SVLanes;

/// Returns the functions for a processor level. The level must be at most sv_processor_level().
const SVLanes *sv_lanes(int level);

#pragma clang assume_nonnull end

#endif
