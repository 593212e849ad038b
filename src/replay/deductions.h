// SPDX-License-Identifier: MIT
// What of the time of calls the thread did not run its code: by arc, by edge, by function.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "src/replay/tree/call_tree.h"

namespace umbra::replay {

/// What of a self time was not its own code.
struct Deduction {
    uint64_t off_cpu_ticks = 0;  ///< not on a processor; without waits for the collector
    uint64_t paused_ticks = 0;   ///< suspensions and compilation; may be off a processor as well

    Deduction& operator+=(const Deduction& other);
    Deduction& operator-=(const Deduction& part);
    [[nodiscard]] bool empty() const { return (off_cpu_ticks | paused_ticks) == 0; }
};

/// By number of whatever it is. Most things never have one, so they stand outside the tree.
template <typename Number>
class DeductionSums {
  public:
    void add(Number number, const Deduction& deduction) {
        if (!deduction.empty()) {
            deductions_[number] += deduction;
        }
    }
    /// What a number has, which has nothing then.
    Deduction take(Number number) {
        const auto row = deductions_.extract(number);
        return row ? row.mapped() : Deduction{};
    }
    [[nodiscard]] const std::unordered_map<Number, Deduction>& rows() const { return deductions_; }

  private:
    std::unordered_map<Number, Deduction> deductions_;
};
using Deductions = DeductionSums<uint32_t>;

/// Where something happens that concerns the calls a thread is in.
struct OpenCalls {
    uint32_t arc = 0;                 ///< of the innermost call
    uint32_t function = 0;            ///< of the innermost call
    std::vector<uint32_t> edges;      ///< of calls inside no other along the same edge
    std::vector<uint32_t> functions;  ///< called there inside no other call of the same
};

/// Of a session. Self times have them by arc and by function of a thread; inclusive ones, recursion
/// counted once, by edge and by function of a thread.
class CallDeductions {
  public:
    void add(uint32_t thread, const OpenCalls& calls, const Deduction& deduction);

    /// Of a function in a thread: of its self time and of its inclusive one.
    void add(uint32_t thread, uint32_t function, const Deduction& self, const Deduction& total);
    struct OfFunction {
        Deduction self;
        Deduction total;
    };
    /// Takes out what a function in a thread has, of its self time and of its inclusive one; both
    /// empty if it has nothing.
    OfFunction take(uint32_t thread, uint32_t function);

    /// Adds what was summed up by other numbers: `arcs`, `places` and `edges` tell ours. An edge
    /// beyond the end of `edges` is none of ours.
    void add_renumbered(const CallDeductions& other, std::span<const uint32_t> arcs,
                        std::span<const uint32_t> places, std::span<const uint32_t> edges);

    /// The tree has been pruned. What arcs had that are gone is told by edge, and by the place that
    /// has their time now.
    void renumber(const Pruned& pruned);

    static constexpr uint64_t key(uint32_t thread, uint32_t function) {
        return uint64_t{thread} << 32 | function;
    }
    [[nodiscard]] const Deductions& self() const { return self_; }
    /// Of the self times of arcs that are gone; compare CallTree::gone_by_edge().
    [[nodiscard]] const Deductions& gone_by_edge() const { return gone_by_edge_; }
    [[nodiscard]] const Deductions& gone_here() const { return gone_here_; }
    [[nodiscard]] const Deductions& gone_below() const { return gone_below_; }
    [[nodiscard]] const Deductions& edges() const { return edges_; }
    [[nodiscard]] const DeductionSums<uint64_t>& function_self() const { return function_self_; }
    [[nodiscard]] const DeductionSums<uint64_t>& functions() const { return functions_; }

  private:
    Deductions self_;
    Deductions gone_by_edge_;
    Deductions gone_here_;   ///< by place
    Deductions gone_below_;  ///< by place
    Deductions edges_;
    DeductionSums<uint64_t> function_self_;  ///< by key()
    DeductionSums<uint64_t> functions_;      ///< by key()
};

}  // namespace umbra::replay
