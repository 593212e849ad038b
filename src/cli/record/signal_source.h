// SPDX-License-Identifier: MIT
// SignalSource: the signals of this process as events of an io_context.
#pragma once

#include <csignal>
#include <functional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <sys/signalfd.h>
#include <unistd.h>

namespace umbra::cli {

/// Those that end a program, and SIGCHLD; from its making on, for the whole process. Lives on the
/// io_context's thread.
class SignalSource {
  public:
    SignalSource(boost::asio::io_context& io, std::function<void(const signalfd_siginfo&)> handler)
        : descriptor_(io), handler_(std::move(handler)) {
        sigset_t set;
        sigemptyset(&set);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) {
            sigaddset(&set, signal);
        }
        pthread_sigmask(SIG_BLOCK, &set, nullptr);
        descriptor_.assign(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
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
