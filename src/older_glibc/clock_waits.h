// SPDX-License-Identifier: MIT
// Waits by a clock of one's choice, where the C library waits by CLOCK_REALTIME alone.
#pragma once

#include <cerrno>
#include <cstdint>
#include <ctime>

#include <pthread.h>

namespace umbra::older_glibc {

inline constexpr int64_t kSecondNs = 1'000'000'000;

/// The moment `deadline` of `clock` on CLOCK_REALTIME, as it is set now.
inline timespec on_realtime(clockid_t clock, const timespec& deadline) {
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

inline bool can_wait_on(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

/// pthread_cond_clockwait() over pthread_cond_timedwait(). Whether a clock that is set meanwhile
/// makes the wait longer or shorter is up to that one.
inline int wait_on_clock(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                         const timespec& deadline) {
    if (!can_wait_on(clock)) {
        return EINVAL;
    }
    const timespec until = on_realtime(clock, deadline);
    return pthread_cond_timedwait(condition, mutex, &until);
}

/// pthread_mutex_clocklock() over pthread_mutex_timedlock(). Whether a clock that is set meanwhile
/// makes the wait longer or shorter is up to that one.
inline int lock_on_clock(pthread_mutex_t* mutex, clockid_t clock, const timespec& deadline) {
    if (!can_wait_on(clock)) {
        return EINVAL;
    }
    const timespec until = on_realtime(clock, deadline);
    return pthread_mutex_timedlock(mutex, &until);
}

}  // namespace umbra::older_glibc
