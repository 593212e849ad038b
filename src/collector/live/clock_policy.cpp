// SPDX-License-Identifier: MIT
#include "src/collector/live/clock_policy.h"

#include <algorithm>
#include <atomic>

#include "hotpath/clock.h"
#include "hotpath/segment.h"

namespace umbra::collector {
namespace {

constexpr auto kPause = std::chrono::milliseconds(5);
constexpr int kPauseFactor = 50;

bool is_control(uint32_t code) {
    return (code & hotpath::kKindMask) == static_cast<uint32_t>(hotpath::Kind::kControl);
}

}  // namespace

void ClockPolicy::run(const Models& models, double ticks_per_ns, Clock::time_point now) {
    if (everywhere_ || now < next_) {
        return;
    }
    next_ = now + kPause;
    if (now < next_whole_) {
        return decide_new(models, ticks_per_ns);
    }
    // Not the time that passes: others may have the processor meanwhile.
    const uint64_t before_ns = hotpath::read_thread_cpu_ns();
    decide(models, ticks_per_ns);
    next_whole_ =
        now + std::chrono::nanoseconds(hotpath::read_thread_cpu_ns() - before_ns) * kPauseFactor;
}

void ClockPolicy::decide(const Models& models, double ticks_per_ns) {
    for (Function& function : functions_) {
        function.ticks = 0;
        function.intervals = 0;
    }
    models([this](replay::IntervalModel& model) {
        model.refresh();
        model.clear_doubled();
        for (const replay::IntervalKind& kind : model.places()) {
            if (kind.measured != 0) {
                add(kind, kind.measured);
            }
        }
    });
    for (uint32_t index = 1; index < functions_.size(); ++index) {
        decide_one(index, ticks_per_ns);
    }
}

void ClockPolicy::decide_new(const Models& models, double ticks_per_ns) {
    doubled_.clear();
    models([this](replay::IntervalModel& model) {
        for (const uint64_t events : model.doubled()) {
            const replay::IntervalKind& kind = model.kind(events);
            add(kind, kind.measured / 2);
            doubled_.push_back(kind.before());
            doubled_.push_back(kind.after());
        }
        model.clear_doubled();
    });
    for (const uint32_t code : doubled_) {
        if (of(code) != nullptr) {
            decide_one(code >> hotpath::kIndexShift, ticks_per_ns);
        }
    }
}

void ClockPolicy::add(const replay::IntervalKind& kind, uint32_t intervals) {
    for (const uint32_t code : {kind.before(), kind.after()}) {
        if (Function* function = of(code)) {
            function->ticks += static_cast<double>(kind.typical) * intervals;
            function->intervals += intervals;
        }
    }
}

void ClockPolicy::decide_one(uint32_t index, double ticks_per_ns) {
    const Function& function = functions_[index];
    const uint64_t events = function.intervals / 2;  // each lies between two intervals
    if (events < thresholds_.least_events) {
        return;
    }
    const double mean_ns = function.ticks / static_cast<double>(function.intervals) / ticks_per_ns;
    if (function.left_out) {
        set(index, mean_ns < thresholds_.long_ns);
    } else if (mean_ns < thresholds_.short_ns &&
               events >= function.waits * thresholds_.events_a_wait) {
        set(index, true);
    }
}

void ClockPolicy::waits(uint32_t function) {
    if (function == 0 || function >= controls_.size()) {
        return;
    }
    if (function >= functions_.size()) {
        functions_.resize(size_t{function} + 1);
    }
    Function& known = functions_[function];
    known.waits += known.waits != UINT32_MAX ? 1U : 0U;
    if (known.intervals / 2 < known.waits * thresholds_.events_a_wait) {
        set(function, false);
    }
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

void ClockPolicy::pin(uint32_t function) {
    if (function == 0 || function >= controls_.size()) {
        return;
    }
    if (function >= functions_.size()) {
        functions_.resize(size_t{function} + 1);
    }
    functions_[function].pinned = true;
    set(function, false);
}

void ClockPolicy::set(uint32_t index, bool left_out) {
    Function& function = functions_[index];
    if (function.left_out == left_out || (left_out && function.pinned)) {
        return;
    }
    function.left_out = left_out;
    left_out_ += left_out ? 1U : ~0U;
    tell(index);
}

void ClockPolicy::read_everywhere(bool everywhere) {
    everywhere_ = everywhere;
    for (uint32_t index = 1; index < functions_.size(); ++index) {
        if (functions_[index].left_out) {
            tell(index);
        }
    }
}

void ClockPolicy::tell(uint32_t index) {
    const bool left_out = functions_[index].left_out && !everywhere_;
    const auto control = left_out ? hotpath::ClockControl::kBursts : hotpath::ClockControl::kAlways;
    std::atomic_ref<uint8_t>(controls_[index])
        .store(static_cast<uint8_t>(control), std::memory_order_relaxed);
}

}  // namespace umbra::collector
