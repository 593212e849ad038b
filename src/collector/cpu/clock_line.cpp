// SPDX-License-Identifier: MIT
#include "src/collector/cpu/clock_line.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>
#include <utility>

#include "hotpath/clock.h"

namespace umbra::collector {
namespace {

constexpr int kBrackets = 8;
constexpr size_t kMaxSamples = 4096;  // then every second one goes

constexpr double kFirstSpan = 2e6;  // ns
constexpr double kFresh = 10e6;     // ns
constexpr double kFar = 4e18;       // ticks

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

RawToTicks::RawToTicks(hotpath::ClockSource source)
    : source_(source), first_(read_both(source)), latest_(first_) {
}

RawToTicks::RawToTicks(ClockLine::Sample first, ClockLine::Sample latest) : first_(first) {
    set_latest(latest);
}

void RawToTicks::refresh() {
    if (source_ == hotpath::ClockSource::kOs) {
        return;
    }
    const uint64_t now = hotpath::read_ticks();
    if (static_cast<double>(now - latest_.ticks) < kFresh * ticks_per_ns_) {
        return;
    }
    ClockLine::Sample latest = read_both(source_);
    while (static_cast<double>(latest.raw_ns - first_.raw_ns) < kFirstSpan) {
        std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<int64_t>(kFirstSpan) / 4));
        latest = read_both(source_);
    }
    set_latest(latest);
}

void RawToTicks::set_latest(ClockLine::Sample latest) {
    latest_ = latest;
    const auto ns = static_cast<double>(latest.raw_ns - first_.raw_ns);
    const auto ticks = static_cast<double>(latest.ticks - first_.ticks);
    if (ns > 0 && ticks > 0) {
        ticks_per_ns_ = ticks / ns;
    }
}

uint64_t RawToTicks::ticks(uint64_t raw_ns) const {
    if (source_ == hotpath::ClockSource::kOs) {
        return raw_ns;
    }
    // Any time may be told: what is too far away is taken for the farthest.
    const auto from_latest = static_cast<int64_t>(raw_ns - static_cast<uint64_t>(latest_.raw_ns));
    const double ticks = static_cast<double>(from_latest) * ticks_per_ns_;
    return latest_.ticks + static_cast<uint64_t>(std::llround(std::clamp(ticks, -kFar, kFar)));
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
