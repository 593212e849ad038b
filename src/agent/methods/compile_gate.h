// SPDX-License-Identifier: MIT
// CompileGate: has ENTERLEAVE in the event mask exactly while a selected method compiles.
#pragma once

#include <cstdint>
#include <mutex>

#include "src/clr/info.h"

namespace umbra::agent {

/// The runtime reads ENTERLEAVE at two moments: when a method compiles (hooks or none) and when an
/// image loads (its precompiled code kept or rejected). Switching it on only around the selected
/// compilations gives these hooks and keeps the framework precompiled (docs/runtime_contract.md).
///
/// It is a count of compilations, not a flag, since they overlap. A module load nested in a
/// compilation of the same thread takes that thread's own compilations out of the count until it is
/// done: their flags have been read by then. Other threads' compilations keep it on; an image that
/// loads in that moment merely loses its precompiled code. Exactness comes first.
///
/// Calls come from the compiling threads; the lock is held for one SetEventMask2.
class CompileGate {
  public:
    /// `base_mask`: the event mask without ENTERLEAVE. `info` outlives the gate.
    CompileGate(clr::ICorProfilerInfo5& info, uint32_t base_mask, uint32_t high_mask)
        : info_(info), base_mask_(base_mask), high_mask_(high_mask) {}

    void compilation_started(clr::FunctionID function) noexcept;
    /// True if the function's own compilation, begun on this thread, never asked the mapper: its
    /// code has no hooks. What compilation_started() was not told of changes nothing; where more
    /// are nested than are remembered, `told` says whether it was.
    [[nodiscard]] bool compilation_finished(clr::FunctionID function, bool told = true) noexcept;
    /// The mapper was asked for the function on this thread. False: no compilation with hooks is
    /// known to have begun here, of this function.
    static bool mapper_asked(clr::FunctionID function) noexcept;

    /// From now on this is the event mask without ENTERLEAVE.
    clr::HRESULT set_base(uint32_t base_mask, uint32_t high_mask) noexcept;

    void module_load_started() noexcept;
    void module_load_finished() noexcept;

  private:
    void change(int32_t by) noexcept;
    clr::HRESULT set_mask() noexcept;

    clr::ICorProfilerInfo5& info_;
    std::mutex mutex_;
    uint32_t base_mask_;  // guarded by mutex_, as is what follows
    uint32_t high_mask_;
    int32_t compiling_ = 0;
};

}  // namespace umbra::agent
