// SPDX-License-Identifier: MIT
#include "src/cli/terminal/screen.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "src/cli/terminal/console.h"
#include "src/cli/terminal/text.h"

namespace umbra::cli {
namespace {

// Alternate screen, no cursor, no wrapping at the edge; and back.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr std::string_view kLeave = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";
// Terminals that know these show a frame at once; others ignore them.
constexpr std::string_view kFrameBegin = "\x1b[?2026h\x1b[H";
constexpr std::string_view kFrameEnd = "\x1b[J\x1b[?2026l";
constexpr std::string_view kLineEnd = "\x1b[0m\x1b[K";

constexpr std::array kEndings = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// For the handler of crashes.
termios as_found{};
volatile std::sig_atomic_t entered = 0;

void give_back() {
    if (entered != 0) {
        entered = 0;
        [[maybe_unused]] const ssize_t written =
            ::write(STDOUT_FILENO, kLeave.data(), kLeave.size());
        tcsetattr(STDIN_FILENO, TCSANOW, &as_found);
    }
}

// Installed with SA_RESETHAND: what is raised here ends the process as it would have ended.
void on_crash(int signal) {
    give_back();
    ::raise(signal);
}

/// `line` as far as it fits; colours take no room. With wrapping off, what is beyond the edge would
/// be written over the last column.
std::string clipped(std::string_view line, std::size_t columns) {
    std::string out;
    std::size_t used = 0;
    while (!line.empty()) {
        std::size_t bytes = 0;
        if (line.front() == '\x1b') {
            bytes = std::min(line.find('m'), line.size() - 1) + 1;
        } else {
            std::string_view rest = line;
            const Character next = take_character(rest);
            bytes = next.bytes.size();
            used += next.columns;
            if (used > columns) {
                break;
            }
        }
        out += line.substr(0, bytes);
        line.remove_prefix(bytes);
    }
    return out;
}

void watch_crashes(bool on) {
    struct sigaction action = {};
    action.sa_handler = on ? on_crash : SIG_DFL;
    action.sa_flags = on ? static_cast<int>(SA_RESETHAND) : 0;
    for (const int signal : kCrashes) {
        sigaction(signal, &action, nullptr);
    }
}

}  // namespace

bool has_screen() {
    return isatty(STDIN_FILENO) == 1 && is_screen(STDOUT_FILENO);
}

Screen::Screen() {
    sigset_t mask;
    sigemptyset(&mask);
    for (const int signal : kEndings) {
        sigaddset(&mask, signal);
    }
    for (const int signal : {SIGTSTP, SIGCONT, SIGWINCH}) {
        sigaddset(&mask, signal);
    }
    pthread_sigmask(SIG_BLOCK, &mask, &old_mask_);
    signals_ = UniqueFd(signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
    tcgetattr(STDIN_FILENO, &as_found);
    watch_crashes(true);
    enter();
}

Screen::~Screen() {
    leave();
    watch_crashes(false);
    pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

void Screen::enter() {
    termios raw = as_found;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    entered = 1;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    gone_ = print(kEnter) != kOk;
}

void Screen::leave() {
    give_back();
}

Screen::Size Screen::size() {
    winsize size = {};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
        return {};
    }
    return {size.ws_col, size.ws_row};
}

void Screen::draw(const std::vector<std::string>& lines) {
    if (!takes_output(STDOUT_FILENO)) {
        return;  // the next frame will do; waiting here would keep signals waiting
    }
    const auto [columns, rows] = size();
    std::string out(kFrameBegin);
    for (std::size_t row = 0; row < lines.size() && row < rows; ++row) {
        out += row == 0 ? "" : "\r\n";
        out += clipped(lines[row], columns);
        out += kLineEnd;
    }
    out += kFrameEnd;
    gone_ = gone_ || print(out) != kOk;
}

Screen::Event Screen::wait(std::chrono::milliseconds timeout, int other) {
    if (gone_) {
        return {.kind = Event::Kind::kEnd, .keys = {}, .signal = 0};
    }
    std::array<pollfd, 3> sources = {{{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                      {.fd = signals_.get(), .events = POLLIN, .revents = 0},
                                      {.fd = other, .events = POLLIN, .revents = 0}}};
    if (poll(sources.data(), sources.size(), static_cast<int>(timeout.count())) <= 0) {
        return {};
    }
    if (sources[1].revents != 0) {
        return signalled();
    }
    if (sources[0].revents == 0) {
        return {.kind = Event::Kind::kReadable, .keys = {}, .signal = 0};
    }
    std::array<char, 64> keys{};
    const ssize_t got = read(STDIN_FILENO, keys.data(), keys.size());
    if (got <= 0) {
        gone_ = got == 0 || (errno != EAGAIN && errno != EINTR);
        return {};
    }
    std::string text(keys.data(), static_cast<std::size_t>(got));
    if (text.front() == '\x1b') {
        return {};
    }
    return {.kind = Event::Kind::kKeys, .keys = std::move(text), .signal = 0};
}

Screen::Event Screen::signalled() {
    signalfd_siginfo info{};
    if (read(signals_.get(), &info, sizeof(info)) != static_cast<ssize_t>(sizeof(info))) {
        return {};
    }
    const int signal = static_cast<int>(info.ssi_signo);
    switch (signal) {
        case SIGTSTP:
            stop();
            return {.kind = Event::Kind::kChanged, .keys = {}, .signal = 0};
        case SIGCONT:  // somebody else has stopped us, and a shell may have used the terminal
            leave();
            enter();
            return {.kind = Event::Kind::kChanged, .keys = {}, .signal = 0};
        case SIGWINCH:
            return {.kind = Event::Kind::kChanged, .keys = {}, .signal = 0};
        default:
            return {.kind = Event::Kind::kEnd, .keys = {}, .signal = signal};
    }
}

void Screen::stop() {
    leave();
    kill(getpid(), SIGSTOP);
    enter();
}

}  // namespace umbra::cli
