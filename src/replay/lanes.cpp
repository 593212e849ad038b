// SPDX-License-Identifier: MIT
// Costs of probes as the replay adds them up.
#include "src/replay/lanes.h"

namespace umbra::replay {
namespace {

uint64_t units(float ticks) {
    return static_cast<uint64_t>(std::llround(double{ticks} * double{kCostUnits}));
}

}  // namespace

EventCosts::EventCosts(const hotpath::ProbeCosts& costs) {
    const hotpath::ProbeCosts sound = believable(costs);
    half_inside = units(sound.timed_inside / 2);
    half_outside = units(sound.timed_outside / 2);
    quarter_untimed = units(sound.untimed / 4);
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
