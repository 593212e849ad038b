// SPDX-License-Identifier: MIT
// The signals by which a user ends umbra, as something to wait for and as events of an io_context.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <initializer_list>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <sys/signalfd.h>
#include <unistd.h>

#include "src/base/unique_fd.h"

namespace umbra::cli {

inline constexpr std::array kEndSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/// A user who has asked for the end hears within this time what umbra still waits for.
inline constexpr auto kEndAnswer = std::chrono::milliseconds(900);

/// A descriptor that becomes readable with one of kEndSignals or of `more`, which are blocked from
/// now on, in this thread and in those it starts. It does not block. SIGHUP is none where umbra was
/// started with it ignored (nohup).
[[nodiscard]] UniqueFd end_signal_descriptor(std::initializer_list<int> more = {});

/// What was blocked before the first end_signal_descriptor(): what a program is to be started with.
[[nodiscard]] sigset_t signals_blocked_before();

/// One of kEndSignals waits to be taken. Any thread that blocks them.
[[nodiscard]] bool end_signal_pending();

/// kEndSignals and SIGCHLD; from its making on, for the whole process. Lives on the
/// io_context's thread.
class SignalSource {
  public:
    SignalSource(boost::asio::io_context& io, std::function<void(const signalfd_siginfo&)> handler)
        : descriptor_(io), handler_(std::move(handler)) {
        descriptor_.assign(end_signal_descriptor({SIGCHLD}).release());
        wait();
    }

  private:
    void wait() {
        descriptor_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                               [this](const boost::system::error_code& error) {
                                   if (error) {
                                       return;
                                   }
                                   signalfd_siginfo info{};
                                   while (read(descriptor_.native_handle(), &info, sizeof(info)) ==
                                          static_cast<ssize_t>(sizeof(info))) {
                                       handler_(info);
                                   }
                                   wait();
                               });
    }

    boost::asio::posix::stream_descriptor descriptor_;
    std::function<void(const signalfd_siginfo&)> handler_;
};

}  // namespace umbra::cli
