// SPDX-License-Identifier: MIT
#include "src/cli/named_process.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "src/base/command_line.h"
#include "src/base/nearest.h"
#include "src/base/utf8.h"
#include "src/cli/process_list.h"
#include "src/cli/terminal/text.h"
#include "src/collector/state/host_info.h"

namespace umbra::cli {
namespace {

constexpr std::size_t kProcessesNamed = 6;
constexpr std::size_t kCommandColumns = 60;

std::string program_name(const ListedProcess& process) {
    return std::filesystem::path(collector::program_of(process.command_line)).filename().string();
}

std::string list_text(const std::vector<const ListedProcess*>& processes) {
    std::vector<std::string> texts;
    for (const ListedProcess* process : processes) {
        if (texts.size() == kProcessesNamed) {
            texts.push_back(fmt::format("{} more", processes.size() - texts.size()));
            break;
        }
        texts.push_back(fmt::format("{} ({})", process->pid,
                                    shortened(one_line(process->command_line), kCommandColumns)));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

Result<pid_t> process_named(const std::string& text, const std::vector<ListedProcess>& processes) {
    const std::string wanted = without_extension(text);
    const auto named = [&](bool exactly) {
        std::vector<const ListedProcess*> found;
        for (const ListedProcess& process : processes) {
            const std::string name = without_extension(program_name(process));
            if (process.pid != getpid() &&
                (exactly ? name == wanted : lower_case(name) == lower_case(wanted))) {
                found.push_back(&process);
            }
        }
        return found;
    };
    std::vector<const ListedProcess*> found = named(true);
    if (found.empty()) {
        found = named(false);
    }
    if (found.size() == 1) {
        return found.front()->pid;
    }
    if (!found.empty()) {
        return fail(ErrorCode::kInvalid,
                    fmt::format("'{}' fits {} processes: {}; say which by its "
                                "number",
                                printable_utf8(text), found.size(), list_text(found)));
    }
    std::vector<std::string> names;
    std::vector<const ListedProcess*> there;
    for (const ListedProcess& process : processes) {
        names.push_back(without_extension(program_name(process)));
        there.push_back(&process);
    }
    const std::vector<std::string> near = nearest(wanted, names, 1);
    return fail(
        ErrorCode::kNotFound,
        fmt::format("there is no .NET process called '{}'{}", printable_utf8(text),
                    !near.empty()   ? fmt::format("; is '{}' meant?", printable_utf8(near.front()))
                    : there.empty() ? "; 'umbra ps' finds none that runs"
                                    : "; there are " + list_text(there)));
}

Result<pid_t> process_named(const std::string& text) {
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
        pid_t pid = 0;
        const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
        if (error != std::errc() || pid == 0) {
            return fail(
                ErrorCode::kInvalid,
                fmt::format("no process can have the number {}: it is from 1 to {}",
                            text.substr(0, kCommandColumns), std::numeric_limits<pid_t>::max()));
        }
        return pid;
    }
    return process_named(text, list_processes(true));
}

CLI::Option* add_process_argument(CLI::App& command, std::string& text) {
    return command
        .add_option("PID", text,
                    "Number of the process, or the name of its program; 'umbra ps' lists them")
        ->type_name("")
        ->required();
}

}  // namespace umbra::cli
