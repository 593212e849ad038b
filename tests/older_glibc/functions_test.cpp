// SPDX-License-Identifier: MIT
// What a program bound to an older glibc gets of src/older_glibc: constructors, unwinding,
// functions.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "src/older_glibc/clock_waits.h"

namespace {

int words_seen = -1;
const char* program_seen = nullptr;
const char* path_seen = nullptr;

__attribute__((constructor)) void see_arguments(int argc, char** argv, char** environment) {
    words_seen = argc;
    program_seen = argv[0];
    for (char** variable = environment; *variable != nullptr; ++variable) {
        if (std::strncmp(*variable, "PATH=", 5) == 0) {
            path_seen = *variable + 5;
        }
    }
}

struct SaysSoAtTheEnd {
    ~SaysSoAtTheEnd() {
        constexpr std::string_view kText = "destroyed at the end\n";
        if (says_so) {
            [[maybe_unused]] const ssize_t written =
                write(STDERR_FILENO, kText.data(), kText.size());
        }
    }
    bool says_so = false;
};
SaysSoAtTheEnd at_the_end;

TEST(OlderGlibc, ConstructorsRunWithTheArgumentsOfTheProgram) {
    EXPECT_GE(words_seen, 1);
    ASSERT_NE(program_seen, nullptr);
    EXPECT_NE(std::strstr(program_seen, "test_older_glibc"), nullptr);
    ASSERT_NE(path_seen, nullptr);
    EXPECT_STREQ(path_seen, std::getenv("PATH"));
}

TEST(OlderGlibc, DestructorsRunAtTheEnd) {
    EXPECT_EXIT(
        {
            at_the_end.says_so = true;
            std::exit(3);
        },
        testing::ExitedWithCode(3), "^destroyed at the end\n$");
}

[[gnu::noinline]] size_t throws_below(size_t depth) {
    const std::string text(depth + 1, 'x');
    return depth == 0 ? static_cast<size_t>(text.at(1)) : throws_below(depth - 1) + text.size();
}

TEST(OlderGlibc, ExceptionsOfTheLibraryUnwindFramesOfTheProgramInEveryThread) {
    constexpr int kThreads = 4;
    std::array<bool, kThreads> caught{};
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (bool& one : caught) {
        threads.emplace_back([&one] {
            for (int i = 0; i < 100; ++i) {
                try {
                    throws_below(50);
                } catch (const std::out_of_range&) {
                    one = true;
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const bool one : caught) {
        EXPECT_TRUE(one);
    }
}

TEST(OlderGlibc, ErrorsHaveTheirTexts) {
    EXPECT_STREQ(strerrordesc_np(0), "Success");
    EXPECT_STREQ(strerrordesc_np(ENOENT), "No such file or directory");
    EXPECT_STREQ(strerrordesc_np(EHWPOISON), "Memory page has hardware error");
    EXPECT_EQ(strerrordesc_np(-1), nullptr);
    EXPECT_EQ(strerrordesc_np(EHWPOISON + 1), nullptr);
}

TEST(OlderGlibc, SignalsHaveTheirNames) {
    EXPECT_STREQ(sigabbrev_np(SIGHUP), "HUP");
    EXPECT_STREQ(sigabbrev_np(SIGSYS), "SYS");
    EXPECT_EQ(sigabbrev_np(-1), nullptr);
    EXPECT_EQ(sigabbrev_np(0), nullptr);
    EXPECT_EQ(sigabbrev_np(NSIG), nullptr);
}

/// A file of three bytes and a link to it, gone with the object.
struct FileAndLink {
    FileAndLink() {
        const int descriptor = mkstemp(file.data());
        EXPECT_EQ(write(descriptor, "abc", 3), 3);
        close(descriptor);
        EXPECT_EQ(symlink(file.c_str(), link.c_str()), 0);
    }
    ~FileAndLink() {
        unlink(file.c_str());
        unlink(link.c_str());
    }
    FileAndLink(const FileAndLink&) = delete;
    FileAndLink& operator=(const FileAndLink&) = delete;

    std::string file = testing::TempDir() + "older_glibc_XXXXXX";
    std::string link = testing::TempDir() + "older_glibc_link_" + std::to_string(getpid());
};

TEST(OlderGlibc, FilesAreLookedAtThroughEachOfItsFunctions) {
    const FileAndLink made;
    struct stat by_name {};
    struct stat of_link {};
    struct stat by_descriptor {};
    struct stat in_folder {};
    ASSERT_EQ(stat(made.link.c_str(), &by_name), 0);
    ASSERT_EQ(lstat(made.link.c_str(), &of_link), 0);
    const int descriptor = open(made.file.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(fstat(descriptor, &by_descriptor), 0);
    close(descriptor);
    ASSERT_EQ(fstatat(AT_FDCWD, made.link.c_str(), &in_folder, AT_SYMLINK_NOFOLLOW), 0);
    EXPECT_TRUE(S_ISREG(by_name.st_mode) && S_ISLNK(of_link.st_mode) && S_ISLNK(in_folder.st_mode));
    EXPECT_EQ(by_name.st_size, 3);
    EXPECT_EQ(by_descriptor.st_ino, by_name.st_ino);
    EXPECT_EQ(in_folder.st_ino, of_link.st_ino);

    struct stat64 large {};
    ASSERT_EQ(stat64(made.link.c_str(), &large), 0);
    EXPECT_EQ(large.st_ino, by_name.st_ino);
    ASSERT_EQ(lstat64(made.link.c_str(), &large), 0);
    EXPECT_EQ(large.st_ino, of_link.st_ino);
    EXPECT_EQ(fstat64(-1, &large), -1);
    EXPECT_EQ(errno, EBADF);
    EXPECT_EQ(stat((made.file + "/none").c_str(), &by_name), -1);
    EXPECT_EQ(errno, ENOTDIR);
}

/// CLOCK_MONOTONIC, in nanoseconds.
int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * umbra::older_glibc::kSecondNs + now.tv_nsec;
}

timespec as_timespec(int64_t nanoseconds) {
    return {.tv_sec = nanoseconds / umbra::older_glibc::kSecondNs,
            .tv_nsec = nanoseconds % umbra::older_glibc::kSecondNs};
}

using Wait = int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
using Lock = int(pthread_mutex_t*, clockid_t, const timespec*);

int wait_over_realtime(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                       const timespec* deadline) {
    return umbra::older_glibc::wait_on_clock(condition, mutex, clock, *deadline);
}

int lock_over_realtime(pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline) {
    return umbra::older_glibc::lock_on_clock(mutex, clock, *deadline);
}

constexpr int64_t kShortNs = 20'000'000;

TEST(OlderGlibc, WaitsEndNotBeforeTheirDeadlineByEitherClock) {
    for (Wait* wait : std::array<Wait*, 2>{pthread_cond_clockwait, wait_over_realtime}) {
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
        ASSERT_EQ(pthread_mutex_lock(&mutex), 0);
        const int64_t end_ns = now_ns() + kShortNs;
        const timespec deadline = as_timespec(end_ns);
        EXPECT_EQ(wait(&condition, &mutex, CLOCK_MONOTONIC, &deadline), ETIMEDOUT);
        EXPECT_GE(now_ns(), end_ns);
        timespec past{};
        clock_gettime(CLOCK_REALTIME, &past);
        EXPECT_EQ(wait(&condition, &mutex, CLOCK_REALTIME, &past), ETIMEDOUT);
        EXPECT_EQ(wait(&condition, &mutex, CLOCK_PROCESS_CPUTIME_ID, &deadline), EINVAL);
        pthread_mutex_unlock(&mutex);
    }
}

TEST(OlderGlibc, AWaitEndsWhenItIsNotified) {
    for (Wait* wait : std::array<Wait*, 2>{pthread_cond_clockwait, wait_over_realtime}) {
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
        ASSERT_EQ(pthread_mutex_lock(&mutex), 0);
        bool notified = false;
        std::thread other([&] {
            pthread_mutex_lock(&mutex);
            notified = true;
            pthread_cond_signal(&condition);
            pthread_mutex_unlock(&mutex);
        });
        const timespec deadline = as_timespec(now_ns() + 600 * umbra::older_glibc::kSecondNs);
        while (!notified) {
            ASSERT_EQ(wait(&condition, &mutex, CLOCK_MONOTONIC, &deadline), 0);
        }
        pthread_mutex_unlock(&mutex);
        other.join();
    }
}

TEST(OlderGlibc, ALockIsWaitedForUntilItsDeadline) {
    for (Lock* lock : std::array<Lock*, 2>{pthread_mutex_clocklock, lock_over_realtime}) {
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        ASSERT_EQ(pthread_mutex_lock(&mutex), 0);
        std::thread([&] {
            const int64_t end_ns = now_ns() + kShortNs;
            const timespec deadline = as_timespec(end_ns);
            EXPECT_EQ(lock(&mutex, CLOCK_MONOTONIC, &deadline), ETIMEDOUT);
            EXPECT_GE(now_ns(), end_ns);
            EXPECT_EQ(lock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &deadline), EINVAL);
        }).join();
        pthread_mutex_unlock(&mutex);
        const timespec deadline = as_timespec(now_ns() + kShortNs);
        EXPECT_EQ(lock(&mutex, CLOCK_MONOTONIC, &deadline), 0);
        pthread_mutex_unlock(&mutex);
    }
}

TEST(OlderGlibc, AThreadHasItsNumber) {
    EXPECT_EQ(gettid(), getpid());
    std::thread([] { EXPECT_NE(gettid(), getpid()); }).join();
}

}  // namespace
