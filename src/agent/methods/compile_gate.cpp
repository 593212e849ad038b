// SPDX-License-Identifier: MIT
#include "src/agent/methods/compile_gate.h"

#include <array>
#include <cstddef>

namespace umbra::agent {
namespace {

// What this thread is compiling, innermost last: compilations nest (a class initialiser runs, a
// load is resolved), and loads nest in them. Deeper than kMaxDepth is counted but not remembered.
struct CompilingThread {
    static constexpr size_t kMaxDepth = 8;
    struct Compilation {
        clr::FunctionID function;
        bool asked;
    };
    std::array<Compilation, kMaxDepth> stack;
    size_t depth;         // selected compilations in progress
    size_t out_of_count;  // the outer ones of these, set aside for a nested module load
    std::array<size_t, kMaxDepth> set_aside;  // by nested load: what it set aside
    size_t loads;
};

thread_local constinit CompilingThread t_compiling{};

}  // namespace

void CompileGate::change(int32_t by) noexcept {
    if (by == 0) {
        return;
    }
    const std::lock_guard lock(mutex_);
    const bool was_on = compiling_ > 0;
    compiling_ += by;
    const bool is_on = compiling_ > 0;
    if (was_on != is_on) {
        set_mask();
    }
}

clr::HRESULT CompileGate::set_mask() noexcept {
    const uint32_t hooks = compiling_ > 0 ? uint32_t{clr::COR_PRF_MONITOR_ENTERLEAVE} : 0U;
    return info_.SetEventMask2(base_mask_ | hooks, high_mask_);
}

clr::HRESULT CompileGate::set_base(uint32_t base_mask, uint32_t high_mask) noexcept {
    const std::lock_guard lock(mutex_);
    base_mask_ = base_mask;
    high_mask_ = high_mask;
    return set_mask();
}

void CompileGate::compilation_started(clr::FunctionID function) noexcept {
    CompilingThread& self = t_compiling;
    if (self.depth < CompilingThread::kMaxDepth) {
        self.stack[self.depth] = {function, false};
    }
    ++self.depth;
    change(+1);
}

bool CompileGate::compilation_finished(clr::FunctionID function, bool told) noexcept {
    CompilingThread& self = t_compiling;
    const bool remembered = self.depth > 0 && self.depth <= CompilingThread::kMaxDepth;
    if (remembered ? self.stack[self.depth - 1].function != function : self.depth == 0 || !told) {
        return false;
    }
    --self.depth;
    change(-1);
    return remembered && !self.stack[self.depth].asked;
}

bool CompileGate::mapper_asked(clr::FunctionID function) noexcept {
    CompilingThread& self = t_compiling;
    size_t at = self.depth < CompilingThread::kMaxDepth ? self.depth : CompilingThread::kMaxDepth;
    while (at-- > 0) {
        if (self.stack[at].function == function) {
            self.stack[at].asked = true;
            return true;
        }
    }
    return false;
}

void CompileGate::module_load_started() noexcept {
    CompilingThread& self = t_compiling;
    const size_t aside = self.depth - self.out_of_count;
    if (self.loads < CompilingThread::kMaxDepth) {
        self.set_aside[self.loads] = aside;
        self.out_of_count += aside;
        change(-static_cast<int32_t>(aside));
    }
    ++self.loads;
}

void CompileGate::module_load_finished() noexcept {
    CompilingThread& self = t_compiling;
    if (self.loads == 0) {
        return;
    }
    --self.loads;
    if (self.loads < CompilingThread::kMaxDepth) {
        const size_t aside = self.set_aside[self.loads];
        self.out_of_count -= aside;
        change(static_cast<int32_t>(aside));
    }
}

}  // namespace umbra::agent
