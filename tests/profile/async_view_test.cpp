// SPDX-License-Identifier: MIT
// Async methods, in the order one asks for.
#include "src/profile/async/async_view.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace umbra::profile {
namespace {

/// Three methods, each of which is first by some of its times.
Profile profile() {
    Profile p;
    const auto method = [&](const char* name, const AsyncTimes& times) {
        Function function;
        function.name = function.raw_name = name;
        function.instrumented = true;
        p.functions.push_back(function);
        AsyncMethod made;
        made.function = static_cast<Row>(p.functions.size() - 1);
        made.counts.calls = 1;
        made.counts.times = times;
        p.async_methods.push_back(made);
    };
    method("Runs", {.wall_ns = 900, .running_ns = 880, .outside_ns = 20});
    method("Awaits", {.wall_ns = 600,
                      .running_ns = 10,
                      .children_ns = 200,
                      .others_ns = 200,
                      .outside_ns = 180,
                      .queued_ns = 10});
    method("Queues", {.wall_ns = 500, .running_ns = 20, .outside_ns = 190, .queued_ns = 290});
    return p;
}

std::string first_by(SortBy sort) {
    const Profile p = profile();
    const AsyncList list =
        async_view(p, {.sort = sort, .top = std::numeric_limits<std::size_t>::max()});
    return list.rows.size() == 3 ? list.rows.front().name : "";
}

TEST(AsyncView, RowsStandInTheOrderThatIsAskedFor) {
    EXPECT_EQ(first_by(SortBy::kTotal), "Runs");
    EXPECT_EQ(first_by(SortBy::kSelf), "Runs");
    EXPECT_EQ(first_by(SortBy::kAwaiting), "Awaits");
    EXPECT_EQ(first_by(SortBy::kQueued), "Queues");
}

TEST(AsyncView, RowsBeyondTheTopAreCounted) {
    const Profile p = profile();
    const AsyncList list = async_view(p, {.sort = SortBy::kQueued, .top = 1});
    ASSERT_EQ(list.rows.size(), 1U);
    EXPECT_EQ(list.rows[0].name, "Queues");
    EXPECT_EQ(list.left_out, 2U);
}

}  // namespace
}  // namespace umbra::profile
