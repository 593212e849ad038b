// SPDX-License-Identifier: MIT
// Sums of deductions.
#include "src/replay/deductions.h"

namespace umbra::replay {

Deduction& Deduction::operator+=(const Deduction& other) {
    off_cpu_ticks += other.off_cpu_ticks;
    paused_ticks += other.paused_ticks;
    waited_ticks += other.waited_ticks;
    waited_off_ticks += other.waited_off_ticks;
    return *this;
}

void CallDeductions::add(uint32_t thread, const OpenCalls& calls, const Deduction& deduction) {
    if (deduction.empty()) {
        return;
    }
    self_.add(calls.arc, deduction);
    function_self_.add(key(thread, calls.function), deduction);
    for (const uint32_t edge : calls.edges) {
        edges_.add(edge, deduction);
    }
    for (const uint32_t function : calls.functions) {
        functions_.add(key(thread, function), deduction);
    }
}

}  // namespace umbra::replay
