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
    const uint64_t half_inside = units(sound.inside / 2);
    const uint64_t half_outside = units(sound.outside / 2);
    for (const Kind kind : {Kind::kEnter, Kind::kLeave, Kind::kTailcall}) {
        const auto row = static_cast<size_t>(kind);
        before_[row] = kind == Kind::kEnter ? half_outside : half_inside;
        behind_[row] = kind == Kind::kEnter ? half_inside : half_outside;
    }
}

hotpath::ProbeCosts believable(const hotpath::ProbeCosts& costs) {
    constexpr float kMost = 1e5F;  // a system call takes less
    const hotpath::ProbeCosts copy = costs;
    for (const float value : {copy.inside, copy.outside}) {
        if (!(value >= 0 && value <= kMost)) {
            return {};
        }
    }
    return copy;
}

}  // namespace umbra::replay
