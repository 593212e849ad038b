// SPDX-License-Identifier: MIT
// The table of the threads that record.
#include "hotpath/thread_registration.h"

#include <linux/membarrier.h>

extern "C" {
constinit std::atomic<uint32_t> umbra_probes_off{1};
}

namespace umbra::hotpath {

constinit std::atomic<uint32_t> g_threads_order{1};

void find_process_barrier() noexcept {
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) == 0) {
        g_threads_order.store(0, std::memory_order_relaxed);
    }
}

void process_barrier() noexcept {
    if (g_threads_order.load(std::memory_order_relaxed) == 0) {
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
    }
}

constinit ThreadRegistration g_registrations[kMaxThreads] = {};
thread_local constinit OwnRegistration t_own_registration = {};

bool register_thread(ThreadCursor& cursor) noexcept {
    OwnRegistration& own = t_own_registration;
    if (own.registration != nullptr) {
        return true;
    }
    for (ThreadRegistration& registration : g_registrations) {
        if (registration.claim(cursor, own.writes_control)) {
            own.registration = &registration;
            return true;
        }
        if (probes_off()) {
            return false;
        }
    }
    return false;
}

void deregister_thread() noexcept {
    ThreadRegistration* const registration = t_own_registration.registration;
    t_own_registration.registration = nullptr;
    if (registration != nullptr) {
        registration->give_back();
    }
}

uint32_t threads_left_behind() noexcept {
    uint32_t threads = 0;
    for (const ThreadRegistration& registration : g_registrations) {
        threads += registration.left_behind() ? 1U : 0U;
    }
    return threads;
}

}  // namespace umbra::hotpath
