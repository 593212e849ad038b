// SPDX-License-Identifier: MIT
// pthread_cond_clockwait and pthread_mutex_clocklock, which glibc has since 2.30: its own where
// there are such, else over what 2.27 has. Compiled with -fvisibility=hidden: nobody else is
// answered.
#include "src/older_glibc/clock_waits.h"

#include <dlfcn.h>

namespace {

using Wait = int(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                 const timespec* deadline);
using Lock = int(pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline);

// Looked up when the program is loaded: later it would wait for the dynamic linker's lock. Until
// then they are nullptr, which works, too.
Wait* const kOwnWait = reinterpret_cast<Wait*>(dlsym(RTLD_DEFAULT, "pthread_cond_clockwait"));
Lock* const kOwnLock = reinterpret_cast<Lock*>(dlsym(RTLD_DEFAULT, "pthread_mutex_clocklock"));

}  // namespace

extern "C" {

/// Before glibc 2.30 a clock that is set back makes the wait longer by as much.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
    return kOwnWait != nullptr
               ? kOwnWait(condition, mutex, clock, deadline)
               : umbra::older_glibc::wait_on_clock(condition, mutex, clock, *deadline);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* deadline) noexcept {
    return kOwnLock != nullptr ? kOwnLock(mutex, clock, deadline)
                               : umbra::older_glibc::lock_on_clock(mutex, clock, *deadline);
}

}  // extern "C"
