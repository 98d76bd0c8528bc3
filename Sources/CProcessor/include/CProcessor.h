#ifndef SV_PROCESSOR_H
#define SV_PROCESSOR_H

// Which of the compiled kernel sets this machine's processor can run. Swift has no cpuid.

/// The x86-64 micro-architecture level of this processor: 1 (baseline), 3 (AVX2) or 4 (AVX-512 with byte and
/// word instructions); 1 on every other architecture.
int sv_processor_level(void);

#endif
