// SPDX-License-Identifier: MIT
// The progress line: what it says, and what gives way on a narrow terminal.
#include "src/cli/record/progress.h"

#include <gtest/gtest.h>

#include "src/cli/terminal/text.h"

namespace umbra::cli {
namespace {

using std::chrono::seconds;

ProgressFigures figures() {
    return {.elapsed = seconds(12),
            .events_per_second = 3'240'000,
            .processes = 1,
            .threads = 4,
            .known = true,
            .calls = 4'691'869,
            .waits = 0,
            .lost = 0,
            .hottest = "Acme.Shop.Orders.Cart.Add(Acme.Shop.Item)",
            .hottest_share = 0.434};
}

TEST(ProgressLine, SaysWhatIsGoingOn) {
    EXPECT_EQ(progress_line(figures(), 200),
              "umbra 0:12  3.2 M events/s  4,691,869 calls  4 threads  0 waits  0 lost  "
              "hot 43% Acme.Shop.Orders.Cart.Add(Acme.Shop.Item)");
}

TEST(ProgressLine, SaysLittleBeforeItKnowsMore) {
    EXPECT_EQ(progress_line({.elapsed = seconds(3'723)}, 80),
              "umbra 1:02:03  0 events/s  0 threads");
}

TEST(ProgressLine, NamesProcessesWhenThereAreSeveral) {
    ProgressFigures some = figures();
    some.processes = 3;
    some.hottest.clear();
    EXPECT_EQ(progress_line(some, 100),
              "umbra 0:12  3.2 M events/s  4,691,869 calls  3 processes  4 threads  0 waits  "
              "0 lost");
}

TEST(ProgressLine, IsNeverWiderThanTheTerminal) {
    for (const std::size_t columns : {0U, 1U, 5U, 12U, 20U, 33U, 60U, 79U, 100U, 131U}) {
        EXPECT_LE(width(progress_line(figures(), columns)), columns);
    }
}

TEST(ProgressLine, ZeroesGiveWayFirst) {
    EXPECT_EQ(
        progress_line(figures(), 84),
        "umbra 0:12  3.2 M events/s  4,691,869 calls  hot 43% Acme.Shop.Orders.Cart.Add(Ac..)");
}

TEST(ProgressLine, LossesStay) {
    ProgressFigures some = figures();
    some.lost = 17;
    EXPECT_EQ(progress_line(some, 60),
              "umbra 0:12  17 lost  hot 43% Acme.Shop.Orders.Cart.Add(Ac..)");
}

TEST(ProgressLine, ALineBreakInANameBreaksNothing) {
    ProgressFigures some = figures();
    some.hottest = "a\nb";
    EXPECT_EQ(progress_line(some, 200).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace umbra::cli
