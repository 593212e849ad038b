// SPDX-License-Identifier: MIT
// Own times of calls, compensated, and how ticks become nanoseconds without being rounded twice.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "src/collector/tables/compensation.h"
#include "src/collector/tables/rounded_times.h"
#include "src/replay/deductions.h"
#include "src/replay/linear_clock.h"
#include "src/replay/tree/call_tree.h"
#include "src/replay/tree/lanes.h"
#include "src/replay/tree/shortest_call.h"

namespace umbra::collector {

/// A time as measured and what is left of it, in ticks.
struct Measure {
    uint64_t raw = 0;
    uint64_t net = 0;  ///< without what was umbra's: probes, and waits for the collector
    uint64_t cpu = 0;
    uint64_t paused = 0;

    Measure& operator+=(const Measure& other) {
        raw += other.raw;
        net += other.net;
        cpu += other.cpu;
        paused += other.paused;
        return *this;
    }
};

/// Calls of anything.
struct Sum {
    uint64_t calls = 0;
    uint64_t unfinished = 0;
    float min_ticks = std::numeric_limits<float>::infinity();
    float max_ticks = 0;
    Measure self;
    Measure total;

    [[nodiscard]] bool any() const { return calls != 0 || self.raw != 0; }
    /// All but the inclusive times.
    void add_own(const Sum& other) {
        replay::add_counts(*this, other);
        self += other.self;
    }
};

/// What is known of the calls of anything, before the parts of its time are told apart.
struct Calls {
    uint32_t function = 0;  ///< index of the callee
    uint64_t calls = 0;
    uint64_t unfinished = 0;
    float min_ticks = std::numeric_limits<float>::infinity();
    float max_ticks = 0;
    replay::Lanes self{};
    replay::Deduction deduction{};  ///< of `self`

    Calls& operator+=(const Calls& other) {
        replay::add_counts(*this, other);
        self += other.self;
        deduction += other.deduction;
        return *this;
    }
    /// Takes out a part: all but shortest and longest.
    Calls& operator-=(const Calls& part) {
        calls -= part.calls;
        self -= part.self;
        deduction -= part.deduction;
        return *this;
    }
};

/// What is left of calls along arcs that a tree no longer has.
[[nodiscard]] Calls calls_of(uint32_t function, const replay::GoneCalls& sum,
                             const replay::Deduction& deduction);

/// What is to be taken from the time of an arc, an edge, a place, a function in a thread.
const replay::Deduction& deduction_of(const auto& sums, auto number) {
    static constexpr replay::Deduction kNothing;
    const auto found = sums.rows().find(number);
    return found == sums.rows().end() ? kNothing : found->second;
}

/// No call takes less: it is some instructions, and a nanosecond is what a report can show. As many
/// ticks for each call, so that it does not matter how calls are divided among rows; none where
/// a tick is longer than that.
class LeastTime {
  public:
    explicit LeastTime(const replay::LinearClock& clock) {
        const double ns_per_tick = clock.exact_ns(1);
        if (ns_per_tick > kLeastNsPerTick && ns_per_tick <= 1) {
            of_one_ = static_cast<uint64_t>(std::ceil(1 / ns_per_tick));
        }
    }
    [[nodiscard]] uint64_t ticks(uint64_t calls) const {
        constexpr uint64_t kMost = uint64_t{1} << 62;
        return of_one_ == 0 ? 0 : std::min(calls, kMost / of_one_) * of_one_;
    }

  private:
    static constexpr double kLeastNsPerTick = 1e-6;  ///< no clock is faster: nothing to go by
    uint64_t of_one_ = 0;
};

/// Own times of a function, row by row.
struct RoundedSelf {
    RoundedSum raw{false};
    RoundedSum net;
    RoundedSum cpu;
    RoundedSum paused;
};

/// Tells the parts of own times apart, row by row, and keeps no row: a table may be large. However
/// the calls of a function are divided among rows (by path, by edge, by thread), the sums over it
/// are the same. One thread.
class OwnTimes {
  public:
    explicit OwnTimes(const LeastTime& least) : least_(least) {}

    /// `rows(visit)` calls `visit(calls, which...)` for each row, and is asked three times: always
    /// for the same rows, in the same order. For each of them `done(sum, which...)` is called; the
    /// sum has no inclusive times. Returns how many functions are clamped: see Compensation.
    uint64_t of(const auto& rows, const auto& done) {
        rows([this](const Calls& row, const auto&... /*which*/) { measure(row); });
        rows([this](const Calls& row, const auto&... /*which*/) { take_out_probes(row); });
        net_.begin_again();
        rows([&](const Calls& row, const auto&... which) { done(own(row), which...); });
        return net_.clamped().size();
    }

  private:
    void measure(const Calls& row);
    void take_out_probes(const Calls& row);
    [[nodiscard]] Sum own(const Calls& row);

    LeastTime least_;
    Compensation net_;         ///< probes and waits
    Compensation cpu_;         ///< of what is left: time off the processors
    Compensation not_paused_;  ///< of what is left: pauses
};

/// An inclusive time, at least `self`.
[[nodiscard]] Measure inclusive(replay::Lanes time, const replay::Deduction& deduction,
                                const Measure& self);

}  // namespace umbra::collector
