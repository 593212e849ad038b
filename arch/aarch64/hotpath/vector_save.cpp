// SPDX-License-Identifier: MIT
// Which vector registers umbra_make_room (stubs.S) saves: v0-v31, or all of SVE.
#include "hotpath/vector_save.h"

#include <cstdint>

#include <asm/hwcap.h>
#include <sys/auxv.h>

extern "C" {
/// 1: the processor has SVE, and umbra_make_room saves z0-z31, p0-p15 and ffr, at the vector length
/// that the thread has then. 0: it saves v0-v31. SME's ZA belongs to no calling convention.
uint64_t umbra_has_sve = 0;
}

namespace umbra::hotpath {

void choose_vector_save() noexcept {
    umbra_has_sve = (getauxval(AT_HWCAP) & HWCAP_SVE) != 0 ? 1 : 0;
}

}  // namespace umbra::hotpath
