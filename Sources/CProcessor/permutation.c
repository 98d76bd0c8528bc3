// SPDX-License-Identifier: LGPL-2.1-or-later
#include "CProcessor.h"

#if defined(__x86_64__)
#include <immintrin.h>

int sv_permutes_bytes(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") ? 1 : 0;
}

__attribute__((target("avx512f,avx512bw,avx512vbmi"))) void sv_look_up_bytes(
    uint8_t *bytes, size_t count, const uint8_t *tables, const uint64_t *lanes, size_t table_count) {
  if (table_count > 3) table_count = 3;
  __m512i quarters[3][4];
  for (size_t t = 0; t < 3; t++)
    for (size_t q = 0; q < 4; q++)
      quarters[t][q] = t < table_count ? _mm512_loadu_si512(tables + 256 * t + 64 * q) : _mm512_setzero_si512();
  for (size_t i = 0; i < count; i += 64) {
    size_t rest = count - i;
    __mmask64 part = rest < 64 ? ((__mmask64)1 << rest) - 1 : ~(__mmask64)0;
    __m512i old = _mm512_maskz_loadu_epi8(part, bytes + i);
    __mmask64 high = _mm512_movepi8_mask(old);
    __m512i result = old;
    for (size_t t = 0; t < table_count; t++) {
      __m512i low_half = _mm512_permutex2var_epi8(quarters[t][0], old, quarters[t][1]);
      __m512i high_half = _mm512_permutex2var_epi8(quarters[t][2], old, quarters[t][3]);
      result = _mm512_mask_mov_epi8(result, lanes[t], _mm512_mask_blend_epi8(high, low_half, high_half));
    }
    _mm512_mask_storeu_epi8(bytes + i, part, result);
  }
}

#else

int sv_permutes_bytes(void) { return 0; }

void sv_look_up_bytes(
    uint8_t *bytes, size_t count, const uint8_t *tables, const uint64_t *lanes, size_t table_count) {
  for (size_t t = 0; t < table_count; t++)
    for (size_t i = 0; i < count; i++)
      if (lanes[t] >> (i % 64) & 1) bytes[i] = tables[256 * t + bytes[i]];
}

#endif
