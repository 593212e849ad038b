// SPDX-License-Identifier: MIT
// Costs of probes as the replay adds them up.
#include "src/replay/tree/lanes.h"

namespace umbra::replay {
namespace {

uint64_t units(float ticks) {
    return static_cast<uint64_t>(std::llround(double{ticks} * double{kCostUnits}));
}

}  // namespace

EventCosts::EventCosts(const hotpath::ProbeCosts& costs) {
    using hotpath::Kind;
    const hotpath::ProbeCosts sound = believable(costs);
    const uint64_t half_inside = units(sound.timed_inside / 2);
    const uint64_t half_outside = units(sound.timed_outside / 2);
    for (const Kind kind : {Kind::kEnter, Kind::kLeave, Kind::kTailcall}) {
        const size_t untimed = record(hotpath::make_slot(kind, 0, false, 0));
        before_[untimed] = behind_[untimed] = units(sound.untimed / 4);
        const size_t timed = record(hotpath::make_slot(kind, 0, true, 0));
        before_[timed] = kind == Kind::kEnter ? half_outside : half_inside;
        behind_[timed] = kind == Kind::kEnter ? half_inside : half_outside;
    }
}

hotpath::ProbeCosts believable(const hotpath::ProbeCosts& costs) {
    constexpr float kMost = 1e5F;  // a system call takes less
    const hotpath::ProbeCosts copy = costs;
    for (const float value : {copy.timed_inside, copy.timed_outside, copy.untimed, copy.timed_error,
                              copy.untimed_error}) {
        if (!(value >= 0 && value <= kMost)) {
            return {};
        }
    }
    return copy;
}

}  // namespace umbra::replay
