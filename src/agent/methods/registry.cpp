// SPDX-License-Identifier: MIT
#include "src/agent/methods/registry.h"

#include <cstddef>

#include <sys/mman.h>

namespace umbra::agent {
namespace {

void* reserve_zeroed(size_t bytes) noexcept {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

bool Registry::reserve() noexcept {
    entries_ = static_cast<FunctionEntry*>(reserve_zeroed(sizeof(FunctionEntry) * kCapacity));
    slots_ =
        static_cast<std::atomic<uint32_t>*>(reserve_zeroed(sizeof(std::atomic<uint32_t>) * kSlots));
    return entries_ != nullptr && slots_ != nullptr;
}

uint32_t Registry::first_slot(clr::FunctionID function) noexcept {
    // FunctionIDs are pointers to method descriptors: multiply to spread what alignment leaves.
    const uint64_t mixed = uint64_t{function} * 0x9e3779b97f4a7c15ULL;
    return static_cast<uint32_t>(mixed >> 43) & (kSlots - 1);
}

bool Registry::is(uint32_t index, const Profiler* owner, clr::FunctionID function) const noexcept {
    const FunctionEntry& entry = entries_[index];
    return entry.function.load(std::memory_order_relaxed) == function && entry.owner == owner;
}

uint32_t Registry::find(const Profiler* owner, clr::FunctionID function) const noexcept {
    for (uint32_t slot = first_slot(function), probes = 0; probes < kSlots;
         slot = (slot + 1) & (kSlots - 1), ++probes) {
        const uint32_t index = slots_[slot].load(std::memory_order_acquire);
        if (index == 0) {
            return 0;
        }
        if (is(index, owner, function)) {
            return index;
        }
    }
    return 0;
}

uint32_t Registry::add(clr::FunctionID function, const FunctionFacts& facts) noexcept {
    if (const uint32_t known = find(facts.owner, function); known != 0) {
        return known;
    }
    if (next_.load(std::memory_order_relaxed) >= kCapacity) {
        return 0;
    }
    const uint32_t fresh = next_.fetch_add(1, std::memory_order_acq_rel);
    if (fresh >= kCapacity) {
        return 0;
    }
    FunctionEntry& entry = entries_[fresh];
    entry.owner = facts.owner;
    entry.module = facts.module;
    entry.token = facts.token;
    entry.all_instantiations = facts.all_instantiations;
    entry.traits.store(facts.traits, std::memory_order_relaxed);
    entry.selected.store(facts.selected, std::memory_order_relaxed);
    entry.trivial.store(facts.trivial, std::memory_order_relaxed);
    entry.capture.store(facts.capture, std::memory_order_relaxed);
    entry.function.store(function, std::memory_order_relaxed);
    for (uint32_t slot = first_slot(function);; slot = (slot + 1) & (kSlots - 1)) {
        uint32_t there = 0;
        if (slots_[slot].compare_exchange_strong(there, fresh, std::memory_order_acq_rel,
                                                 std::memory_order_acquire)) {
            entry.ready.store(true, std::memory_order_release);
            return fresh;
        }
        if (is(there, facts.owner, function)) {
            // Another thread was first: leave a hole.
            entry.function.store(0, std::memory_order_relaxed);
            entry.ready.store(true, std::memory_order_release);
            return there;
        }
    }
}

void Registry::retire(const Profiler* owner, clr::FunctionID function) noexcept {
    if (const uint32_t index = find(owner, function); index != 0) {
        entries_[index].function.store(0, std::memory_order_relaxed);
    }
}

}  // namespace umbra::agent
