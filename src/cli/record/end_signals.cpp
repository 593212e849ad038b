// SPDX-License-Identifier: MIT
#include "src/cli/record/end_signals.h"

#include <algorithm>

#include <sys/signalfd.h>

namespace umbra::cli {

UniqueFd end_signal_descriptor(std::initializer_list<int> more) {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kEndSignals) {
        sigaddset(&set, signal);
    }
    for (const int signal : more) {
        sigaddset(&set, signal);
    }
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    return UniqueFd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

bool end_signal_pending() {
    sigset_t pending;
    sigpending(&pending);
    return std::ranges::any_of(kEndSignals,
                               [&](int signal) { return sigismember(&pending, signal) == 1; });
}

}  // namespace umbra::cli
