// SPDX-License-Identifier: MIT
// Starts the agent's own threads.
#pragma once

#include <optional>

#include <pthread.h>
#include <signal.h>

namespace umbra::agent {

/// Starts a thread that takes no signals: they belong to the program. It is to be joined, or, with
/// start_thread(), to run on by itself. Nothing: the system has no thread left.
template <typename Body>
std::optional<pthread_t> start_joinable_thread(const char* name, void* argument, Body* body) {
    sigset_t all;
    sigset_t old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_t thread{};
    const bool started = pthread_create(&thread, nullptr, body, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    if (!started) {
        return std::nullopt;
    }
    pthread_setname_np(thread, name);
    return thread;
}

template <typename Body>
bool start_thread(const char* name, void* argument, Body* body) {
    const std::optional<pthread_t> thread = start_joinable_thread(name, argument, body);
    if (thread) {
        pthread_detach(*thread);
    }
    return thread.has_value();
}

}  // namespace umbra::agent
