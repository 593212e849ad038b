// SPDX-License-Identifier: MIT
// Which registers the slow path saves around C++.
#pragma once

namespace umbra::hotpath {

/// Sets umbra_xsave_mask and umbra_xsave_bytes to what XSAVE must save so that the slow path may be
/// ordinary code: every vector component the system has enabled. x87 (bit 0) is left out: neither
/// the hooks nor libc's system calls touch it, and AMX (bits 17, 18) belongs to no calling
/// convention. Once, before any probe records.
void choose_vector_save() noexcept;

}  // namespace umbra::hotpath
