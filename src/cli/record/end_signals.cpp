// SPDX-License-Identifier: MIT
#include "src/cli/record/end_signals.h"

#include <algorithm>

#include <sys/signalfd.h>

namespace umbra::cli {
namespace {

/// Blocks them; returns what was blocked before anything was.
const sigset_t& block(const sigset_t& signals) {
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, &signals, &now);
    static const sigset_t before = now;
    return before;
}

bool is_ignored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

UniqueFd end_signal_descriptor(std::initializer_list<int> more) {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kEndSignals) {
        if (signal != SIGHUP || !is_ignored(signal)) {
            sigaddset(&set, signal);
        }
    }
    for (const int signal : more) {
        sigaddset(&set, signal);
    }
    block(set);
    return UniqueFd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

sigset_t signals_blocked_before() {
    sigset_t none;
    sigemptyset(&none);
    return block(none);
}

bool end_signal_pending() {
    sigset_t pending;
    sigpending(&pending);
    return std::ranges::any_of(kEndSignals,
                               [&](int signal) { return sigismember(&pending, signal) == 1; });
}

}  // namespace umbra::cli
