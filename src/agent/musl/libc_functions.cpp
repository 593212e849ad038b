// SPDX-License-Identifier: MIT
// What the agent and GCC's libraries ask of glibc and musl has not, over what musl has. Linked into
// programs for musl alone, compiled with -fvisibility=hidden: nobody else in a process is answered.
// _dl_find_object is src/older_glibc/find_object.cpp's.
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>

#include <pthread.h>
#include <sys/single_threaded.h>

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

/// The same moment on CLOCK_REALTIME, which is the clock of musl's waits. musl makes a length of
/// time of it before it sleeps, so that a clock that is set meanwhile moves nothing.
timespec on_realtime(clockid_t clock, const timespec& deadline) {
    if (clock == CLOCK_REALTIME) {
        return deadline;
    }
    timespec now{};
    timespec realtime{};
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &realtime);
    int64_t seconds = deadline.tv_sec - now.tv_sec + realtime.tv_sec;
    int64_t nanoseconds = deadline.tv_nsec - now.tv_nsec + realtime.tv_nsec;
    for (; nanoseconds < 0; nanoseconds += kSecondNs) {
        --seconds;
    }
    for (; nanoseconds >= kSecondNs; nanoseconds -= kSecondNs) {
        ++seconds;
    }
    return {.tv_sec = seconds, .tv_nsec = nanoseconds};
}

bool can_wait_on(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

}  // namespace

extern "C" {

/// "Not known": libstdc++ then counts references with atomic instructions, always.
char __libc_single_threaded = 0;

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
    if (!can_wait_on(clock)) {
        return EINVAL;
    }
    const timespec until = on_realtime(clock, *deadline);
    return pthread_cond_timedwait(condition, mutex, &until);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* deadline) noexcept {
    if (!can_wait_on(clock)) {
        return EINVAL;
    }
    const timespec until = on_realtime(clock, *deadline);
    return pthread_mutex_timedlock(mutex, &until);
}

/// musl's strerror() answers with constant texts, from any thread, in no locale's language but its
/// own.
const char* strerrordesc_np(int error) noexcept {
    return std::strerror(error);  // NOLINT(concurrency-mt-unsafe): constant texts
}

}  // extern "C"
