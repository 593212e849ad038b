// SPDX-License-Identifier: MIT
// The function registry: FunctionID to array index and back, lock-free, stable for a function's
// life.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "hotpath/segment.h"
#include "src/clr/types.h"

namespace umbra::agent {

class Profiler;

/// What the registry knows of one function. Written before the entry is published, then constant,
/// but for `function`, which becomes 0 when the code is unloaded, and for what each capture judges
/// anew: `selected`, `trivial` and `traits` are written before `capture` (release).
struct FunctionEntry {
    std::atomic<clr::FunctionID> function;
    std::atomic<bool> ready;        ///< the fields below are written
    std::atomic<uint32_t> capture;  ///< the last one in which it was judged; see AgentProcess
    std::atomic<bool> selected;     ///< in that capture it gets hooks
    std::atomic<bool> trivial;      ///< in that capture it is part of its callers
    std::atomic<uint8_t> traits;    ///< in that capture: see hotpath::function_traits()
    bool all_instantiations;        ///< `function` is no FunctionID: see method_id()
    clr::mdToken token;             ///< with `module`: which method of which module it is
    clr::ModuleID module;
    Profiler* owner;  ///< the runtime it belongs to
};

/// What is registered of a new function. With its FunctionID the owner is what it is found by: two
/// runtimes of a process may use the same ids.
struct FunctionFacts {
    clr::ModuleID module = 0;
    clr::mdToken token = 0;
    Profiler* owner = nullptr;
    uint32_t capture = 0;
    bool selected = false;
    bool trivial = false;  ///< would be selected, but is part of its callers
    bool all_instantiations = false;
    uint8_t traits = 0;  ///< see hotpath::function_traits()
};

/// What stands for a FunctionID where a method has one entry for all its instantiations, because
/// its probes are in the IL. `number`: of the method, any that no other has. FunctionIDs are
/// addresses of aligned objects, so they are even.
constexpr clr::FunctionID method_id(uint64_t number) {
    return static_cast<clr::FunctionID>(number << 1 | 1);
}

/// Kind            multi-producer hash table that only grows; indexes count up from
///                 kBeforeStartIndex + 1, and are 0 for what is not registered.
/// Who             find, add, retire, at: any thread, at any time; nothing blocks.
/// Promises        One index for one FunctionID of a runtime while its code is loaded: two threads
///                 that add the same function at once get the same index. An index is never given
///                 out twice.
/// Not promised    That every index was used: the loser of such a race leaves a hole (ready,
/// function 0). Ordering        ready: release by the adding thread, acquire by readers of `count`;
/// a slot of the
///                 table: release / acquire, so that who finds an index finds its entry written.
/// Loss            full: add answers 0; the caller counts it.
/// Lifetime        of the process; memory is reserved at once and touched as it fills.
class Registry {
  public:
    static constexpr uint32_t kCapacity = hotpath::kMaxFunctions;

    /// False: no address space for the tables.
    [[nodiscard]] bool reserve() noexcept;

    /// Index of a runtime's function, 0 if it is not registered.
    [[nodiscard]] uint32_t find(const Profiler* owner, clr::FunctionID function) const noexcept;
    /// Index of a function, registered now if it was not; 0 = the registry is full.
    uint32_t add(clr::FunctionID function, const FunctionFacts& facts) noexcept;
    /// The function's code is gone: its FunctionID may soon mean another function.
    void retire(const Profiler* owner, clr::FunctionID function) noexcept;

    [[nodiscard]] FunctionEntry& at(uint32_t index) const noexcept { return entries_[index]; }
    /// Indexes below or equal to this have been given out.
    [[nodiscard]] uint32_t count() const noexcept {
        const uint32_t given = next_.load(std::memory_order_acquire) - 1;
        return given < kCapacity ? given : kCapacity - 1;
    }

  private:
    static constexpr uint32_t kSlots = kCapacity * 2;
    static uint32_t first_slot(clr::FunctionID function) noexcept;
    [[nodiscard]] bool is(uint32_t index, const Profiler* owner,
                          clr::FunctionID function) const noexcept;

    FunctionEntry* entries_ = nullptr;        // kCapacity, by index
    std::atomic<uint32_t>* slots_ = nullptr;  // kSlots, open addressing: index or 0
    std::atomic<uint32_t> next_{hotpath::kBeforeStartIndex + 1};
};

}  // namespace umbra::agent
