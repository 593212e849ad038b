// SPDX-License-Identifier: MIT
// A day of a service in its own time: threads that come and go by the million, suspensions,
// compilations. Nothing is lost, and from the first tenth on neither memory nor file grow. The
// whole day with UMBRA_FULL=1, else a two-hundredth of it with smaller tables.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <malloc.h>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "export/hdf5/writer.h"
#include "hotpath/record.h"
#include "hotpath/slot.h"
#include "src/collector/replay_workers.h"
#include "src/collector/tables/profile_builder.h"
#include "src/profile/filter.h"
#include "src/profile/report.h"
#include "tests/collector/empty_segment.h"
#include "tests/support/full.h"
#include "tests/support/temporary_folder.h"

namespace umbra::collector {
namespace {

using hotpath::ControlType;
using hotpath::Kind;

constexpr uint64_t kBegin = 1'000'000'000'000;
constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kDay = 86'400 * kSecond;
constexpr uint32_t kMain = 1;   ///< function that goes on all day
constexpr uint32_t kOuter = 2;  ///< first of kOuters
constexpr uint32_t kOuters = 50;
constexpr uint32_t kInner = kOuter + kOuters;
constexpr uint32_t kInners = 150;
constexpr uint32_t kSlots = 64;  ///< of threads alive at once; the first is Main's
constexpr uint64_t kHeavyTicks = 20 * kSecond;

struct Amounts {
    uint64_t threads;
    uint64_t pauses;
    uint64_t compilations;
    replay::Limits limits{};
};

Amounts amounts() {
    Amounts day{.threads = 10'000'000, .pauses = 5'000'000, .compilations = 1'000'000};
    if (!umbra::testing::full()) {
        constexpr uint64_t kPart = 200;
        day.threads /= kPart;
        day.pauses /= kPart;
        day.compilations /= kPart;
        day.limits.pauses = {.latest = 200, .longest = 100};
        day.limits.longest_compilations = 200;
        day.limits.waiting_threads = 100;
        day.limits.heaviest_threads = 100;
        day.limits.thread_sums = 8;
    }
    return day;
}

size_t bytes_in_use() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/// Of this process, so far.
uint64_t page_faults() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_minflt);
}

