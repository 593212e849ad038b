// SPDX-License-Identifier: MIT
// Starts the agent's own threads.
#pragma once

#include <optional>

#include <pthread.h>
#include <signal.h>

namespace umbra::agent {

/// Starts a thread that runs a member function of `object` and takes no signals: they belong to the
/// program. It is to be joined, or, with start_thread(), to run on by itself. Nothing: the system
/// has no thread left.
template <auto kBody, typename Object>
std::optional<pthread_t> start_joinable_thread(const char* name, Object* object) {
    sigset_t all;
    sigset_t old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_t thread{};
    const auto body = [](void* self) -> void* {
        static_assert(noexcept((static_cast<Object*>(self)->*kBody)()));
        (static_cast<Object*>(self)->*kBody)();
        return nullptr;
    };
    const bool started = pthread_create(&thread, nullptr, body, object) == 0;
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    if (!started) {
        return std::nullopt;
    }
    pthread_setname_np(thread, name);
    return thread;
}

template <auto kBody, typename Object>
bool start_thread(const char* name, Object* object) {
    const std::optional<pthread_t> thread = start_joinable_thread<kBody>(name, object);
    if (thread) {
        pthread_detach(*thread);
    }
    return thread.has_value();
}

}  // namespace umbra::agent
