// SPDX-License-Identifier: MIT
// The .NET processes of this machine, as `umbra ps` shows them.
#include "src/cli/process_list.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "src/cli/live/recorders.h"
#include "src/cli/record/agent_client.h"
#include "src/cli/terminal/text.h"
#include "src/cli/text/hot_table.h"
#include "src/diagnostics/client.h"
#include "src/diagnostics/discovery.h"
#include "src/diagnostics/process_facts.h"
#include "src/diagnostics/target_check.h"
#include "src/protocol/environment.h"
#include "src/protocol/messages.h"

namespace umbra::cli {
namespace {

using diagnostics::LoadedProfiler;
using diagnostics::ProcessFacts;

/// Columns the command gets however narrow the terminal is.
constexpr std::size_t kLeastRest = 16;
constexpr std::string_view kDormant = "dormant";
constexpr std::string_view kUnknown = "unknown";
constexpr auto kAnswerTimeout = std::chrono::milliseconds(500);

bool is_stopped(const ProcessFacts& process) {
    return process.state == 'T' || process.state == 't';
}

/// What our agent does in a process. One that does not listen belongs to an `umbra run` or `umbra
/// attach`.
std::string_view agent_state(const ProcessFacts& process, ListedProcess& listed) {
    if (is_stopped(process)) {
        return kUnknown;
    }
    const auto told = ask_agent(process.pid, protocol::Ask::kStatus, kAnswerTimeout);
    if (!told) {
        const Result<std::string> environment = diagnostics::environment_of(process.pid);
        const bool run =
            environment && diagnostics::variable(*environment, protocol::kSocketVariable);
        return run ? "recording" : "sampling";
    }
    listed.recorder_pid = static_cast<pid_t>(told->collector_pid);
    switch (told->state) {
        case protocol::AgentState::kDormant:
            return kDormant;
        case protocol::AgentState::kRecording:
            return "recording";
        case protocol::AgentState::kSampling:
        case protocol::AgentState::kDetaching:
            return "sampling";
        default:
            return kUnknown;
    }
}

void add_profiler(ListedProcess& process, const ProcessFacts& facts) {
    LoadedProfiler loaded = diagnostics::loaded_profiler(process.pid);
    process.library = std::move(loaded.library);
    switch (loaded.kind) {
        case LoadedProfiler::Kind::kNone:
            process.profiler = "none";
            return;
        case LoadedProfiler::Kind::kUmbra:
            process.profiler = agent_state(facts, process);
            return;
        case LoadedProfiler::Kind::kOther:
            process.profiler = "another";
            return;
    }
}

/// False: nobody answers there.
bool add_runtime(ListedProcess& process, const ProcessFacts& facts,
                 const diagnostics::Endpoint& endpoint) {
    if (is_stopped(facts)) {
        process.obstacle = "it is stopped";
        return true;
    }
    const auto info = diagnostics::runtime_info(endpoint, kAnswerTimeout);
    if (!info) {
        const bool silent = info.error().code == ErrorCode::kTimedOut;
        process.obstacle = silent ? "it does not answer" : info.error().context;
        return silent;
    }
    // Behind a plus sign stands the commit the runtime was built from.
    process.runtime = info->version.substr(0, info->version.find_first_of("+- "));
    process.architecture = info->architecture;
    return true;
}

ListedProcess seen_from_outside(const ProcessFacts& facts) {
    ListedProcess process;
    process.pid = facts.pid;
    process.user = diagnostics::user_name(facts.uid);
    process.own = facts.uid == geteuid();
    process.command_line = one_line(diagnostics::command_line(facts.pid));
    process.runtime_libraries = diagnostics::runtime_libraries(facts.pid);
    return process;
}

bool has_agent(const ListedProcess& process) {
    return process.profiler != "none" && process.profiler != "another" &&
           process.profiler != kUnknown;
}

std::optional<ListedProcess> listed(pid_t pid, bool all) {
    const Result<ProcessFacts> facts = diagnostics::process_facts(pid);
    if (!facts || facts->ends) {
        return std::nullopt;
    }
    const bool may_ask = diagnostics::may_ask(*facts);
    if (!may_ask && !all) {
        return std::nullopt;
    }
    const std::optional<diagnostics::Endpoint> endpoint = diagnostics::endpoint_of(*facts);
    if (!endpoint && !diagnostics::has_runtime_library(pid)) {
        return std::nullopt;
    }
    ListedProcess process = seen_from_outside(*facts);
    if (may_ask) {
        add_profiler(process, *facts);
    }
    bool shown = true;
    if (endpoint && may_ask) {
        shown = add_runtime(process, *facts, *endpoint);
    } else if (!has_agent(process)) {
        // An agent that is there already does not need the runtime's socket.
        process.obstacle = diagnostics::why_unreachable(pid).context;
        shown = false;
    }
    return shown || all ? std::optional(std::move(process)) : std::nullopt;
}

std::string_view or_dash(std::string_view text) {
    return text.empty() ? "-" : text;
}

std::string runtime_text(const ListedProcess& process) {
    const std::size_t runtimes = process.runtime_libraries.size();
    return runtimes > 1 ? fmt::format("{} and {} more", or_dash(process.runtime), runtimes - 1)
                        : std::string(or_dash(process.runtime));
}

std::string profiler_text(const ListedProcess& process) {
    if (process.profiler == "another") {
        return fmt::format("another: {}", process.library.substr(process.library.rfind('/') + 1));
    }
    return process.recorder_pid == 0
               ? std::string(process.profiler)
               : fmt::format("{} by {} {}", process.profiler,
                             process.recorder.empty() ? "process" : process.recorder,
                             process.recorder_pid);
}

void add_recorders(std::vector<ListedProcess>& processes) {
    const std::vector<SeenRecorder> seen = find_recorders();
    for (ListedProcess& process : processes) {
        for (const SeenRecorder& one : seen) {
            const auto recorded =
                std::ranges::find(one.recorder.processes, static_cast<uint32_t>(process.pid),
                                  &protocol::RecordedProcess::pid);
            if (recorded != one.recorder.processes.end()) {
                process.recorder = one_line(one.recorder.command);
                process.recorder_pid = static_cast<pid_t>(one.recorder.pid);
            }
        }
    }
}

/// The obstacle without the "process 4711" that the row says already.
std::string without_subject(const ListedProcess& process) {
    const std::string subject = fmt::format("process {} ", process.pid);
    return process.obstacle.starts_with(subject) ? process.obstacle.substr(subject.size())
                                                 : process.obstacle;
}

}  // namespace

std::vector<ListedProcess> list_processes(bool all) {
    std::vector<ListedProcess> found;
    for (const pid_t pid : diagnostics::all_processes()) {
        if (std::optional<ListedProcess> process = listed(pid, all)) {
            found.push_back(*std::move(process));
        }
    }
    add_recorders(found);
    return found;
}

std::string process_table(const std::vector<ListedProcess>& processes, bool all,
                          std::size_t columns) {
    const bool users = std::any_of(processes.begin(), processes.end(),
                                   [](const ListedProcess& process) { return !process.own; });
    TableColumns<ListedProcess> table(processes);
    table.add("pid", true, [](const ListedProcess& of) { return std::to_string(of.pid); });
    if (users) {
        table.add("user", false, [](const ListedProcess& of) { return of.user; });
    }
    table.add("runtime", false, runtime_text);
    table.add("profiler", false, profiler_text);
    const std::vector<TextColumn> cells = table.take();
    const std::size_t before = total_columns(cells);
    const std::size_t room = std::max(columns - std::min(columns, before), kLeastRest);
    std::string out = headings_of(cells) + "command\n";
    for (std::size_t row = 0; row < processes.size(); ++row) {
        const std::string& command = processes[row].command_line;
        out += cells_of(cells, row) + (columns == 0 ? command : shortened(command, room)) + '\n';
        const std::string obstacle = all ? without_subject(processes[row]) : "";
        if (!obstacle.empty()) {  // worth a line of its own, whole
            out += std::string(cells[0].columns + kColumnGap.size(), ' ') + obstacle + '\n';
        }
    }
    return out;
}

std::string process_json(const std::vector<ListedProcess>& processes) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ListedProcess& process : processes) {
        list.push_back({{"pid", process.pid},
                        {"user", process.user},
                        {"runtime", process.runtime},
                        {"runtime_libraries", process.runtime_libraries},
                        {"architecture", process.architecture},
                        {"profiler", process.profiler},
                        {"profiler_library", process.library},
                        {"recorder", process.recorder},
                        {"recorder_pid", process.recorder_pid},
                        {"command_line", process.command_line},
                        {"obstacle", process.obstacle}});
    }
    return list.dump(2) + "\n";
}

}  // namespace umbra::cli
