// SPDX-License-Identifier: MIT
#include "src/collector/state/host_info.h"

#include <array>
#include <ctime>
#include <vector>

#include <unistd.h>

#include "src/base/command_line.h"
#include "src/base/utf8.h"

namespace umbra::collector {
namespace {

/// "2026-03-01T12:30:00Z"
std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text.data();
}

/// The machine's name; empty if it has none.
std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

std::string program_of(const std::string& command_line) {
    const auto file = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
    const std::vector<std::string> arguments = arguments_of_line(command_line);
    std::string first = arguments.empty() ? "" : file(arguments.front());
    if (first != "dotnet") {
        return first;
    }
    size_t at = arguments.size() > 1 && arguments[1] == "exec" ? 2 : 1;
    while (at < arguments.size() && arguments[at].starts_with("--")) {
        at += 2;  // the host's own options have a value each
    }
    const bool is_module = at < arguments.size() && is_assembly_name(arguments[at]);
    return is_module ? file(arguments[at]) : first;  // else a command of the SDK
}

profile::Session session_of(const protocol::Hello& hello) {
    profile::Session session;
    session.tool_version = UMBRA_VERSION;
    session.created_utc = utc_now();
    session.host = host_name();
    session.command_line = printable_utf8(hello.command_line);
    session.program = program_of(session.command_line);
    session.runtime = printable_utf8(hello.runtime);
    session.pid = hello.pid;
    return session;
}

}  // namespace umbra::collector
