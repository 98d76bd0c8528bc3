// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_PROCESSOR_H
#define SV_PROCESSOR_H

// Facilities that Swift lacks: a test of which compiled kernel sets this machine's processor can run, and instructions
// that no loop is compiled to.

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Returns the x86-64 micro-architecture level of this processor: 1 (baseline), 3 (AVX2) or 4 (AVX-512 with byte and
/// word instructions); 1 on every other architecture. At most what the environment variable SWIFTVISION_PROCESSOR names:
/// `x86-64`, `x86-64-v3` or `x86-64-v4`; other values mean nothing.
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

// Conversions between rows of luma and chroma and rows of red, green and blue, which are `plane` bytes, or summands, apart.
/// Results and arguments are those of the kernels in Kernels/YUV.swift. Each function does as much as fits into its vectors,
/// and returns how much of `count` that is, which is even.
typedef struct {
  /// Computes what `count` pairs of chroma add to colours.
  size_t (*chroma_pairs_to_terms)(const uint8_t *chroma, int is_blue_first, const int16_t *weights, int16_t *terms,
                                  size_t plane, size_t count);
  /// Computes the colours of 2 * `count` luma samples, each two of which share a summand.
  size_t (*luma_to_colors)(const uint8_t *luma, int16_t weight, const int16_t *terms, uint8_t *colors, size_t plane,
                           size_t count);
  /// Computes the colours of `count` pixels of luma and chroma in turn, each two of which share chroma, blue first.
  /// - weights: the seven of chroma, then that of luma.
  size_t (*packed_to_colors)(const uint8_t *samples, int is_luma_first, const int16_t *weights, uint8_t *colors,
                             size_t plane, size_t count);
  /// Computes luma of `count` pixels.
  size_t (*colors_to_luma)(const uint8_t *colors, size_t plane, const int16_t *weights, uint8_t *luma, size_t count);
  /// Computes `count` samples of chroma, each of two pixels side by side in two rows, which may be one.
  size_t (*colors_to_chroma)(const uint8_t *first, const uint8_t *second, size_t plane, const int16_t *weights,
                             uint8_t *blue, uint8_t *red, size_t count);
  /// The same in pairs.
  size_t (*colors_to_chroma_pairs)(const uint8_t *first, const uint8_t *second, size_t plane, const int16_t *weights,
                                   int is_blue_first, uint8_t *chroma, size_t count);
  /// Computes luma and chroma in turn of `count` pixels, each two of which share chroma, blue first.
  /// - weights: the four of luma, then the seven of chroma.
  size_t (*colors_to_packed)(const uint8_t *colors, size_t plane, const int16_t *weights, int is_luma_first,
                             uint8_t *samples, size_t count);
  /// Clips levels to 0...255, and rounds them to bytes.
  size_t (*levels_to_bytes)(const float *levels, uint8_t *bytes, size_t count);
} SVLanes;

/// Returns the functions for a level, at most that of sv_processor_level().
const SVLanes *sv_lanes(int level);

#pragma clang assume_nonnull end

#endif
