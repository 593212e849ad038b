// SPDX-License-Identifier: MIT
#include "src/agent/methods/deinstrumented_methods.h"

#include <algorithm>
#include <array>

namespace umbra::agent {
namespace {

struct UnhookedCompilations {
    static constexpr size_t kMaxDepth = 8;
    std::array<clr::FunctionID, kMaxDepth> stack;  // innermost last
    size_t depth;
};

thread_local constinit UnhookedCompilations t_unhooked{};

}  // namespace

bool DeinstrumentedMethods::add(const MethodKey& method) {
    const std::lock_guard lock(mutex_);
    const bool added = methods_.insert(method).second;
    count_.store(methods_.size(), std::memory_order_relaxed);
    return added;
}

bool DeinstrumentedMethods::contains(const MethodKey& method) const {
    if (count_.load(std::memory_order_relaxed) == 0) {
        return false;
    }
    const std::lock_guard lock(mutex_);
    return methods_.contains(method);
}

void DeinstrumentedMethods::forget_module(const Profiler* owner, clr::ModuleID module) {
    if (count_.load(std::memory_order_relaxed) == 0) {
        return;
    }
    const std::lock_guard lock(mutex_);
    std::erase_if(methods_, [&](const MethodKey& method) {
        return method.owner == owner && method.module == module;
    });
    count_.store(methods_.size(), std::memory_order_relaxed);
}

void DeinstrumentedMethods::forget_all() {
    const std::lock_guard lock(mutex_);
    methods_.clear();
    unhooked_.clear();
    count_.store(0, std::memory_order_relaxed);
}

bool DeinstrumentedMethods::note_unhooked(uint32_t function) {
    const std::lock_guard lock(mutex_);
    return unhooked_.insert(function).second;
}

bool DeinstrumentedMethods::begin_unhooked(clr::FunctionID function) noexcept {
    UnhookedCompilations& self = t_unhooked;
    if (self.depth == UnhookedCompilations::kMaxDepth) {
        return false;
    }
    self.stack[self.depth++] = function;
    return true;
}

bool DeinstrumentedMethods::end_unhooked(clr::FunctionID function) noexcept {
    UnhookedCompilations& self = t_unhooked;
    if (self.depth == 0 || self.stack[self.depth - 1] != function) {
        return false;
    }
    --self.depth;
    return true;
}

bool DeinstrumentedMethods::is_unhooked(clr::FunctionID function) noexcept {
    const UnhookedCompilations& self = t_unhooked;
    const auto* end = self.stack.begin() + self.depth;
    return std::find(self.stack.begin(), end, function) != end;
}

}  // namespace umbra::agent