/// Writes what the threads of a program do in a day, and knows what has to come of it.
class Service {
  public:
    explicit Service(const Amounts& amounts)
        : amounts_(amounts),
          state_(amounts.limits),
          workers_(segment_, state_, cpu_, ids_,
                   [](ProfiledThread& thread) { thread.set_kernel_name(".NET TP Worker"); }, {}) {
        for (uint32_t slot = 0; slot < kSlots; ++slot) {
            EXPECT_NE(segment_.ring(slot), nullptr);
        }
        segment_.header().threads_seen.store(kSlots);
        begin(0, kBegin);
        write(0, Kind::kEnter, kMain, 0x7000'0000, kBegin);
    }

    void run_tenth() {
        const uint64_t end = amounts_.threads * ++tenths_ / 10;
        while (thread_ < end) {
            const uint64_t now = kBegin + kDay / amounts_.threads * ++thread_;
            pause_until(now);
            run_thread(1 + static_cast<uint32_t>(thread_ % (kSlots - 1)), now);
            if (thread_ % (kSlots - 1) == 0) {
                EXPECT_TRUE(workers_.take_chunks());
                state_.retire_ended();
            }
        }
        workers_.take_chunks();
        state_.retire_ended();
        now_ = kBegin + kDay * tenths_ / 10;
    }

    void end() {
        pause_until(now_);
        write(0, Kind::kLeave, kMain, 0x7000'0000, now_);
        hotpath::end_slot(segment_.threads()[0], now_);
        workers_.read_out();
        state_.retire_ended();
    }

    [[nodiscard]] profile::Profile profile() const {
        return build(state_.copy_out(now_), replay::LinearClock(kBegin, 1e9), {});
    }
    [[nodiscard]] const SessionState& state() const { return state_; }

    // What there was:
    uint64_t paused = 0;
    std::map<uint32_t, uint64_t> calls;         ///< by function
    std::map<uint32_t, uint64_t> compilations;  ///< by function
    uint64_t compiled = 0;
    uint64_t unfinished = 0;
    uint64_t events = 0;
    uint64_t longest_pause = 0;

  private:
    void begin(uint32_t slot, uint64_t now) {
        hotpath::ThreadBlock& block = segment_.threads()[slot];
        ASSERT_TRUE(hotpath::claim_slot(block)) << slot;
        // The kernel uses its ids again.
        hotpath::open_slot(block, 1 + static_cast<uint32_t>(thread_ % 30'000), now);
        chunk_ = hotpath::RingWriter(block, segment_.ring(slot)).take();
        ASSERT_NE(chunk_, nullptr);
    }

    void write(uint32_t slot, Kind kind, uint32_t function, uint32_t operand, uint64_t now) {
        uint64_t*& at = slot == 0 ? main_ : chunk_;
        at = at == nullptr ? chunk_ : at;
        hotpath::publish(at, hotpath::make_slot(kind, function, operand), now);
        at += 2;
        ++events;
    }

    void compile(uint32_t slot, uint32_t function, uint64_t now, uint64_t ticks) {
        for (const auto& [type, when] : {std::pair(ControlType::kCompileStarted, now),
                                         std::pair(ControlType::kCompileFinished, now + ticks)}) {
            write(slot, Kind::kControl, static_cast<uint32_t>(type), function, when);
        }
        ++compilations[function];
        compiled += ticks;
    }

    void run_thread(uint32_t slot, uint64_t now) {
        begin(slot, now);
        if (thread_ % 3 == 0) {
            state_.note(protocol::ThreadNamed{
                .os_tid = segment_.threads()[slot].os_tid,
                .name = (thread_ % 2 == 0 ? "request " : "timer ") + std::to_string(thread_)});
        }
        const uint32_t outer = kOuter + static_cast<uint32_t>(thread_ % kOuters);
        const uint32_t inner = kInner + static_cast<uint32_t>(thread_ % kInners);
        const bool heavy = thread_ == amounts_.threads / 3;
        write(slot, Kind::kEnter, outer, 0x6000'0000, now + 10);
        write(slot, Kind::kEnter, inner, 0x5fff'0000, now + 20);
        if (thread_ * amounts_.compilations / amounts_.threads !=
            (thread_ - 1) * amounts_.compilations / amounts_.threads) {
            compile(slot, inner, now + 30, 1 + thread_ % 1'000);
        }
        write(slot, Kind::kLeave, inner, 0x5fff'0000, now + 2'000);
        const uint64_t end = now + (heavy ? kHeavyTicks : 3'000);
        if (thread_ % 50 == 0 && !heavy) {
            ++unfinished;  // it is ended from outside
        } else {
            write(slot, Kind::kLeave, outer, 0x6000'0000, end);
        }
        ++calls[outer];
        ++calls[inner];
        hotpath::end_slot(segment_.threads()[slot], end);
    }

    /// Those of the day so far.
    void pause_until(uint64_t now) {
        const uint64_t end = amounts_.pauses * ((now - kBegin) / kSecond) / (kDay / kSecond);
        for (; pauses_ < end; ++pauses_) {
            const uint64_t begin = kBegin + 5'000 + kDay / amounts_.pauses * pauses_;
            const uint64_t ticks =
                pauses_ == amounts_.pauses / 2 ? 9'999'999 : 10'000 + pauses_ % 1'000;
            longest_pause = std::max(longest_pause, ticks);
            publish(begin, ticks);
            paused += ticks;
        }
    }

    void publish(uint64_t begin, uint64_t ticks) {
        std::atomic<uint64_t>& published = segment_.header().pauses;
        const uint64_t number = published.load() + 1;
        auto& entry =
            const_cast<hotpath::PauseEntry&>(segment_.pauses()[number % hotpath::kPauseEntries]);
        entry.suspend_ticks = begin;
        entry.suspended_ticks = begin + 100;
        entry.resume_ticks = begin + ticks;
        entry.os_tid = 1;
        entry.reason = 1;
        entry.generations = 1U << (number % 3);
        entry.number.store(number, std::memory_order_release);
        published.store(number, std::memory_order_release);
    }

    const Amounts amounts_;
    SharedSegment segment_ = testing::make_segment();
    SessionState state_;
    CpuWatch cpu_{0, CpuSource::kNone, hotpath::ClockSource::kOs};
    ThreadIds ids_{0};
    ReplayWorkers workers_;
    uint64_t* chunk_ = nullptr;
    uint64_t* main_ = nullptr;
    uint64_t thread_ = 0;
    uint64_t pauses_ = 0;
    uint64_t tenths_ = 0;
    uint64_t now_ = kBegin;
};

void expect_all_of_it(const Service& service, const Amounts& amounts, const profile::Profile& p) {
    EXPECT_EQ(p.session.losses.events(), 0U);
    EXPECT_EQ(p.session.losses.rows, 0U);
    EXPECT_EQ(p.session.losses.pauses, 0U);
    EXPECT_EQ(profile::thread_count(p), amounts.threads + 1);
    EXPECT_EQ(p.session.counts.events, service.events);

    const profile::PauseSums pauses = profile::all_pauses(p);
    EXPECT_EQ(pauses.count, amounts.pauses);
    EXPECT_EQ(pauses.total_ns, service.paused);
    EXPECT_EQ(pauses.longest_ns, service.longest_pause);
    EXPECT_EQ(p.pause_sums.size(), 3U) << "by generation";
    EXPECT_TRUE(std::ranges::any_of(p.pauses, [&](const profile::Pause& pause) {
        return pause.duration_ns == service.longest_pause && pause.threads > 0;
    }));
    ASSERT_FALSE(p.threads.empty());
    EXPECT_EQ(p.threads[0].paused_ns, service.paused) << "Main stood in a call all day";

    EXPECT_EQ(profile::compilation_sums(p).count, amounts.compilations);
    EXPECT_EQ(profile::compilation_sums(p).total_ns, service.compiled);
    uint64_t unfinished = 0;
    for (const profile::Function& function : p.functions) {
        const auto index = static_cast<uint32_t>(std::stoul(function.name.substr(9)));
        EXPECT_EQ(function.times.calls, index == kMain ? 1 : service.calls.at(index))
            << function.name;
        unfinished += function.times.unfinished;
    }
    EXPECT_EQ(unfinished, service.unfinished);
    for (const profile::CompilationSum& sum : p.compilation_sums) {
        const auto index =
            static_cast<uint32_t>(std::stoul(p.functions[sum.function].name.substr(9)));
        EXPECT_EQ(sum.count, service.compilations.at(index));
    }
    EXPECT_TRUE(std::ranges::any_of(p.threads, [](const profile::Thread& thread) {
        return thread.threads == 1 && thread.covered_ns >= kHeavyTicks - 100;
    })) << "the heaviest has a row of its own";
    uint64_t requests = 0;
    for (const profile::Thread& thread : p.threads) {
        requests += thread.name.starts_with("request ") ? thread.threads : 0;
    }
    EXPECT_EQ(requests, amounts.threads / 6);

    profile::TimeSlice all;
    for (const profile::TimeSlice& slice : p.time_slices) {
        all.pauses += slice.pauses;
        all.paused_ns += slice.paused_ns;
        all.compilations += slice.compilations;
        all.threads_begun += slice.threads_begun;
        all.threads_ended += slice.threads_ended;
    }
    EXPECT_EQ(all.pauses, amounts.pauses);
    EXPECT_EQ(all.paused_ns, service.paused);
    EXPECT_EQ(all.compilations, amounts.compilations);
    EXPECT_EQ(all.threads_begun, amounts.threads + 1);
    EXPECT_EQ(all.threads_ended, amounts.threads + 1);
    EXPECT_LE(p.time_slices.size(), 1'024U);
}

TEST(ServiceDay, NothingIsLostAndNothingGrows) {
    const Amounts day = amounts();
    const test::TemporaryFolder folder;
    const std::string file = folder.file("day.h5");
    Service service(day);
    size_t most_memory = 0;
    size_t most_bytes = 0;
    const uint64_t faults = page_faults();
    for (int tenth = 1; tenth <= 10; ++tenth) {
        service.run_tenth();
        {
            const profile::Profile p = service.profile();
            ASSERT_TRUE(hdf5::write_profile(p, file).has_value());
        }
        malloc_trim(0);
        const size_t memory = bytes_in_use();
        const auto bytes = static_cast<size_t>(std::filesystem::file_size(file));
        std::cout << tenth << ": " << service.state().ended().threads() << " threads ended, "
                  << memory / 1024 << " KiB in use, file of " << bytes / 1024 << " KiB\n";
        // What waits to be summed up is more at one moment than at another.
        if (tenth > 2) {
            EXPECT_LE(memory, most_memory + most_memory / 8 + (size_t{1} << 20));
            EXPECT_LE(bytes, most_bytes + most_bytes / 4 + (size_t{64} << 10));
        } else {
            most_memory = std::max(most_memory, memory);
            most_bytes = std::max(most_bytes, bytes);
        }
    }
    // A thread that has made a few calls has one page of its ring, here as in the program.
    EXPECT_LE(page_faults() - faults, 4 * day.threads);
    service.end();
    expect_all_of_it(service, day, service.profile());
}

}  // namespace
}  // namespace umbra::collector
