// SPDX-License-Identifier: MIT
// The finite sizes of a session: what a broken or hostile target cannot make the collector exceed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace umbra::replay {

/// What lies beyond a limit is counted in profile::Losses; everything below it stays right.
struct Limits {
    uint32_t max_functions = 1U << 20;  ///< greatest function index; a greater one is an error
    uint32_t max_nodes = 1U << 24;      ///< call tree nodes; later paths are charged to the parent
    uint32_t max_depth = 1U << 16;      ///< frames of one thread; deeper calls are not kept
    uint32_t max_threads = 1U << 18;    ///< threads over the whole session
    size_t max_compilations = size_t{1} << 20;    ///< rows of the compilation list
    size_t max_pauses = size_t{1} << 20;          ///< suspensions of the runtime
    size_t max_exception_rows = size_t{1} << 16;  ///< later combinations are merged into one row
    size_t max_logged_calls = 0;                  ///< of the time line; 0: there is none
    size_t max_name_bytes = size_t{1} << 28;      ///< names of all functions, modules, types
};

}  // namespace umbra::replay
