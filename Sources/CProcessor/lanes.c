// SPDX-License-Identifier: LGPL-2.1-or-later
#include "CProcessor.h"

// Functions for processors without AVX2. Each function returns 0 (no converted samples), so the calling kernels convert
// the whole row.

static size_t no_chroma_pairs_to_terms(const uint8_t *chroma, int is_blue_first, const int16_t *weights, int16_t *terms,
                                       size_t plane, size_t count) {
  return 0;
}

static size_t no_luma_to_colors(const uint8_t *luma, int16_t weight, const int16_t *terms, uint8_t *colors, size_t plane,
                                size_t count) {
  return 0;
}

static size_t no_packed_to_colors(const uint8_t *samples, int is_luma_first, const int16_t *weights, uint8_t *colors,
                                  size_t plane, size_t count) {
  return 0;
}

static size_t no_colors_to_luma(const uint8_t *colors, size_t plane, const int16_t *weights, uint8_t *luma,
                                size_t count) {
  return 0;
}

static size_t no_colors_to_chroma(const uint8_t *first, const uint8_t *second, size_t plane, const int16_t *weights,
                                  uint8_t *blue, uint8_t *red, size_t count) {
  return 0;
}

static size_t no_colors_to_chroma_pairs(const uint8_t *first, const uint8_t *second, size_t plane,
                                        const int16_t *weights, int is_blue_first, uint8_t *chroma, size_t count) {
  return 0;
}

static size_t no_colors_to_packed(const uint8_t *colors, size_t plane, const int16_t *weights, int is_luma_first,
                                  uint8_t *samples, size_t count) {
  return 0;
}

static size_t no_levels_to_bytes(const float *levels, uint8_t *bytes, size_t count) { return 0; }

static const SVLanes no_lanes = {
    no_chroma_pairs_to_terms, no_luma_to_colors,         no_packed_to_colors, no_colors_to_luma,
    no_colors_to_chroma,      no_colors_to_chroma_pairs, no_colors_to_packed, no_levels_to_bytes,
};

#if defined(__x86_64__)
#include <immintrin.h>

// Orders of the 16 bytes in a 128-bit part of a vector. `in_pairs` interleaves the first eight bytes with the last
// eight bytes. The other orders work on pairs of 16-bit lanes. `firsts` copies the first lane of a pair to both lanes.
// `seconds` copies the second lane of a pair to both lanes. `exchanged` swaps the two lanes of a pair.
static const int8_t in_pairs[16] = {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};
static const int8_t firsts[16] = {0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13};
static const int8_t seconds[16] = {2, 3, 2, 3, 6, 7, 6, 7, 10, 11, 10, 11, 14, 15, 14, 15};
static const int8_t exchanged[16] = {2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13};

// Macros that build names for vectors of BITS bits: MM for intrinsics, VECTOR for types, and NAMED for functions of
// this file.
#define JOIN(a, b, c) a##b##c
#define MM3(bits, name, kind) JOIN(_mm##bits##_, name, _##kind)
#define MM2(bits, name, kind) MM3(bits, name, kind)
#define MM(name, kind) MM2(BITS, name, kind)
#define VECTOR2(bits, kind) __m##bits##kind
#define VECTOR1(bits, kind) VECTOR2(bits, kind)
#define VECTOR(none, kind) VECTOR1(BITS, kind)
#define NAMED2(name, bits) name##_##bits
#define NAMED1(name, bits) NAMED2(name, bits)
#define NAMED(name) NAMED1(name, BITS)

#define BITS 256
#define SI si256
#define TARGET "avx2"
#define BROADCAST(part) _mm256_broadcastsi128_si256(part)
// Pack instructions interleave the 128-bit parts of two vectors. IN_ORDER changes the order: all parts of the first
// vector, then all parts of the second vector.
#define IN_ORDER(bytes) _mm256_permute4x64_epi64(bytes, 0xd8)
#define WORDS_IN_ORDER(bytes) _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
#define WRITE_HALF(place, bytes, half) _mm_storeu_si128((__m128i *)(place), _mm256_extracti128_si256(bytes, half))
// Interleave the 128-bit parts of the vectors `a` and `b`. FIRST_PARTS returns the first half of the interleaved parts,
// and LAST_PARTS returns the second half.
#define FIRST_PARTS(a, b) _mm256_permute2x128_si256(a, b, 0x20)
#define LAST_PARTS(a, b) _mm256_permute2x128_si256(a, b, 0x31)
#include "lanes.h"

#undef BITS
#undef SI
#undef TARGET
#undef BROADCAST
#undef IN_ORDER
#undef WORDS_IN_ORDER
#undef WRITE_HALF
#undef FIRST_PARTS
#undef LAST_PARTS

#define BITS 512
#define SI si512
#define TARGET "avx512f,avx512bw"
#define BROADCAST(part) _mm512_broadcast_i32x4(part)
#define IN_ORDER(bytes) _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), bytes)
#define WORDS_IN_ORDER(bytes) \
  _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), bytes)
#define WRITE_HALF(place, bytes, half) \
  _mm256_storeu_si256((__m256i *)(place), _mm512_extracti64x4_epi64(bytes, half))
#define FIRST_PARTS(a, b) _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), b)
#define LAST_PARTS(a, b) _mm512_permutex2var_epi64(a, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), b)
#include "lanes.h"

const SVLanes *sv_lanes(int level) { return level >= 4 ? &lanes_512 : level >= 3 ? &lanes_256 : &no_lanes; }

#else

const SVLanes *sv_lanes(int level) { return &no_lanes; }

#endif
