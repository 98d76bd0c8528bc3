// SPDX-License-Identifier: LGPL-2.1-or-later
// Conversions of rows of samples in vectors of BITS bits. lanes.c includes this file once for each vector width.
//
// Vectors have 16-bit lanes. Two adjacent bytes in memory become the low and the high byte of a lane. Most instructions
// work within the 128-bit parts of a vector. So a function that computes both bytes of a lane packs the results, and
// then restores the byte order with one shuffle.

#define VALUE VECTOR(, i)
#define LANES static inline __attribute__((target(TARGET), always_inline))
#define ROWS static __attribute__((target(TARGET)))

LANES VALUE NAMED(read)(const void *bytes) { return MM(loadu, SI)(bytes); }

LANES void NAMED(write)(void *bytes, VALUE values) { MM(storeu, SI)(bytes, values); }

LANES VALUE NAMED(every)(int16_t value) { return MM(set1, epi16)(value); }

LANES VALUE NAMED(product)(VALUE a, VALUE b) { return MM(mulhi, epi16)(a, b); }

LANES VALUE NAMED(sum)(VALUE a, VALUE b) { return MM(add, epi16)(a, b); }

// Returns a vector whose lanes alternate between `even` and `odd`.
LANES VALUE NAMED(in_turn)(int16_t even, int16_t odd) {
  return MM(set1, epi32)((int)((uint32_t)(uint16_t)even | (uint32_t)(uint16_t)odd << 16));
}

// Returns (low byte − 128) · 2⁸ for each lane.
LANES VALUE NAMED(low)(VALUE words) { return MM(xor, SI)(MM(slli, epi16)(words, 8), NAMED(every)(-32768)); }

// Returns (high byte − 128) · 2⁸ for each lane.
LANES VALUE NAMED(high)(VALUE words) {
  return MM(xor, SI)(MM(and, SI)(words, NAMED(every)(-256)), NAMED(every)(-32768));
}

// Reorders the 16 bytes of each 128-bit part of a vector.
LANES VALUE NAMED(shuffled)(VALUE bytes, const int8_t order[16]) {
  return MM(shuffle, epi8)(bytes, BROADCAST(_mm_loadu_si128((const __m128i *)order)));
}

// Clamps lanes to bytes and interleaves the bytes: even bytes come from `first`, and odd bytes come from `second`.
LANES VALUE NAMED(pairs)(VALUE first, VALUE second) { return NAMED(shuffled)(MM(packus, epi16)(first, second), in_pairs); }

// MARK: - To colours

ROWS size_t NAMED(chroma_pairs_to_terms)(const uint8_t *chroma, int is_blue_first, const int16_t *weights, int16_t *terms,
                                         size_t plane, size_t count) {
  const VALUE red_in_red = NAMED(every)(weights[0]), red_in_green = NAMED(every)(weights[1]);
  const VALUE blue_in_green = NAMED(every)(weights[2]), blue_in_blue = NAMED(every)(weights[3]);
  const VALUE to_red = NAMED(every)(weights[4]), to_green = NAMED(every)(weights[5]), to_blue = NAMED(every)(weights[6]);
  size_t i = 0;
  for (; i + BITS / 16 <= count; i += BITS / 16) {
    VALUE both = NAMED(read)(chroma + 2 * i), first = NAMED(low)(both), second = NAMED(high)(both);
    VALUE u = is_blue_first ? first : second, v = is_blue_first ? second : first;
    VALUE in_green = NAMED(sum)(NAMED(product)(v, red_in_green), NAMED(product)(u, blue_in_green));
    NAMED(write)(terms + i, NAMED(sum)(NAMED(product)(v, red_in_red), to_red));
    NAMED(write)(terms + plane + i, NAMED(sum)(in_green, to_green));
    NAMED(write)(terms + 2 * plane + i, NAMED(sum)(NAMED(product)(u, blue_in_blue), to_blue));
  }
  return i;
}

ROWS size_t NAMED(luma_to_colors)(const uint8_t *luma, int16_t weight, const int16_t *terms, uint8_t *colors, size_t plane,
                                  size_t count) {
  const VALUE of_luma = NAMED(every)(weight);
  size_t i = 0;
  for (; i + BITS / 16 <= count; i += BITS / 16) {
    VALUE both = NAMED(read)(luma + 2 * i);
    VALUE first = NAMED(product)(NAMED(low)(both), of_luma), second = NAMED(product)(NAMED(high)(both), of_luma);
    for (size_t channel = 0; channel < 3; channel++) {
      VALUE term = NAMED(read)(terms + channel * plane + i);
      VALUE even = MM(srai, epi16)(NAMED(sum)(first, term), 5), odd = MM(srai, epi16)(NAMED(sum)(second, term), 5);
      NAMED(write)(colors + channel * plane + 2 * i, NAMED(pairs)(even, odd));
    }
  }
  return i;
}

