// SPDX-License-Identifier: MIT
#include "src/base/slowest_request.h"

#include <gtest/gtest.h>

namespace umbra {
namespace {

TEST(SlowestRequest, IsAPatternAndANumberOfCalls) {
    const auto request = parse_slowest_request("shop.dll!Acme.*.Handle=20");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->methods, "shop.dll!Acme.*.Handle");
    EXPECT_EQ(request->calls, 20U);
    EXPECT_EQ(request->text, "shop.dll!Acme.*.Handle=20");
}

TEST(SlowestRequest, TakesTheUsualNumberWhereNoneIsGiven) {
    const auto request = parse_slowest_request("Acme.Orders.Handle");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->methods, "Acme.Orders.Handle");
    EXPECT_EQ(request->calls, SlowestRequest::kUsualCalls);
}

TEST(SlowestRequest, TakesANameAsAReportWritesIt) {
    EXPECT_EQ(parse_slowest_request(R"(Zero\u200bWidth.Load=5)")->methods, "Zero\u200bWidth.Load");
}

TEST(SlowestRequest, RefusesWhatIsNoNumberOfCalls) {
    for (const char* text :
         {"", "=5", "A.B=", "A.B=0", "A.B=1001", "A.B=-1", "A.B=5x", "A.B= 5", "A.B=99999999999"}) {
        const auto request = parse_slowest_request(text);
        ASSERT_FALSE(request) << text;
        EXPECT_NE(request.error().context.find("PATTERN=NUMBER"), std::string::npos);
    }
}

}  // namespace
}  // namespace umbra
