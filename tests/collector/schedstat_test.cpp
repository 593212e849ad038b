// SPDX-License-Identifier: MIT
#include "src/collector/cpu/schedstat.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "hotpath/clock.h"

namespace umbra::collector {
namespace {

void burn(uint64_t ns) {
    for (const uint64_t end = hotpath::read_thread_cpu_ns() + ns;
         hotpath::read_thread_cpu_ns() < end;) {
    }
}

std::optional<RunTimes> own_times() {
    return Schedstat(static_cast<uint32_t>(getpid()), static_cast<uint32_t>(syscall(SYS_gettid)),
                     false)
        .times();
}

constexpr uint64_t kBurntNs = 60'000'000;
constexpr uint64_t kTickNs = 10'000'000;  // as far as it may be behind; see Schedstat

TEST(Schedstat, TellsWhatAThreadRan) {
    if (!own_times()) {
        GTEST_SKIP() << "the kernel has no schedstat of threads";
    }
    std::thread([] {
        burn(kBurntNs);
        const uint64_t cpu_ns = hotpath::read_thread_cpu_ns();
        const std::optional<RunTimes> times = own_times();
        ASSERT_TRUE(times);
        EXPECT_GE(times->cpu_ns + kTickNs, kBurntNs);
        EXPECT_LE(times->cpu_ns, cpu_ns + kTickNs);
    }).join();
}

TEST(Schedstat, TellsForHowLongNoProcessorWasFree) {
    if (!own_times()) {
        GTEST_SKIP() << "the kernel has no schedstat of threads";
    }
    // Two threads that both want one processor.
    std::atomic<int> ready{0};
    std::array<uint64_t, 2> delay_ns{};
    const auto work = [&](uint64_t& delay) {
        cpu_set_t allowed;
        cpu_set_t one;
        ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
        CPU_ZERO(&one);
        for (size_t processor = 0; CPU_COUNT(&one) == 0; ++processor) {
            if (CPU_ISSET(processor, &allowed)) {
                CPU_SET(processor, &one);
            }
        }
        ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
        for (++ready; ready.load() < 2;) {
            sched_yield();
        }
        burn(kBurntNs);
        delay = own_times().value_or(RunTimes{}).delay_ns;
    };
    std::thread first(work, std::ref(delay_ns[0]));
    std::thread second(work, std::ref(delay_ns[1]));
    first.join();
    second.join();
    // While one burnt, the other was ready to run: together they have waited for what the first to
    // end has burnt.
    EXPECT_GT(delay_ns[0] + delay_ns[1], kBurntNs / 2);
}

TEST(Schedstat, AThreadThatIsNoneHasNoTimes) {
    EXPECT_FALSE(Schedstat(static_cast<uint32_t>(getpid()), 0, false).times());
    EXPECT_FALSE(Schedstat(static_cast<uint32_t>(getpid()), 0, true).cpu_ns());
}

}  // namespace
}  // namespace umbra::collector
