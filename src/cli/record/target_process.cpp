// SPDX-License-Identifier: MIT
#include "src/cli/record/target_process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cli/record/end_signals.h"
#include "src/diagnostics/process_facts.h"

namespace umbra::cli {
namespace {

std::string_view name_of(std::string_view assignment) {
    return assignment.substr(0, assignment.find('='));
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (std::string& text : texts) {
        result.push_back(text.data());
    }
    result.push_back(nullptr);
    return result;
}

std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
    std::vector<std::string> result = variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const auto replaced = [&](const std::string& variable) {
            return name_of(variable) == name_of(*entry);
        };
        if (std::none_of(variables.begin(), variables.end(), replaced)) {
            result.emplace_back(*entry);
        }
    }
    return result;
}

/// What helps where a program could not be started; empty: nothing is known.
std::string hint_for(const std::string& program, int error) {
    if (error == ENOENT && program == "dotnet") {
        return "; is .NET installed, and its folder in PATH?";
    }
    if (error == ENOEXEC && program.ends_with(".exe")) {
        return "; it is a program for Windows: one of .NET 8 or later starts with 'dotnet " +
               program.substr(0, program.size() - 4) + ".dll'";
    }
    return "";
}

// What waitpid tells.
ExitStatus exit_status(int status) {
    return WIFSIGNALED(status) ? ExitStatus{0, WTERMSIG(status)}
                               : ExitStatus{WEXITSTATUS(status), 0};
}

}  // namespace

std::string ExitStatus::text() const {
    if (signal == 0) {
        return "exit " + std::to_string(code);
    }
    const char* name = sigabbrev_np(signal);
    return "signal " + std::to_string(signal) +
           (name != nullptr ? " (SIG" + std::string(name) + ")" : std::string());
}

Result<pid_t> start_process(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& variables) {
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // What umbra was started with; it ignores nothing that was not ignored.
    const sigset_t blocked = signals_blocked_before();
    posix_spawnattr_setsigmask(&attributes, &blocked);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    std::vector<std::string> words = arguments;
    std::vector<std::string> environment = environment_with(variables);
    pid_t pid = 0;
    const int error = posix_spawnp(&pid, words.front().c_str(), nullptr, &attributes,
                                   pointers(words).data(), pointers(environment).data());
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
        return fail(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kSystem,
                    "cannot start '" + words.front() + "': " + strerrordesc_np(error) +
                        hint_for(words.front(), error),
                    error);
    }
    return pid;
}

std::optional<ExitStatus> try_wait(pid_t pid) {
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) != pid) {
        return std::nullopt;
    }
    return exit_status(status);
}

bool has_ended(pid_t pid) {
    for (int attempt = 0; attempt < 100 && !end_signal_pending(); ++attempt) {
        const Result<diagnostics::ProcessFacts> facts = diagnostics::process_facts(pid);
        if (!facts || facts->ends) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

std::optional<ExitStatus> status_of_ended(pid_t pid) {
    for (int attempt = 0; attempt < 100; ++attempt) {
        const Result<diagnostics::ProcessFacts> facts = diagnostics::process_facts(pid);
        if (!facts) {
            return std::nullopt;
        }
        if (facts->state == 'Z') {
            return facts->wait_status == 0 ? std::nullopt
                                           : std::optional(exit_status(facts->wait_status));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return std::nullopt;
}

std::string died(pid_t pid, const std::optional<ExitStatus>& status) {
    return fmt::format("process {} has died while it was recorded ({}): its profile ends there",
                       pid, status ? status->text() : "its runtime did not shut down");
}

std::string lost_connection(pid_t pid) {
    return "process " + std::to_string(pid) +
           " ran on without its connection to umbra (it has closed its descriptors, or run another "
           "program in its place): its profile ends there";
}

}  // namespace umbra::cli
