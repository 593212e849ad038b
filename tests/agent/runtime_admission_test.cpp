// SPDX-License-Identifier: MIT
// Of several runtimes in a process, who is profiled: at their starts, by attaches, and both.
#include "src/agent/support/runtime_admission.h"

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::agent {
namespace {

constexpr const char* kTen = ".NET 10.0.12";
constexpr const char* kNine = ".NET 9.0.18";

// What stands for the code of three copies of the runtime.
constexpr std::array<char, 3> kCopies{};
constexpr const void* kFirst = &kCopies[0];
constexpr const void* kSecond = &kCopies[1];
constexpr const void* kThird = &kCopies[2];

TEST(RuntimeAdmission, TakesEveryRuntimeUnlessToldOtherwise) {
    RuntimeAdmission admission(RuntimeChoice{});
    EXPECT_TRUE(admission.started(kFirst, kTen));
    EXPECT_TRUE(admission.started(kSecond, kNine));
    EXPECT_TRUE(admission.attached(kThird, kNine));
}

TEST(RuntimeAdmission, TakesTheFirstAlone) {
    RuntimeAdmission admission(RuntimeChoice::parse("first"));
    EXPECT_TRUE(admission.started(kFirst, kTen));
    const Status second = admission.started(kSecond, kNine);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().context, "UMBRA_RUNTIMES leaves this runtime of the process out");
    EXPECT_FALSE(admission.attached(kThird, kTen));
}

TEST(RuntimeAdmission, TakesOneOfAVersion) {
    RuntimeAdmission admission(RuntimeChoice::parse("one:9"));
    EXPECT_FALSE(admission.started(kFirst, kTen));
    EXPECT_TRUE(admission.started(kSecond, kNine));
    EXPECT_FALSE(admission.started(kThird, kNine)) << "one, not each";
}

TEST(RuntimeAdmission, AnswersEachAttachOfARuntimeAlike) {
    RuntimeAdmission admission(RuntimeChoice::parse("one:2"));
    for (int turn = 0; turn < 3; ++turn) {
        EXPECT_FALSE(admission.attached(kFirst, kTen));
        EXPECT_TRUE(admission.attached(kSecond, kTen));
    }
}

TEST(RuntimeAdmission, AnswersAnAttachAsItDidAtTheStart) {
    RuntimeAdmission admission(RuntimeChoice::parse("first"));
    EXPECT_TRUE(admission.started(kFirst, kTen));
    EXPECT_FALSE(admission.started(kSecond, kNine));
    EXPECT_TRUE(admission.attached(kFirst, kTen));
    EXPECT_FALSE(admission.attached(kSecond, kNine));
}

TEST(RuntimeAdmission, TakesNobodyByAChoiceThatIsNone) {
    RuntimeAdmission admission(RuntimeChoice::parse("one:"));
    const Status status = admission.started(kFirst, kTen);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().context.find("'one:' chooses no runtimes"), std::string::npos);
    EXPECT_FALSE(admission.attached(kFirst, kTen));
}

TEST(RuntimeAdmission, TakesOneOfManyThatStartAtTheSameTime) {
    RuntimeAdmission admission(RuntimeChoice::parse("one:3"));
    std::array<char, 8> copies{};
    std::array<bool, 8> admitted{};
    std::vector<std::thread> starts;
    for (size_t copy = 0; copy < copies.size(); ++copy) {
        starts.emplace_back(
            [&, copy] { admitted[copy] = admission.started(&copies[copy], kTen).has_value(); });
    }
    for (std::thread& start : starts) {
        start.join();
    }
    EXPECT_EQ(std::ranges::count(admitted, true), 1);
}

}  // namespace
}  // namespace umbra::agent
