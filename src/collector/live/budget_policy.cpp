// SPDX-License-Identifier: MIT
#include "src/collector/live/budget_policy.h"

#include <algorithm>
#include <cmath>

namespace umbra::collector {
namespace {

constexpr double kUsualPairNs = 20;
constexpr double kMostNs = 10'000;  // a clock by system call, on a slow machine
// When the probes seem to have taken all the time there was, this much of it is taken for the
// program's own.
constexpr double kLeastOwnShare = 0.05;
// A function that would save less than this part of the budget is not worth a recompilation.
constexpr double kLeastSaving = 0.01;
constexpr uint32_t kWindowsBefore = 2;

}  // namespace

double BudgetPolicy::cost(uint64_t calls) const {
    return static_cast<double>(calls) * double{costs_.pair()};
}

std::vector<uint32_t> BudgetPolicy::decide(std::span<const FunctionLoad> functions,
                                           const WindowLoad& window) {
    double probes = 0;
    for (const FunctionLoad& load : functions) {
        probes += cost(load.calls);
    }
    const double spent = probes + static_cast<double>(window.wait_ticks) +
                         static_cast<double>(window.displaced_ticks);
    const double covered = static_cast<double>(window.covered_ticks);
    const double own = std::max(covered - spent, covered * kLeastOwnShare);
    if (probes <= 0 || own <= 0) {
        overhead_ = 0;
        windows_above_ = 0;
        return {};
    }
    overhead_ = spent / own;
    windows_above_ = overhead_ > budget_ ? windows_above_ + 1 : 0;
    if (windows_above_ < kWindowsBefore) {
        return {};
    }
    const double allowed = budget_ * own;
    const double displaced = static_cast<double>(window.displaced_ticks);
    return choose(candidates(functions, spent / probes, displaced / probes, kLeastSaving * allowed),
                  spent - allowed);
}

std::vector<BudgetPolicy::Candidate> BudgetPolicy::candidates(
    std::span<const FunctionLoad> functions, double scale, double displaced, double least) const {
    const double long_call = kLongCall * double{costs_.pair()};
    std::vector<Candidate> found;
    for (const FunctionLoad& load : functions) {
        const double probes = cost(load.calls);
        const double spent = scale * probes;
        const double self =
            std::max(0.0, static_cast<double>(load.self_ticks) - displaced * probes);
        const bool is_long =
            static_cast<double>(load.total_ticks) > long_call * static_cast<double>(load.calls);
        if (spent < least || spent <= budget_ * self || is_long) {
            continue;
        }
        const auto asked = requests_.find(load.function);
        if (asked == requests_.end() || asked->second < kMaxRequests) {
            found.push_back({.function = load.function, .cost = spent, .self = self});
        }
    }
    return found;
}

std::vector<uint32_t> BudgetPolicy::choose(std::vector<Candidate> candidates, double excess) {
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.cost != b.cost ? a.cost > b.cost : a.self < b.self;
    });
    std::vector<uint32_t> named;
    auto next = candidates.begin();
    while (next != candidates.end() && excess > 0 && named.size() < kMaxNamed) {
        auto taken = next;
        if (next->cost >= excess) {
            // One more is enough: of all that are, the one that tells least for its cost.
            const auto enough = std::find_if(next, candidates.end(),
                                             [&](const auto& c) { return c.cost < excess; });
            taken = std::min_element(next, enough, [](const Candidate& a, const Candidate& b) {
                return a.self * b.cost < b.self * a.cost;
            });
        }
        named.push_back(taken->function);
        ++requests_[taken->function];
        excess -= taken->cost;
        ++next;
    }
    if (!named.empty()) {
        windows_above_ = 0;
    }
    return named;
}

hotpath::ProbeCosts plausible_costs(const hotpath::ProbeCosts& told, double ticks_hz) {
    const double tick_ns = ticks_hz > 0 && std::isfinite(ticks_hz) ? 1e9 / ticks_hz : 1;
    const auto sound = [&](float ticks) {
        return std::isfinite(ticks) && ticks >= 0 && double{ticks} * tick_ns <= kMostNs;
    };
    if (sound(told.inside) && sound(told.outside) && told.pair() > 0) {
        return told;
    }
    const auto half = static_cast<float>(kUsualPairNs / 2 / tick_ns);
    return {.inside = half, .outside = half};
}

}  // namespace umbra::collector
