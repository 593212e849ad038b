// SPDX-License-Identifier: MIT
#include "src/collector/clock_policy.h"

#include <algorithm>
#include <atomic>

#include "hotpath/segment.h"

namespace umbra::collector {
namespace {

constexpr auto kLeastPause = std::chrono::milliseconds(5);
constexpr int kPauseFactor = 50;
constexpr auto kFirstExile = std::chrono::seconds(4);
constexpr uint32_t kExileForLife = 4;  // waits after which a function keeps its clock

bool is_control(uint32_t code) {
    return (code & hotpath::kKindMask) == static_cast<uint32_t>(hotpath::Kind::kControl);
}

}  // namespace

void ClockPolicy::run(IntervalModel& model, double ticks_per_ns, Clock::time_point now) {
    if (now < next_) {
        return;
    }
    decide(model, ticks_per_ns, now);
    const Clock::time_point done = Clock::now();
    next_ = done + std::max<Clock::duration>(kLeastPause, (done - now) * kPauseFactor);
}

void ClockPolicy::decide(IntervalModel& model, double ticks_per_ns, Clock::time_point now) {
    model.refresh();
    for (Function& function : functions_) {
        function.ticks = 0;
        function.intervals = 0;
    }
    for (const IntervalKind& kind : model.places()) {
        if (kind.measured == 0) {
            continue;
        }
        const double ticks = static_cast<double>(kind.expected.mean) * kind.measured;
        for (const uint32_t code : {kind.before(), kind.after()}) {
            if (Function* function = of(code)) {
                function->ticks += ticks;
                function->intervals += kind.measured;
            }
        }
    }
    for (uint32_t index = 1; index < functions_.size(); ++index) {
        const Function& function = functions_[index];
        if (function.intervals < thresholds_.least_events * 2) {
            continue;  // each event lies between two intervals
        }
        const double mean_ns =
            function.ticks / static_cast<double>(function.intervals) / ticks_per_ns;
        if (function.left_out) {
            set(index, mean_ns < thresholds_.long_ns);
        } else if (mean_ns < thresholds_.short_ns && function.waits < kExileForLife &&
                   now >= function.not_before) {
            set(index, true);
        }
    }
}

void ClockPolicy::waits(uint32_t function, Clock::time_point now) {
    if (function == 0 || function >= controls_.size()) {
        return;
    }
    if (function >= functions_.size()) {
        functions_.resize(size_t{function} + 1);
    }
    Function& known = functions_[function];
    known.not_before = now + kFirstExile * (1U << (2 * known.waits));
    known.waits += known.waits < kExileForLife ? 1U : 0U;
    set(function, false);
}

ClockPolicy::Function* ClockPolicy::of(uint32_t code) {
    const uint32_t index = code >> hotpath::kIndexShift;
    if (is_control(code) || index == 0 || index >= controls_.size()) {
        return nullptr;
    }
    if (index >= functions_.size()) {
        functions_.resize(size_t{index} + 1);
    }
    return &functions_[index];
}

void ClockPolicy::set(uint32_t index, bool left_out) {
    Function& function = functions_[index];
    if (function.left_out == left_out) {
        return;
    }
    function.left_out = left_out;
    left_out_ += left_out ? 1U : ~0U;
    const auto control = left_out ? hotpath::ClockControl::kBursts : hotpath::ClockControl::kAlways;
    std::atomic_ref<uint8_t>(controls_[index])
        .store(static_cast<uint8_t>(control), std::memory_order_relaxed);
}

}  // namespace umbra::collector
