// SPDX-License-Identifier: MIT
// Whether a process can be profiled while it runs, and if not, why.
#include "src/diagnostics/target_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/utf8.h"
#include "src/diagnostics/discovery.h"
#include "src/diagnostics/own_machine.h"
#include "src/diagnostics/process_facts.h"

namespace umbra::diagnostics {
namespace {

constexpr std::string_view kRuntimeLibrary = "libcoreclr.so";
constexpr std::string_view kOurAgent = "libumbra_agent.so";
/// How far and in how many libraries the mark of a profiler is looked for.
constexpr size_t kMaxLibraryBytes = 32U << 20;
constexpr int kMaxLibraries = 64;

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

std::string_view folder_of(std::string_view path) {
    return path.substr(0, std::min(path.rfind('/'), path.size()));
}

bool is_umbra(std::string_view library) {
    return file_name(library) == kOurAgent;
}

bool has_our_thread(pid_t pid) {
    const std::vector<std::string> names = thread_names(pid);
    return std::any_of(names.begin(), names.end(),
                       [](const std::string& name) { return name.starts_with("umbra-"); });
}

/// The library that the environment names as profiler, if profiling is switched on in it.
std::optional<std::string> profiler_in_environment(pid_t pid) {
    const Result<std::string> environment = environment_of(pid);
    if (!environment) {
        return std::nullopt;
    }
    // .NET 11 knows the second prefix.
    for (const std::string_view prefix : {"CORECLR_", "DOTNET_"}) {
        const auto value = [&](std::string_view name) {
            return variable(*environment, fmt::format("{}{}", prefix, name));
        };
        if (value("ENABLE_PROFILING") != "1") {
            continue;
        }
        for (const std::string_view name : {"PROFILER_PATH_64", "PROFILER_PATH"}) {
            if (const auto path = value(name); path && !path->empty()) {
                return std::string(*path);
            }
        }
    }
    return std::nullopt;
}

/// Every profiler exports DllGetClassObject; so do the runtime's own helpers, which lie beside it.
bool exports_class_objects(pid_t pid, const std::string& library) {
    const Result<UniqueFd> fd = open_as(pid, library, O_RDONLY);
    struct stat status = {};
    return fd && fstat(fd->get(), &status) == 0 && S_ISREG(status.st_mode) &&
           read_some(fd->get(), kMaxLibraryBytes).find("DllGetClassObject") != std::string::npos;
}

bool is_system_library(std::string_view path) {
    constexpr std::array<std::string_view, 4> kFolders = {"/lib/", "/lib64/", kSystemLibraryFolder,
                                                          "/usr/lib64/"};
    return std::any_of(kFolders.begin(), kFolders.end(),
                       [&](std::string_view folder) { return path.starts_with(folder); });
}

/// A profiler that came by attaching stands in no environment: look for the mark of one.
std::optional<std::string> profiler_by_exports(pid_t pid, const std::vector<std::string>& mapped) {
    std::set<std::string_view> runtime_folders;  // a process may hold several
    for (const std::string& path : mapped) {
        if (file_name(path) == kRuntimeLibrary) {
            runtime_folders.insert(folder_of(path));
        }
    }
    int looked_at = 0;
    for (const std::string& path : mapped) {
        const bool candidate = file_name(path).find(".so") != std::string_view::npos &&
                               !is_system_library(path) && !is_umbra(path) &&
                               !runtime_folders.contains(folder_of(path));
        if (candidate && ++looked_at <= kMaxLibraries && exports_class_objects(pid, path)) {
            return path;
        }
    }
    return std::nullopt;
}

/// A number as the runtime reads it: hexadecimal.
bool is_zero(std::string_view value) {
    if (value.starts_with("0x") || value.starts_with("0X")) {
        value.remove_prefix(2);
    }
    unsigned number = 1;
    const auto [stop, error] =
        std::from_chars(value.data(), value.data() + value.size(), number, 16);
    return error == std::errc() && number == 0;
}

/// "DOTNET_EnableDiagnostics=0", if that or the switch of one `part` of them is in the environment.
std::optional<std::string> diagnostics_switch(std::string_view environment, std::string_view part) {
    const std::array<std::string, 2> names = {"EnableDiagnostics",
                                              fmt::format("EnableDiagnostics_{}", part)};
    for (const std::string& name : names) {
        for (const std::string_view prefix : {"DOTNET_", "COMPlus_"}) {
            const std::string full = fmt::format("{}{}", prefix, name);
            if (const auto value = variable(environment, full)) {
                if (is_zero(*value)) {
                    return printable_utf8(fmt::format("{}={}", full, *value));
                }
                break;  // DOTNET_ wins over COMPlus_
            }
        }
    }
    return std::nullopt;
}

std::string machine_name(uint16_t machine) {
    switch (machine) {
        case EM_AARCH64:
            return "arm64";
        case EM_ARM:
            return "arm";
        case EM_386:
            return "x86";
        case EM_RISCV:
            return "riscv";
        case EM_X86_64:
            return "x86-64";
        default:
            return fmt::format("ELF machine {}", machine);
    }
}

Error error_of(ErrorCode code, std::string context) {
    return {.code = code, .context = std::move(context)};
}

Error not_dotnet(pid_t pid) {
    return error_of(ErrorCode::kUnsupported,
                    fmt::format("process {} is not a .NET program that umbra can time: it has "
                                "neither libcoreclr.so nor a diagnostics socket (NativeAOT and "
                                "Mono have none)",
                                pid));
}

/// Why umbra can have nothing to do with a process, whatever runs in it.
std::optional<Error> why_no_target(pid_t pid) {
    const Result<ProcessFacts> process = process_facts(pid);
    if (!process) {
        return process.error();
    }
    if (process->ends) {
        return error_of(ErrorCode::kNotFound, fmt::format("process {} has ended", pid));
    }
    if (!may_ask(*process)) {
        return error_of(ErrorCode::kRefused,
                        fmt::format("process {} belongs to {}: run umbra as that user or as root",
                                    pid, user_name(process->uid)));
    }
    const std::optional<ElfKind> kind = program_kind(pid);
    if (kind && !kind->is_64_bit) {
        return error_of(
            ErrorCode::kUnsupported,
            fmt::format("process {} is a 32-bit program, and umbra profiles 64-bit ones only",
                        pid));
    }
    if (kind && kind->machine != kOwnElfMachine) {
        return error_of(ErrorCode::kUnsupported,
                        fmt::format("process {} is a program for {}, and umbra profiles those for "
                                    "{} only",
                                    pid, machine_name(kind->machine), kOwnMachineName));
    }
    if (!environment_of(pid)) {
        return error_of(ErrorCode::kRefused,
                        fmt::format("process {} may not be looked into (it is protected, or in "
                                    "another user namespace): {}",
                                    pid,
                                    geteuid() == 0 ? "not even by root from here; run umbra where "
                                                     "the process was started"
                                                   : "run umbra as root"));
    }
    return std::nullopt;
}

}  // namespace

LoadedProfiler loaded_profiler(pid_t pid) {
    using Kind = LoadedProfiler::Kind;
    const std::vector<std::string> mapped = mapped_code(pid);
    const auto printable = [](std::string_view path) { return printable_utf8(path); };
    // The environment only says what was asked for; the library must be there, too.
    if (const auto named = profiler_in_environment(pid); named && !is_umbra(*named)) {
        for (const std::string& path : mapped) {
            if (file_name(path) == file_name(*named)) {
                return {Kind::kOther, printable(path)};
            }
        }
    }
    // Once loaded, umbra's library stays mapped: where no thread of it runs it has left.
    const auto ours = std::find_if(mapped.begin(), mapped.end(), is_umbra);
    if (ours != mapped.end() && has_our_thread(pid)) {
        return {Kind::kUmbra, printable(*ours)};
    }
    if (const auto found = profiler_by_exports(pid, mapped)) {
        return {Kind::kOther, printable(*found)};
    }
    return {};
}

std::vector<std::string> runtime_libraries(pid_t pid) {
    std::vector<std::string> mapped = mapped_code(pid);
    std::erase_if(mapped,
                  [](const std::string& path) { return file_name(path) != kRuntimeLibrary; });
    return mapped;
}

bool has_runtime_library(pid_t pid) {
    return !runtime_libraries(pid).empty();
}

Error why_unreachable(pid_t pid) {
    if (std::optional<Error> error = why_no_target(pid)) {
        return *std::move(error);
    }
    const std::string environment = environment_of(pid).value_or("");
    const bool has_runtime = has_runtime_library(pid);
    if (const auto off = diagnostics_switch(environment, "IPC")) {
        return error_of(ErrorCode::kUnsupported,
                        has_runtime
                            ? fmt::format("process {} runs with {}, which switches off what "
                                          "umbra needs: restart it without",
                                          pid, *off)
                            : fmt::format("process {} is no .NET program that umbra can see, and "
                                          "runs with {}: if it is one, restart it without",
                                          pid, *off));
    }
    if (!has_runtime) {
        return not_dotnet(pid);
    }
    return error_of(ErrorCode::kNotFound,
                    fmt::format("process {} has no diagnostics socket in its {}: it was removed, "
                                "or the runtime is older than .NET Core 3; restart the program",
                                pid, variable(environment, "TMPDIR") ? "TMPDIR" : "/tmp"));
}

Error why_no_agent(pid_t pid) {
    if (std::optional<Error> error = why_no_target(pid)) {
        return *std::move(error);
    }
    const LoadedProfiler profiler = loaded_profiler(pid);
    if (profiler.kind == LoadedProfiler::Kind::kUmbra) {
        return error_of(ErrorCode::kNotListening,
                        fmt::format("umbra's agent in process {} takes no commands: 'umbra run' "
                                    "profiles it, or it belongs to another version of umbra",
                                    pid));
    }
    if (profiler.kind == LoadedProfiler::Kind::kOther) {
        return error_of(ErrorCode::kRefused,
                        fmt::format("process {} has another profiler, {}, and the runtime takes "
                                    "one only: restart the program without it, and with the "
                                    "variables of 'umbra env'",
                                    pid, profiler.library));
    }
    const Result<ProcessFacts> process = process_facts(pid);
    if (!has_runtime_library(pid) && !(process && endpoint_of(*process))) {
        return not_dotnet(pid);
    }
    const std::string environment = environment_of(pid).value_or("");
    if (const auto off = diagnostics_switch(environment, "Profiler")) {
        // The narrower switch counts at the start of the process alone.
        const bool can_attach = off->find("_Profiler") != std::string::npos;
        return error_of(can_attach ? ErrorCode::kUnprepared : ErrorCode::kUnsupported,
                        fmt::format("process {} runs with {}, which keeps the runtime from loading "
                                    "profilers: restart it without",
                                    pid, *off));
    }
    if (const auto named = profiler_in_environment(pid); named && is_umbra(*named)) {
        return error_of(ErrorCode::kNotFound,
                        fmt::format("process {} names umbra's agent in its environment, but has "
                                    "not loaded {}: UMBRA_LOG in its environment names a file in "
                                    "which the agent says why",
                                    pid, printable_utf8(*named)));
    }
    return error_of(
        ErrorCode::kUnprepared,
        fmt::format("process {} has no agent of umbra: 'umbra start {}' brings one", pid, pid));
}

Status check_library(pid_t pid, const std::string& library) {
    if (!library.starts_with('/')) {
        return fail(ErrorCode::kInvalid,
                    fmt::format("the agent's path must be absolute, not '{}'", library));
    }
    const Result<UniqueFd> fd = open_as(pid, library, O_RDONLY);
    struct stat status = {};
    if (fd && fstat(fd->get(), &status) == 0 && S_ISREG(status.st_mode)) {
        return {};
    }
    return fail(ErrorCode::kNotFound,
                fmt::format("process {} does not see {}: it runs in a container or another root; "
                            "mount or copy the agent there under this path",
                            pid, library),
                fd ? 0 : fd.error().os_error);
}

}  // namespace umbra::diagnostics
