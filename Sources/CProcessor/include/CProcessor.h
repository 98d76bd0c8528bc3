// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_PROCESSOR_H
#define SV_PROCESSOR_H

// Functions that Swift cannot provide: a test of the kernel sets that the processor supports, and instructions that the
// compiler never generates from loops.

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Returns the x86-64 microarchitecture level of this processor: 1 (baseline), 3 (AVX2) or 4 (AVX-512 with byte and
/// word instructions); 1 on other architectures. The environment variable SWIFTVISION_PROCESSOR limits the level; its
/// values are `x86-64`, `x86-64-v3` and `x86-64-v4`. Other values have no effect.
int sv_processor_level(void);

/// Asks the processor to load bytes into its first-level cache. The address may be invalid.
static inline void sv_prefetch(const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i += 64) __builtin_prefetch((const char *)bytes + i);
}

/// Returns 1 if this processor can look up 64 bytes in a table with one instruction (AVX-512 VBMI), else 0.
int sv_permutes_bytes(void);

/// Replaces bytes by their entries in tables. Call this function only if sv_permutes_bytes() returns 1.
/// - bytes: `count` bytes, changed in place.
/// - tables: up to three tables of 256 bytes each, one after another.
/// - lanes: for each table a bit mask of the bytes that use the table, in every group of 64 bytes. Each byte uses at
///   most one table.
void sv_look_up_bytes(
    uint8_t *bytes, size_t count, const uint8_t *tables, const uint64_t *lanes, size_t table_count);

/// Clips each value to 0...255 and replaces it by a quadratic polynomial of the value. The range has 32 segments with
/// one polynomial each. Call this function only if sv_processor_level() returns 4.
/// - coefficients: the 32 constant terms, then the 32 linear coefficients, then the 32 quadratic coefficients.
/// - scale, offset, shift: to get the index of a value's segment, shift the bit pattern of the float
///   value * scale + offset to the right by `shift`, and take the lowest five bits.
void sv_apply_segments(
    float *values, size_t count, const float *coefficients, float scale, float offset, unsigned shift);

/// Clips each value to 0...255 and replaces it by a cubic polynomial of the value. The range has 8 equal segments with
/// one polynomial each. Call this function only if sv_processor_level() returns 3 or more.
/// - coefficients: the 8 constant terms, then the 8 linear, the 8 quadratic and the 8 cubic coefficients.
void sv_apply_cubics(float *values, size_t count, const float *coefficients);

// Conversions between rows of luma and chroma and rows of red, green and blue. `plane` is the distance between the rows
// of red, green and blue, in bytes or in terms.
/// Arguments and results are the same as for the kernels in Kernels/YUV.swift. Each function converts as many samples
/// as fill whole vectors, and returns the number of converted samples, which is even.
typedef struct {
  /// Computes the contribution of `count` chroma pairs to red, green and blue.
  size_t (*chroma_pairs_to_terms)(const uint8_t *chroma, int is_blue_first, const int16_t *weights, int16_t *terms,
                                  size_t plane, size_t count);
  /// Computes the colours of 2 * `count` luma samples. Each two adjacent samples share one chroma term.
  size_t (*luma_to_colors)(const uint8_t *luma, int16_t weight, const int16_t *terms, uint8_t *colors, size_t plane,
                           size_t count);
  /// Computes the colours of `count` pixels in which luma and chroma alternate. Each two adjacent pixels share chroma;
  /// blue chroma comes first.
  /// - weights: the seven weights of chroma, then the weight of luma.
  size_t (*packed_to_colors)(const uint8_t *samples, int is_luma_first, const int16_t *weights, uint8_t *colors,
                             size_t plane, size_t count);
  /// Computes the luma of `count` pixels.
  size_t (*colors_to_luma)(const uint8_t *colors, size_t plane, const int16_t *weights, uint8_t *luma, size_t count);
  /// Computes `count` chroma samples. Each sample is the mean over two adjacent pixels in two rows; both pointers may
  /// be the same row.
  size_t (*colors_to_chroma)(const uint8_t *first, const uint8_t *second, size_t plane, const int16_t *weights,
                             uint8_t *blue, uint8_t *red, size_t count);
  /// Computes the same as colors_to_chroma, but writes blue and red chroma as pairs.
  size_t (*colors_to_chroma_pairs)(const uint8_t *first, const uint8_t *second, size_t plane, const int16_t *weights,
                                   int is_blue_first, uint8_t *chroma, size_t count);
  /// Computes alternating luma and chroma of `count` pixels. Each two adjacent pixels share chroma; blue chroma comes
  /// first.
  /// - weights: the four weights of luma, then the seven of chroma.
  size_t (*colors_to_packed)(const uint8_t *colors, size_t plane, const int16_t *weights, int is_luma_first,
                             uint8_t *samples, size_t count);
  /// Clips levels to 0...255 and rounds them to bytes.
  size_t (*levels_to_bytes)(const float *levels, uint8_t *bytes, size_t count);
} SVLanes;

/// Returns the functions for a processor level, which must be at most sv_processor_level().
const SVLanes *sv_lanes(int level);

#pragma clang assume_nonnull end

#endif
