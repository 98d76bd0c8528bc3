// SPDX-License-Identifier: LGPL-2.1-or-later
#include "CProcessor.h"

// sv_apply_cubics divides the values 0...255 into 8 segments. The index of a value's segment (0...7) is the product of
// the value and this factor, rounded down. The factor is slightly less than 8/255, so that the value 255 has index 7.
#define SV_EIGHTHS (8 * 0.99999f / 255)

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx512f"))) void sv_apply_segments(
    float *values, size_t count, const float *coefficients, float scale, float offset, unsigned shift) {
  const __m512 zero = _mm512_setzero_ps(), white = _mm512_set1_ps(255);
  const __m512 scales = _mm512_set1_ps(scale), offsets = _mm512_set1_ps(offset);
  const __m512i shifts = _mm512_set1_epi32((int)shift);
  const __m512 constants[2] = {_mm512_loadu_ps(coefficients), _mm512_loadu_ps(coefficients + 16)};
  const __m512 slopes[2] = {_mm512_loadu_ps(coefficients + 32), _mm512_loadu_ps(coefficients + 48)};
  const __m512 squares[2] = {_mm512_loadu_ps(coefficients + 64), _mm512_loadu_ps(coefficients + 80)};
  for (size_t i = 0; i < count; i += 16) {
    size_t rest = count - i;
    __mmask16 part = rest < 16 ? (__mmask16)((1u << rest) - 1) : (__mmask16)0xFFFF;
    // If a value is NaN, the instruction max returns its second operand, 0.
    __m512 v = _mm512_min_ps(_mm512_max_ps(_mm512_maskz_loadu_ps(part, values + i), zero), white);
    // Higher bits of `index` do not matter, because the permutation only uses the lowest five bits.
    __m512i index = _mm512_srlv_epi32(_mm512_castps_si512(_mm512_fmadd_ps(v, scales, offsets)), shifts);
    __m512 result = _mm512_permutex2var_ps(squares[0], index, squares[1]);
    result = _mm512_fmadd_ps(result, v, _mm512_permutex2var_ps(slopes[0], index, slopes[1]));
    result = _mm512_fmadd_ps(result, v, _mm512_permutex2var_ps(constants[0], index, constants[1]));
    _mm512_mask_storeu_ps(values + i, part, result);
  }
}

typedef struct {
  __m256 constants, slopes, squares, cubes;
} Cubics;

#define CUBICS static inline __attribute__((target("avx2,fma"), always_inline))

CUBICS Cubics cubics_of(const float *coefficients) {
  return (Cubics){_mm256_loadu_ps(coefficients), _mm256_loadu_ps(coefficients + 8), _mm256_loadu_ps(coefficients + 16),
                  _mm256_loadu_ps(coefficients + 24)};
}

CUBICS __m256 cubic(__m256 value, const Cubics *cubics) {
  // If a value is NaN, the instruction max returns its second operand, 0.
  __m256 v = _mm256_min_ps(_mm256_max_ps(value, _mm256_setzero_ps()), _mm256_set1_ps(255));
  // Higher bits of `index` do not matter, because the permutation only uses the lowest three bits.
  __m256i index = _mm256_cvttps_epi32(_mm256_mul_ps(v, _mm256_set1_ps(SV_EIGHTHS)));
  __m256 result = _mm256_permutevar8x32_ps(cubics->cubes, index);
  result = _mm256_fmadd_ps(result, v, _mm256_permutevar8x32_ps(cubics->squares, index));
  result = _mm256_fmadd_ps(result, v, _mm256_permutevar8x32_ps(cubics->slopes, index));
  return _mm256_fmadd_ps(result, v, _mm256_permutevar8x32_ps(cubics->constants, index));
}

__attribute__((target("avx2,fma"))) void sv_apply_cubics(float *values, size_t count, const float *coefficients) {
  const Cubics cubics = cubics_of(coefficients);
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    __m256 first = cubic(_mm256_loadu_ps(values + i), &cubics);
    __m256 second = cubic(_mm256_loadu_ps(values + i + 8), &cubics);
    _mm256_storeu_ps(values + i, first);
    _mm256_storeu_ps(values + i + 8, second);
  }
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (; i < count; i += 8) {
    __m256i part = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(count - i)), lanes);
    _mm256_maskstore_ps(values + i, part, cubic(_mm256_maskload_ps(values + i, part), &cubics));
  }
}

#else

void sv_apply_segments(
    float *values, size_t count, const float *coefficients, float scale, float offset, unsigned shift) {
  for (size_t i = 0; i < count; i++) {
    float v = values[i] > 0 ? (values[i] < 255 ? values[i] : 255) : 0;
    union {
      float number;
      uint32_t bits;
    } place = {v * scale + offset};
    const float *segment = coefficients + (place.bits >> shift) % 32;
    values[i] = (segment[64] * v + segment[32]) * v + segment[0];
  }
}

void sv_apply_cubics(float *values, size_t count, const float *coefficients) {
  for (size_t i = 0; i < count; i++) {
    float v = values[i] > 0 ? (values[i] < 255 ? values[i] : 255) : 0;
    const float *segment = coefficients + (int)(v * SV_EIGHTHS);
    values[i] = ((segment[24] * v + segment[16]) * v + segment[8]) * v + segment[0];
  }
}

#endif
