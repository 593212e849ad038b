// SPDX-License-Identifier: MIT
#include "src/profile/diff/calls.h"

#include <algorithm>
#include <cmath>

namespace umbra::profile {
namespace {

struct Range {
    double least;
    double most;

    [[nodiscard]] double width() const { return most - least; }
};

Range range_of(const ByRun& calls, std::size_t method, std::size_t from, std::size_t to) {
    Range range{calls[from][method], calls[from][method]};
    for (std::size_t run = from; run < to; ++run) {
        range.least = std::min(range.least, calls[run][method]);
        range.most = std::max(range.most, calls[run][method]);
    }
    return range;
}

}  // namespace

bool calls_differ(const ByRun& calls, const Sides& sides, std::size_t method) {
    const Range before = range_of(calls, method, 0, sides.before);
    const Range after = range_of(calls, method, sides.before, sides.runs());
    const double gap = std::max(after.least - before.most, before.least - after.most);
    return gap > kTellingCalls * before.most && gap > 3 * std::max(before.width(), after.width());
}

double calls_differ_by(const ByRun& calls, const Sides& sides, std::size_t method) {
    if (sides.freedom() == 0) {
        const double before = std::max(1.0, calls.front()[method]);
        return std::abs(calls.back()[method] / before - 1);
    }
    const Range before = range_of(calls, method, 0, sides.before);
    const Range after = range_of(calls, method, sides.before, sides.runs());
    return std::max(before.width() / std::max(1.0, before.least),
                    after.width() / std::max(1.0, after.least));
}

}  // namespace umbra::profile
