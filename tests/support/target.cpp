// SPDX-License-Identifier: MIT
#include "tests/support/target.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/protocol/environment.h"

extern char** environ;

namespace umbra::testing {
namespace {

struct Pipe {
    UniqueFd read;
    UniqueFd write;
};

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe");
    }
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace

Target::Target(const std::string& program, const std::string& scenario, const std::string& agent,
               const std::string& socket) {
    std::vector<std::string> settings = {
        "CORECLR_ENABLE_PROFILING=1",
        std::string("CORECLR_PROFILER=") + protocol::kProfilerClsid,
        "CORECLR_PROFILER_PATH=" + agent,
        std::string(protocol::kSocketVariable) + '=' + socket,
    };
    std::vector<char*> environment;
    for (std::string& setting : settings) {
        environment.push_back(setting.data());
    }
    for (char** entry = environ; *entry != nullptr; ++entry) {
        environment.push_back(*entry);
    }
    environment.push_back(nullptr);

    Pipe input = make_pipe();
    Pipe output = make_pipe();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.read.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output.write.get(), STDOUT_FILENO);
    std::string path = program;
    std::string argument = scenario;
    const std::array<char*, 3> arguments = {path.data(), argument.data(), nullptr};
    const int error = posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments.data(),
                                  environment.data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        throw std::runtime_error("cannot start " + program);
    }
    input_ = std::move(input.write);
    output_ = std::move(output.read);
}

Target::~Target() {
    if (pid_ != 0) {
        kill(SIGKILL);
        static_cast<void>(wait());
    }
}

void Target::go_on() {
    if (write(input_.get(), "\n", 1) != 1) {
        throw std::runtime_error("the target reads no more");
    }
}

std::string Target::read_line() {
    for (;;) {
        if (const size_t end = read_.find('\n'); end != std::string::npos) {
            const std::string line = read_.substr(0, end);
            read_.erase(0, end + 1);
            return line;
        }
        std::array<char, 4096> buffer;
        const ssize_t got = read(output_.get(), buffer.data(), buffer.size());
        if (got <= 0) {
            return {};
        }
        read_.append(buffer.data(), static_cast<size_t>(got));
    }
}

int Target::wait() {
    int status = 0;
    if (pid_ == 0 || waitpid(pid_, &status, 0) != pid_) {
        throw std::runtime_error("no target to wait for");
    }
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void Target::kill(int signal) {
    ::kill(pid_, signal);
}

}  // namespace umbra::testing
