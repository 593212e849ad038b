// SPDX-License-Identifier: MIT
#include "src/cli/live/own_capture.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/utf8.h"

namespace umbra::cli {
namespace {

constexpr std::size_t kMostLineBytes = 4096;
constexpr int kNotExecuted = 127;

/// In the child: nothing that allocates, for the parent may have other threads.
[[noreturn]] void become(char* const* arguments, int errors, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (getppid() == parent && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
        dup2(nothing, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0) {
        sigset_t none;
        sigemptyset(&none);
        pthread_sigmask(SIG_SETMASK, &none, nullptr);
        execv("/proc/self/exe", arguments);
    }
    _exit(kNotExecuted);
}

}  // namespace

Result<OwnCapture> OwnCapture::start(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"umbra", "start"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return fail(ErrorCode::kSystem, "starting 'umbra start' failed: no pipe to be had", errno);
    }
    UniqueFd reading(ends[0]);
    const UniqueFd writing(ends[1]);
    const pid_t self = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        become(pointers.data(), writing.get(), self);
    }
    if (pid < 0) {
        return fail(ErrorCode::kSystem, "starting 'umbra start' failed: no process to be had",
                    errno);
    }
    fcntl(reading.get(), F_SETFL, O_NONBLOCK);
    return OwnCapture(pid, std::move(reading));
}

OwnCapture::~OwnCapture() {
    if (errors_ && !over_) {  // not moved from
        end();
    }
}

void OwnCapture::end() const {
    if (!over_) {
        kill(pid_, SIGINT);
    }
}

void OwnCapture::read_errors() {
    std::array<char, 1024> buffer;
    for (ssize_t got = 0; (got = read(errors_.get(), buffer.data(), buffer.size())) > 0;) {
        for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(got))) {
            if (c != '\n') {
                line_ += line_.size() < kMostLineBytes ? std::string(1, c) : "";
                continue;
            }
            constexpr std::string_view kPrefix = "umbra: ";
            if (line_.starts_with(kPrefix)) {
                said_ = printable_utf8(line_.substr(kPrefix.size()));
            }
            line_.clear();
        }
    }
}

bool OwnCapture::ended() {
    if (over_) {
        return true;
    }
    int status = 0;
    const bool gone = waitpid(pid_, &status, WNOHANG) == pid_;
    read_errors();
    if (gone) {
        over_ = true;
        status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (status_ == kNotExecuted && said_.empty()) {
            said_ =
                "'umbra start' was not started: this program (/proc/self/exe) cannot be executed";
        }
    }
    return over_;
}

}  // namespace umbra::cli
