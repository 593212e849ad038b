// SPDX-License-Identifier: MIT
// Frames that stay: a method with hooks makes no tail call that its IL does not ask for.
//
// Optimised code makes a tail call of the last call of a method: its frame is gone, and its hook
// has told of its end, before what it calls begins. So the method would have the time of that call
// in tier 0 and not in tier 1, and its caller would be the callee's. A nop between the call and the
// return keeps the compiler from it (docs/what_is_timed.md).
//
// On any thread that may block, while the module is loaded.
#pragma once

#include <optional>
#include <vector>

#include "src/clr/info.h"
#include "src/il/instrument.h"

namespace umbra::agent {

/// As the runtime takes it.
[[nodiscard]] std::vector<clr::COR_IL_MAP> map_of(const il::Instrumented& made);

/// Where the instructions of a method's IL in its file have gone in a version compiled anew.
/// `made`: what that version has been made of the IL that the runtime tells; null: it is that IL,
/// which has nops where keep_frame() has put them. Empty: the runtime needs no map.
[[nodiscard]] std::vector<clr::COR_IL_MAP> map_from_file(clr::ICorProfilerInfo3& info,
                                                         clr::ModuleID module,
                                                         clr::mdMethodDef method,
                                                         const il::Instrumented* made);

/// A method's IL with those nops. None: it needs none, or stays as it is.
[[nodiscard]] std::optional<il::Instrumented> body_with_frame(clr::ICorProfilerInfo3& info,
                                                              clr::ModuleID module,
                                                              clr::mdMethodDef method);

/// That IL for a function whose compilation starts, and for all others of its method.
void keep_frame(clr::ICorProfilerInfo3& info, clr::FunctionID function, clr::ModuleID module,
                clr::mdMethodDef method);

}  // namespace umbra::agent
