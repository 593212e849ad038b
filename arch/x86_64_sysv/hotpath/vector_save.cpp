// SPDX-License-Identifier: MIT
// What XSAVE is to save in umbra_make_room (stubs.S).
#include "hotpath/vector_save.h"

#include <cstdint>

#include <cpuid.h>

extern "C" {
/// State components the slow path saves with XSAVE, and the bytes they take; 0 = use FXSAVE. x87
/// (bit 0) is left out: neither the hooks nor libc's system calls touch it, and AMX (bits 17, 18)
/// belongs to no calling convention.
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
