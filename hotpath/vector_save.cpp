// SPDX-License-Identifier: MIT
#include "hotpath/vector_save.h"

#include <cstdint>

#include <cpuid.h>

#include "hotpath/recorder.h"

extern "C" {
uint64_t umbra_xsave_mask = 0;
uint64_t umbra_xsave_bytes = 0;
}

namespace umbra::hotpath {

void choose_vector_save() noexcept {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    constexpr unsigned kOsXsave = 1U << 27;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kOsXsave) == 0) {
        return;
    }
    unsigned low = 0;
    unsigned high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    constexpr unsigned kVectors = 0xe6;  // SSE, AVX, AVX-512 opmask, ZMM_Hi256, Hi16_ZMM
    const unsigned mask = low & kVectors;
    uint64_t bytes = 512 + 64;  // legacy area and header
    for (unsigned component = 2; component < 8; ++component) {
        if ((mask & (1U << component)) != 0 &&
            __get_cpuid_count(0xd, component, &eax, &ebx, &ecx, &edx) != 0) {
            const uint64_t end = uint64_t{ebx} + eax;
            bytes = end > bytes ? end : bytes;
        }
    }
    umbra_xsave_bytes = bytes;
    umbra_xsave_mask = mask;
}

}  // namespace umbra::hotpath
