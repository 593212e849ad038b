// SPDX-License-Identifier: MIT
// Which vector registers the slow path saves around C++.
#pragma once

namespace umbra::hotpath {

/// Finds out which vector registers this processor has and the system has enabled, so that
/// umbra_make_room can save them all at full width and the slow path may be ordinary code. Defined
/// in the ABI's folder (arch/README.md). Once, before any probe records.
void choose_vector_save() noexcept;

}  // namespace umbra::hotpath
