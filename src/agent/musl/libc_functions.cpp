// SPDX-License-Identifier: MIT
// What the agent and GCC's libraries ask of glibc and musl has not, over what musl has. Linked into
// programs for musl alone, compiled with -fvisibility=hidden: nobody else in a process is answered.
// _dl_find_object is src/older_glibc/find_object.cpp's.
#include <cstring>

#include <sys/single_threaded.h>

#include "src/older_glibc/clock_waits.h"

extern "C" {

/// "Not known": libstdc++ then counts references with atomic instructions, always.
char __libc_single_threaded = 0;

// musl makes a length of time of a deadline before it sleeps, so that a clock that is set meanwhile
// moves nothing.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
    return umbra::older_glibc::wait_on_clock(condition, mutex, clock, *deadline);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* deadline) noexcept {
    return umbra::older_glibc::lock_on_clock(mutex, clock, *deadline);
}

/// musl's strerror() answers with constant texts, from any thread, in no locale's language but its
/// own.
const char* strerrordesc_np(int error) noexcept {
    return std::strerror(error);  // NOLINT(concurrency-mt-unsafe): constant texts
}

}  // extern "C"
