// SPDX-License-Identifier: LGPL-2.1-or-later
#include "CProcessor.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
// Returns the highest processor level that the environment variable SWIFTVISION_PROCESSOR allows.
static int allowed_level(void) {
  const char *name = getenv("SWIFTVISION_PROCESSOR");
  if (!name) return 4;
  return strcmp(name, "x86-64") == 0 ? 1 : strcmp(name, "x86-64-v3") == 0 ? 3 : 4;
}
#endif

int sv_processor_level(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("fma") && __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("movbe") &&
           __builtin_cpu_supports("f16c");
  int v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  int level = v4 ? 4 : v3 ? 3 : 1, allowed = allowed_level();
  return level < allowed ? level : allowed;
#else
  return 1;
#endif
}
