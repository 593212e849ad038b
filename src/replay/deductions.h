// SPDX-License-Identifier: MIT
// What of the time of calls the thread did not run its code: by arc, by edge, by function.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace umbra::replay {

/// What of a self time was not its own code.
struct Deduction {
    uint64_t off_cpu_ticks = 0;  ///< not on a processor; without waits for the collector
    uint64_t paused_ticks = 0;   ///< suspensions and compilation; may be off a processor as well

    Deduction& operator+=(const Deduction& other);
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
    uint32_t arc = 0;                 ///< of the innermost
    uint32_t function = 0;            ///< likewise
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
    /// The same, which is nothing then.
    OfFunction take(uint32_t thread, uint32_t function);

    /// Adds what was summed up by other numbers: `arcs` and `edges` tell ours. An edge that ends
    /// beyond `edges` is none of ours.
    void add_renumbered(const CallDeductions& other, std::span<const uint32_t> arcs,
                        std::span<const uint32_t> edges);

    static constexpr uint64_t key(uint32_t thread, uint32_t function) {
        return uint64_t{thread} << 32 | function;
    }
    [[nodiscard]] const Deductions& self() const { return self_; }
    [[nodiscard]] const Deductions& edges() const { return edges_; }
    [[nodiscard]] const DeductionSums<uint64_t>& function_self() const { return function_self_; }
    [[nodiscard]] const DeductionSums<uint64_t>& functions() const { return functions_; }

  private:
    Deductions self_;
    Deductions edges_;
    DeductionSums<uint64_t> function_self_;  ///< by key()
    DeductionSums<uint64_t> functions_;      ///< likewise
};

}  // namespace umbra::replay
