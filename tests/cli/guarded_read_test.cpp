// SPDX-License-Identifier: MIT
// What becomes of a command whose files make the reader crash, hang, or fill the memory.
#include "src/cli/guarded_read.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "src/cli/terminal/console.h"

namespace umbra::cli {
namespace {

const std::vector<std::string> kFiles{"/nowhere/a.h5"};

/// What a command comes to, and what stands on standard error.
struct Outcome {
    explicit Outcome(const std::function<int()>& command) {
        ::testing::internal::CaptureStderr();
        status = guarded(kFiles, command);
        said = ::testing::internal::GetCapturedStderr();
    }
    int status;
    std::string said;
};

TEST(GuardedRead, AnswersTheCommandsStatus) {
    EXPECT_EQ(Outcome([] { return 0; }).status, 0);
    EXPECT_EQ(Outcome([] { return 3; }).status, 3);
    const Outcome refused([] { return report_error("no"); });
    EXPECT_EQ(refused.status, kFailed);
    EXPECT_EQ(refused.said, "umbra: no\n");
}

TEST(GuardedRead, ACrashCostsOneLine) {
    if (std::getenv("UMBRA_EMULATED") != nullptr) {
        GTEST_SKIP() << "the emulator has a line of its own to say of a crash";
    }
    for (const int signal : {SIGSEGV, SIGABRT, SIGBUS}) {
        const Outcome crashed([signal] {
            std::signal(signal, SIG_DFL);
            raise(signal);
            return 0;
        });
        EXPECT_EQ(crashed.status, kFailed);
        EXPECT_TRUE(crashed.said.starts_with("umbra: reading '/nowhere/a.h5' crashed (SIG"))
            << crashed.said;
        EXPECT_EQ(crashed.said.find('\n'), crashed.said.size() - 1);
    }
}

TEST(GuardedRead, AHangEndsWithItsLimitOfTime) {
    const Outcome hung([] {
        for (volatile bool forever = true; forever;) {
        }
        return 0;
    });
    EXPECT_EQ(hung.status, kFailed);
    EXPECT_EQ(hung.said,
              "umbra: reading '/nowhere/a.h5' takes longer than a profile of its size may: it is "
              "damaged, or no profile\n");
}

TEST(GuardedRead, MemoryEndsBeforeTheMachinesDoes) {
    if (std::getenv("UMBRA_EMULATED") != nullptr) {
        GTEST_SKIP() << "the emulator keeps limits of memory from the kernel";
    }
    if (!kLimitsMemory) {
        GTEST_SKIP() << "AddressSanitizer reserves more than any limit";
    }
    const Outcome greedy([] {
        ::operator delete(::operator new (size_t{2} << 30));
        return 0;
    });
    EXPECT_EQ(greedy.status, kFailed);
    EXPECT_EQ(greedy.said, "umbra: there is not enough memory for this file; it may be damaged\n");
    const Outcome sound([] {
        files_are_read();
        ::operator delete(::operator new (size_t{2} << 30));
        return 0;
    });
    EXPECT_EQ(sound.status, 0) << sound.said;
}

/// No memory image in the folder of the test.
int crash() {
    files_are_read();
    const rlimit none{};
    setrlimit(RLIMIT_CORE, &none);
    std::signal(SIGFPE, SIG_DFL);
    raise(SIGFPE);
    return 0;
}

TEST(GuardedRead, SignalsAreWhatTheyWereBehindIt) {
    sigset_t before;
    sigset_t behind;
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    EXPECT_EQ(Outcome([] { return 0; }).status, 0);
    pthread_sigmask(SIG_SETMASK, nullptr, &behind);
    for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) {
        EXPECT_EQ(sigismember(&before, signal), sigismember(&behind, signal));
    }
}

TEST(GuardedRead, LimitsAreWhatTheyWereOnceTheFilesAreRead) {
    constexpr std::array kLimited{RLIMIT_CPU, RLIMIT_AS, RLIMIT_CORE};
    std::array<rlimit, kLimited.size()> before{};
    for (size_t index = 0; index < kLimited.size(); ++index) {
        getrlimit(kLimited[index], &before[index]);
    }
    // A soft limit of the user's own, below the hard one.
    const rlimit small{.rlim_cur = 4096, .rlim_max = before[2].rlim_max};
    setrlimit(RLIMIT_CORE, &small);
    getrlimit(RLIMIT_CORE, &before[2]);
    const Outcome same([&] {
        files_are_read();
        for (size_t index = 0; index < kLimited.size(); ++index) {
            rlimit now{};
            getrlimit(kLimited[index], &now);
            if (now.rlim_cur != before[index].rlim_cur || now.rlim_max != before[index].rlim_max) {
                return 10 + static_cast<int>(index);
            }
        }
        return 0;
    });
    EXPECT_EQ(same.status, 0);
}

TEST(GuardedReadDeathTest, WhereNobodyWaitsForChildrenItDoes) {
    EXPECT_EXIT(
        {
            std::signal(SIGCHLD, SIG_IGN);  // as a parent may leave it
            alarm(20);
            const int status = guarded(kFiles, [] { return 7; });
            std::exit(status);  // NOLINT(concurrency-mt-unsafe): there is one thread
        },
        ::testing::ExitedWithCode(7), "");
}

TEST(GuardedReadDeathTest, ACrashBehindTheReadingIsOursAndShows) {
    EXPECT_EXIT(static_cast<void>(guarded(kFiles, crash)), ::testing::KilledBySignal(SIGFPE), "");
}

TEST(GuardedReadDeathTest, SignalsThatAskToEndReachTheCommand) {
    EXPECT_EXIT(
        {
            const pid_t outside = getpid();
            const int status = guarded(kFiles, [outside] {
                static volatile std::sig_atomic_t asked = 0;
                std::signal(SIGTERM, [](int) { asked = 1; });
                kill(outside, SIGTERM);
                while (asked == 0) {
                    usleep(1000);
                }
                return 7;
            });
            std::exit(status);  // NOLINT(concurrency-mt-unsafe): there is one thread
        },
        ::testing::ExitedWithCode(7), "");
    EXPECT_EXIT(static_cast<void>(guarded(kFiles,
                                          [] {
                                              kill(getppid(), SIGINT);
                                              pause();
                                              return 0;
                                          })),
                ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace umbra::cli