ROWS size_t NAMED(packed_to_colors)(const uint8_t *samples, int is_luma_first, const int16_t *weights, uint8_t *colors,
                                    size_t plane, size_t count) {
  const VALUE of_luma = NAMED(every)(weights[7]), in_green = NAMED(in_turn)(weights[2], weights[1]);
  const VALUE in_others = NAMED(in_turn)(weights[3], weights[0]);
  const VALUE to_red = NAMED(every)(weights[4]), to_green = NAMED(every)(weights[5]), to_blue = NAMED(every)(weights[6]);
  size_t i = 0;
  for (; i + BITS / 8 <= count; i += BITS / 8) {
    VALUE red[2], green[2], blue[2];
    for (size_t part = 0; part < 2; part++) {
      VALUE words = NAMED(read)(samples + 2 * i + BITS / 8 * part);
      VALUE luma = NAMED(product)(is_luma_first ? NAMED(low)(words) : NAMED(high)(words), of_luma);
      VALUE chroma = is_luma_first ? NAMED(high)(words) : NAMED(low)(words); // blue and red samples alternate
      VALUE greens = NAMED(product)(chroma, in_green), rest = NAMED(product)(chroma, in_others);
      greens = NAMED(sum)(greens, NAMED(shuffled)(greens, exchanged));
      VALUE reds = NAMED(shuffled)(rest, seconds), blues = NAMED(shuffled)(rest, firsts);
      red[part] = MM(srai, epi16)(NAMED(sum)(NAMED(sum)(luma, to_red), reds), 5);
      green[part] = MM(srai, epi16)(NAMED(sum)(NAMED(sum)(luma, to_green), greens), 5);
      blue[part] = MM(srai, epi16)(NAMED(sum)(NAMED(sum)(luma, to_blue), blues), 5);
    }
    NAMED(write)(colors + i, IN_ORDER(MM(packus, epi16)(red[0], red[1])));
    NAMED(write)(colors + plane + i, IN_ORDER(MM(packus, epi16)(green[0], green[1])));
    NAMED(write)(colors + 2 * plane + i, IN_ORDER(MM(packus, epi16)(blue[0], blue[1])));
  }
  return i;
}

// MARK: - From colours

typedef struct {
  VALUE red, green, blue, summand;
} NAMED(Weights);

LANES NAMED(Weights) NAMED(weights)(const int16_t *numbers, int16_t summand) {
  return (NAMED(Weights)){NAMED(every)(numbers[0]), NAMED(every)(numbers[1]), NAMED(every)(numbers[2]),
                          NAMED(every)(summand)};
}

LANES VALUE NAMED(weighted)(VALUE red, VALUE green, VALUE blue, const NAMED(Weights) *of) {
  VALUE two = NAMED(sum)(NAMED(product)(red, of->red), NAMED(product)(green, of->green));
  VALUE three = NAMED(sum)(NAMED(product)(blue, of->blue), of->summand);
  return MM(srai, epi16)(NAMED(sum)(two, three), 6);
}

// Returns the luma of the even pixels, followed by the luma of the odd pixels. The shuffle `in_pairs` restores the
// pixel order.
LANES VALUE NAMED(luma)(VALUE red, VALUE green, VALUE blue, const NAMED(Weights) *of) {
  VALUE even = NAMED(weighted)(NAMED(low)(red), NAMED(low)(green), NAMED(low)(blue), of);
  VALUE odd = NAMED(weighted)(NAMED(high)(red), NAMED(high)(green), NAMED(high)(blue), of);
  return MM(packus, epi16)(even, odd);
}

ROWS size_t NAMED(colors_to_luma)(const uint8_t *colors, size_t plane, const int16_t *weights, uint8_t *luma,
                                  size_t count) {
  const NAMED(Weights) of_luma = NAMED(weights)(weights, weights[3]);
  size_t i = 0;
  for (; i + BITS / 8 <= count; i += BITS / 8) {
    VALUE red = NAMED(read)(colors + i), green = NAMED(read)(colors + plane + i);
    VALUE both = NAMED(luma)(red, green, NAMED(read)(colors + 2 * plane + i), &of_luma);
    NAMED(write)(luma + i, NAMED(shuffled)(both, in_pairs));
  }
  return i;
}

LANES VALUE NAMED(sums)(VALUE bytes) { return MM(maddubs, epi16)(bytes, MM(set1, epi8)(1)); }

// Returns 2⁵ times the sum of the four pixels that share a chroma sample. If `first` == `second`, each pixel counts
// twice.
LANES VALUE NAMED(shared)(const uint8_t *first, const uint8_t *second) {
  VALUE one = NAMED(sums)(NAMED(read)(first));
  if (first == second)
    return MM(slli, epi16)(one, 6);
  return MM(slli, epi16)(NAMED(sum)(one, NAMED(sums)(NAMED(read)(second))), 5);
}

