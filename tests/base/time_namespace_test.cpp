// SPDX-License-Identifier: MIT
#include "src/base/time_namespace.h"

#include <unistd.h>

#include <gtest/gtest.h>

namespace umbra {
namespace {

TEST(ClockOffsets, AreReadInSecondsAndNanoseconds) {
    const ClockOffsets offsets =
        parse_clock_offsets("monotonic     360000         5\nboottime       -7200 999999999\n");
    EXPECT_EQ(offsets.monotonic_ns, 360'000'000'000'005);
    EXPECT_EQ(offsets.boottime_ns, -7'199'000'000'001);
}

TEST(ClockOffsets, OfNonsenseAreZero) {
    for (const char* text : {"", "monotonic", "monotonic x 0", "boottime 99999999999999999 0",
                             "boottime 99999999999 0\n", "tick 1 2"}) {
        EXPECT_EQ(parse_clock_offsets(text).monotonic_ns, 0) << text;
        EXPECT_EQ(parse_clock_offsets(text).boottime_ns, 0) << text;
    }
}

TEST(ClockOffsets, OfThisProcessAreThoseOfItsNumber) {
    EXPECT_EQ(clock_offsets(0).boottime_ns, clock_offsets(getpid()).boottime_ns);
    EXPECT_EQ(clock_offsets(0x3fffffff).monotonic_ns, 0) << "there is no such process";
}

}  // namespace
}  // namespace umbra
