// SPDX-License-Identifier: MIT
// Which folder is taken for files that are not kept.
#include "src/base/folders.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace umbra {
namespace {

constexpr const char* kFirst = "UMBRA_TEST_FIRST_FOLDER";
constexpr const char* kSecond = "UMBRA_TEST_SECOND_FOLDER";

// NOLINTBEGIN(concurrency-mt-unsafe): the test has one thread
TEST(Folders, TheFirstVariableThatNamesAnAbsolutePathCounts) {
    setenv(kSecond, "/second", 1);
    for (const char* unusable : {"", "relative", "./here"}) {
        setenv(kFirst, unusable, 1);
        EXPECT_STREQ(folder_named_by({kFirst, kSecond}), "/second") << unusable;
    }
    unsetenv(kFirst);
    EXPECT_STREQ(folder_named_by({kFirst, kSecond}), "/second");
    setenv(kFirst, "/first", 1);
    EXPECT_STREQ(folder_named_by({kFirst, kSecond}), "/first");
}

TEST(Folders, WithoutSuchAVariableItIsTmp) {
    unsetenv(kFirst);
    EXPECT_STREQ(folder_named_by({kFirst}), "/tmp");
}
// NOLINTEND(concurrency-mt-unsafe)

}  // namespace
}  // namespace umbra
