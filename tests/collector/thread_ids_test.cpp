// SPDX-License-Identifier: MIT
// Numbers of threads in their own pid namespace and in this one.
#include "src/collector/cpu/thread_ids.h"

#include <string>

#include <sys/syscall.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

TEST(NamespacePids, TheLastNumberIsTheProcessesOwn) {
    const NamespacePids pids =
        namespace_pids("Name:\tapp\nPid:\t4711\nNSpid:\t4711\t23\t1\nSigQ:\t0/1\n");
    EXPECT_EQ(pids.innermost, 1U);
    EXPECT_EQ(pids.levels, 3U);
}

TEST(NamespacePids, AnyTextEnds) {
    for (const std::string text : {"", "NoNSpid:\t1", "\nNSpid:", "\nNSpid:\t\n9", "\nNSpid: x y z",
                                   "\nNSpid:\t99999999999999999999\n"}) {
        EXPECT_EQ(namespace_pids(text).levels, 0U) << text;
    }
    EXPECT_EQ(namespace_pids("\nNSpid:\t5").innermost, 5U);
}

TEST(ThreadIds, InOneNamespaceNumbersStayAsTheyAre) {
    ThreadIds ids(static_cast<uint32_t>(getpid()));
    const auto own = static_cast<uint32_t>(syscall(SYS_gettid));
    EXPECT_EQ(ids.here(own), own);
    EXPECT_EQ(ids.here(4'000'000'000U), 4'000'000'000U) << "not known: left alone";
}

}  // namespace
}  // namespace umbra::collector
