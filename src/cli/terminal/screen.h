// SPDX-License-Identifier: MIT
// Screen: the whole terminal for a while, given back as it was on every way out.
#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include <termios.h>

#include "src/base/unique_fd.h"

namespace umbra::cli {

/// Standard input and output must be terminals. One at a time in the process; make it before other
/// threads start, so that they inherit its signal mask. A dozen escape sequences that every
/// terminal in use knows: a library for terminals would bring its own notion of colours and text.
class Screen {
  public:
    struct Size {
        std::size_t columns = 80;
        std::size_t rows = 24;
    };
    struct Event {
        enum class Kind {
            kTimeout,
            kReadable,  ///< the other descriptor is
            kKeys,
            kChanged,  ///< the size, or what is on the screen: draw anew
            kEnd,      ///< a signal, or the terminal is gone
        };
        Kind kind = Kind::kTimeout;
        std::string keys;  ///< plain characters; keys that send more than one are left out
        int signal = 0;    ///< of kEnd; 0: the terminal is gone
    };

    /// Switches to the alternate screen. From here on SIGINT, SIGTERM, SIGHUP and SIGQUIT are
    /// events; Ctrl-Z gives the terminal back until the process goes on; a crash does, too.
    Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;
    ~Screen();

    [[nodiscard]] static Size size();
    /// Shows `lines` from the top, the rest empty. What does not fit is cut off.
    void draw(const std::vector<std::string>& lines);
    /// Keys and signals come before `other`, a descriptor that is waited for as well (-1: none).
    Event wait(std::chrono::milliseconds timeout, int other = -1);

  private:
    void enter();
    void leave();
    Event signalled();
    void stop();

    UniqueFd signals_;
    sigset_t old_mask_{};
    bool gone_ = false;  ///< the terminal
};

/// Whether standard input and output are terminals a Screen can be made on.
[[nodiscard]] bool has_screen();

}  // namespace umbra::cli
