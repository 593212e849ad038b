// SPDX-License-Identifier: MIT
// Sums of deductions.
#include "src/replay/extras.h"

namespace umbra::replay {

NodeExtra& NodeExtra::operator+=(const NodeExtra& other) {
    off_cpu_ticks += other.off_cpu_ticks;
    paused_ticks += other.paused_ticks;
    waited_ticks += other.waited_ticks;
    waited_off_ticks += other.waited_off_ticks;
    return *this;
}

void CallExtras::add(uint32_t thread, const OpenCalls& calls, const NodeExtra& extra) {
    if (extra.empty()) {
        return;
    }
    self_.add(calls.arc, extra);
    function_self_.add(key(thread, calls.function), extra);
    for (const uint32_t edge : calls.edges) {
        edges_.add(edge, extra);
    }
    for (const uint32_t function : calls.functions) {
        functions_.add(key(thread, function), extra);
    }
}

}  // namespace umbra::replay
