// SPDX-License-Identifier: MIT
#include "src/collector/clock_line.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "hotpath/clock.h"

namespace umbra::collector {
namespace {

constexpr int kBrackets = 8;
constexpr size_t kMaxSamples = 4096;  // then every second one goes

ClockLine::Sample read_both(hotpath::ClockSource source) {
    if (source == hotpath::ClockSource::kOs) {
        const uint64_t now = hotpath::read_os_ns();
        return {now, static_cast<int64_t>(now)};
    }
    ClockLine::Sample best{};
    uint64_t tightest = UINT64_MAX;
    for (int i = 0; i < kBrackets; ++i) {
        timespec now{};
        const uint64_t before = hotpath::read_ticks();
        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
        const uint64_t after = hotpath::read_ticks();
        if (after - before < tightest) {
            tightest = after - before;
            best = {before + (after - before) / 2,
                    int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec};
        }
    }
    return best;
}

}  // namespace

ClockLine::ClockLine(hotpath::ClockSource source) : source_(source) {
    samples_.push_back(read_both(source_));
}

ClockLine::ClockLine(std::vector<Sample> samples) : samples_(std::move(samples)) {
}

void ClockLine::sample() {
    samples_.push_back(read_both(source_));
    if (samples_.size() > kMaxSamples) {
        size_t kept = 0;
        for (size_t i = 0; i < samples_.size(); i += 2) {
            samples_[kept++] = samples_[i];
        }
        samples_.resize(kept);
    }
}

double ClockLine::ticks_hz() const {
    const Sample& first = samples_.front();
    const Sample& last = samples_.back();
    const auto ns = static_cast<double>(last.raw_ns - first.raw_ns);
    return ns > 0 ? static_cast<double>(last.ticks - first.ticks) * 1e9 / ns : 0;
}

double ClockLine::residual_ns() const {
    const double hz = ticks_hz();
    if (hz <= 0) {
        return 0;
    }
    const Sample& first = samples_.front();
    double worst = 0;
    for (const Sample& sample : samples_) {
        const double on_line = static_cast<double>(sample.ticks - first.ticks) * 1e9 / hz;
        const double off = std::abs(static_cast<double>(sample.raw_ns - first.raw_ns) - on_line);
        worst = std::max(worst, off);
    }
    return worst;
}

}  // namespace umbra::collector