ROWS size_t NAMED(colors_to_chroma)(const uint8_t *first, const uint8_t *second, size_t plane, const int16_t *weights,
                                    uint8_t *blue, uint8_t *red, size_t count) {
  const NAMED(Weights) of_blue = NAMED(weights)(weights, weights[6]), of_red = NAMED(weights)(weights + 3, weights[6]);
  size_t i = 0;
  for (; i + BITS / 16 <= count; i += BITS / 16) {
    const uint8_t *one = first + 2 * i, *other = second + 2 * i;
    VALUE r = NAMED(shared)(one, other), g = NAMED(shared)(one + plane, other + plane);
    VALUE b = NAMED(shared)(one + 2 * plane, other + 2 * plane);
    VALUE u = NAMED(weighted)(r, g, b, &of_blue), v = NAMED(weighted)(r, g, b, &of_red);
    VALUE both = IN_ORDER(MM(packus, epi16)(u, v));
    WRITE_HALF(blue + i, both, 0);
    WRITE_HALF(red + i, both, 1);
  }
  return i;
}

ROWS size_t NAMED(colors_to_chroma_pairs)(const uint8_t *first, const uint8_t *second, size_t plane,
                                          const int16_t *weights, int is_blue_first, uint8_t *chroma, size_t count) {
  const NAMED(Weights) of_blue = NAMED(weights)(weights, weights[6]), of_red = NAMED(weights)(weights + 3, weights[6]);
  size_t i = 0;
  for (; i + BITS / 16 <= count; i += BITS / 16) {
    const uint8_t *one = first + 2 * i, *other = second + 2 * i;
    VALUE r = NAMED(shared)(one, other), g = NAMED(shared)(one + plane, other + plane);
    VALUE b = NAMED(shared)(one + 2 * plane, other + 2 * plane);
    VALUE u = NAMED(weighted)(r, g, b, &of_blue), v = NAMED(weighted)(r, g, b, &of_red);
    NAMED(write)(chroma + 2 * i, is_blue_first ? NAMED(pairs)(u, v) : NAMED(pairs)(v, u));
  }
  return i;
}

ROWS size_t NAMED(colors_to_packed)(const uint8_t *colors, size_t plane, const int16_t *weights, int is_luma_first,
                                    uint8_t *samples, size_t count) {
  const NAMED(Weights) of_luma = NAMED(weights)(weights, weights[3]);
  const NAMED(Weights) of_blue = NAMED(weights)(weights + 4, weights[10]);
  const NAMED(Weights) of_red = NAMED(weights)(weights + 7, weights[10]);
  size_t i = 0;
  for (; i + BITS / 8 <= count; i += BITS / 8) {
    VALUE red = NAMED(read)(colors + i), green = NAMED(read)(colors + plane + i);
    VALUE blue = NAMED(read)(colors + 2 * plane + i);
    VALUE luma = NAMED(luma)(red, green, blue, &of_luma);
    VALUE r = MM(slli, epi16)(NAMED(sums)(red), 6), g = MM(slli, epi16)(NAMED(sums)(green), 6);
    VALUE b = MM(slli, epi16)(NAMED(sums)(blue), 6);
    VALUE u = NAMED(weighted)(r, g, b, &of_blue), v = NAMED(weighted)(r, g, b, &of_red);
    VALUE chroma = MM(packus, epi16)(u, v);
    // Combine even pixels with blue chroma, and odd pixels with red chroma.
    VALUE even = is_luma_first ? MM(unpacklo, epi8)(luma, chroma) : MM(unpacklo, epi8)(chroma, luma);
    VALUE odd = is_luma_first ? MM(unpackhi, epi8)(luma, chroma) : MM(unpackhi, epi8)(chroma, luma);
    VALUE first = MM(unpacklo, epi16)(even, odd), second = MM(unpackhi, epi16)(even, odd);
    NAMED(write)(samples + 2 * i, FIRST_PARTS(first, second));
    NAMED(write)(samples + 2 * i + BITS / 8, LAST_PARTS(first, second));
  }
  return i;
}

// MARK: - Levels

ROWS size_t NAMED(levels_to_bytes)(const float *levels, uint8_t *bytes, size_t count) {
  const VECTOR(, ) white = MM(set1, ps)(255);
  size_t i = 0;
  for (; i + BITS / 8 <= count; i += BITS / 8) {
    VALUE parts[4];
    // If a level is NaN, the instruction min returns its second operand, the NaN. The conversion to integers changes
    // NaN to the smallest integer, and packing clamps this integer to 0.
    for (size_t part = 0; part < 4; part++)
      parts[part] = MM(cvtps, epi32)(MM(min, ps)(white, MM(loadu, ps)(levels + i + BITS / 32 * part)));
    VALUE first = MM(packs, epi32)(parts[0], parts[1]), second = MM(packs, epi32)(parts[2], parts[3]);
    NAMED(write)(bytes + i, WORDS_IN_ORDER(MM(packus, epi16)(first, second)));
  }
  return i;
}

static const SVLanes NAMED(lanes) = {
    NAMED(chroma_pairs_to_terms), NAMED(luma_to_colors),   NAMED(packed_to_colors),      NAMED(colors_to_luma),
    NAMED(colors_to_chroma),      NAMED(colors_to_chroma_pairs), NAMED(colors_to_packed), NAMED(levels_to_bytes),
};

#undef VALUE
#undef LANES
#undef ROWS
