// SPDX-License-Identifier: MIT
// Sums of deductions.
#include "src/replay/deductions.h"

#include <algorithm>
#include <utility>

namespace umbra::replay {

Deduction& Deduction::operator+=(const Deduction& other) {
    off_cpu_ticks += other.off_cpu_ticks;
    paused_ticks += other.paused_ticks;
    return *this;
}

Deduction& Deduction::operator-=(const Deduction& part) {
    off_cpu_ticks -= part.off_cpu_ticks;
    paused_ticks -= part.paused_ticks;
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

void CallDeductions::renumber(const Pruned& pruned) {
    const Deductions self = std::exchange(self_, {});
    const Deductions here = std::exchange(gone_here_, {});
    const Deductions below = std::exchange(gone_below_, {});
    for (const auto& [place, deduction] : here.rows()) {
        (pruned.stays[place] ? gone_here_ : gone_below_).add(pruned.places[place], deduction);
    }
    for (const auto& [place, deduction] : below.rows()) {
        gone_below_.add(pruned.places[place], deduction);
    }
    for (const auto& [arc, deduction] : self.rows()) {
        if (pruned.arcs[arc] != 0 || arc == 0) {
            self_.add(pruned.arcs[arc], deduction);
            continue;
        }
        const auto gone = std::ranges::lower_bound(pruned.gone, arc, {}, &Pruned::GoneArc::arc);
        gone_by_edge_.add(gone->edge, deduction);
        (gone->own ? gone_here_ : gone_below_).add(gone->place, deduction);
    }
}

void CallDeductions::add(uint32_t thread, uint32_t function, const Deduction& self,
                         const Deduction& total) {
    function_self_.add(key(thread, function), self);
    functions_.add(key(thread, function), total);
}

CallDeductions::OfFunction CallDeductions::take(uint32_t thread, uint32_t function) {
    return {.self = function_self_.take(key(thread, function)),
            .total = functions_.take(key(thread, function))};
}

void CallDeductions::add_renumbered(const CallDeductions& other, std::span<const uint32_t> arcs,
                                    std::span<const uint32_t> places,
                                    std::span<const uint32_t> edges) {
    for (const auto& [arc, deduction] : other.self_.rows()) {
        self_.add(arcs[arc], deduction);
    }
    for (const auto& [edge, deduction] : other.gone_by_edge_.rows()) {
        gone_by_edge_.add(edges[edge], deduction);
    }
    for (const auto& [place, deduction] : other.gone_here_.rows()) {
        gone_here_.add(places[place], deduction);
    }
    for (const auto& [place, deduction] : other.gone_below_.rows()) {
        gone_below_.add(places[place], deduction);
    }
    for (const auto& [edge, deduction] : other.edges_.rows()) {
        if (edge < edges.size()) {
            edges_.add(edges[edge], deduction);
        }
    }
    for (const auto& [function, deduction] : other.function_self_.rows()) {
        function_self_.add(function, deduction);
    }
    for (const auto& [function, deduction] : other.functions_.rows()) {
        functions_.add(function, deduction);
    }
}

}  // namespace umbra::replay
