// SPDX-License-Identifier: MIT
// The main function of all test programs: as gtest's, but what was only skipped did not pass.
#include <gmock/gmock.h>

namespace {

constexpr int kFailed = 1;
constexpr int kSkipped = 77;  // as umbra_test in cmake/UmbraTest.cmake expects it

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleMock(&argc, argv);
    const int status = RUN_ALL_TESTS();
    const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
    if (tests.test_to_run_count() == 0) {
        return kFailed;  // an empty selection tests nothing
    }
    const bool only_skipped = tests.successful_test_count() == 0 && tests.skipped_test_count() != 0;
    return status == 0 && only_skipped ? kSkipped : status;
}
