// SPDX-License-Identifier: MIT
#include "src/cli/record/outputs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "src/base/command_line.h"
#include "src/cli/record/output_name.h"
#include "src/cli/terminal/console.h"
#include "src/cli/text/first_screen.h"
#include "src/collector/state/host_info.h"
#include "src/profile/by_entry.h"
#include "src/profile/report.h"

namespace umbra::cli {

namespace fs = std::filesystem;

namespace {

/// A program of the .NET SDK: 'dotnet run', MSBuild, a compiler. Modules stand in the order of
/// their loads, the program's own first behind the core library; the SDK's lie in sdk/VERSION.
bool is_of_sdk(const profile::Profile& profile) {
    const auto own = std::ranges::find(profile.modules, false, &profile::Module::framework);
    if (own == profile.modules.end()) {
        return false;
    }
    constexpr std::string_view kFolder = "/sdk/";
    const size_t folder = own->path.find(kFolder);
    return folder != std::string::npos &&
           own->path.find_first_of("0123456789", folder) == folder + kFolder.size();
}

}  // namespace

bool tells_more(const profile::Profile& kept, const profile::Profile& other) {
    const auto worth = [](const profile::Profile& profile) {
        return std::tuple(profile::has_entries(profile, profile::kTests), !is_of_sdk(profile),
                          profile.session.cpu.process_ns);
    };
    return worth(kept) < worth(other);
}

Outputs::Outputs(const OutputOptions& options,
                 std::function<void(const profile::Profile&)> last_seen)
    : options_(options),
      writer_(options.symbol_folders, std::move(last_seen), options.quiet ? nullptr : tells_more) {
}

Status Outputs::check() const {
    return options_.profile ? check_output(options_.output) : Status();
}

std::string Outputs::add_path(const protocol::Hello& hello) {
    const std::string name =
        output_name(collector::program_of(hello.command_line), static_cast<pid_t>(hello.pid));
    std::string path;
    if (options_.output.empty()) {
        path = "umbra-" + name;
    } else if (paths_.empty()) {
        taken_.insert(options_.output);
        return paths_.emplace_back(options_.output);
    } else {
        const fs::path output(options_.output);
        path = (output.parent_path() / output.stem()).string() + '-' + name;
    }
    std::string unique = path + ".h5";
    for (int number = 2; !taken_.insert(unique).second; ++number) {
        unique = path + '-' + std::to_string(number) + ".h5";
    }
    return paths_.emplace_back(unique);
}

std::function<void(Draft)> Outputs::add(const protocol::Hello& hello) {
    const std::string path = add_path(hello);
    if (!options_.profile) {
        return {};
    }
    return [this, path](Draft draft) { writer_.write(path, std::move(draft)); };
}

bool Outputs::conclude() {
    const std::map<std::string, std::string> failures = writer_.finish();
    for (const auto& [path, why] : failures) {
        report_error(why);
    }
    if (!options_.quiet) {
        show(failures);
    }
    return failures.empty();
}

void Outputs::show(const std::map<std::string, std::string>& failures) const {
    std::string text;
    const ProfileWriter::Kept* shown = writer_.kept();
    if (shown != nullptr) {
        const bool is_somewhere = !shown->path.empty();
        text += '\n' + first_screen(shown->profile,
                                    is_somewhere ? std::optional<std::string_view>(shown->path)
                                                 : std::nullopt,
                                    {error_columns(), error_has_colour()});
        // The newest, so that 'umbra report' without a file shows this one, too.
        std::error_code ignored;
        fs::last_write_time(shown->path, fs::file_time_type::clock::now(), ignored);
    }
    for (const std::string& path : paths_) {
        if (!failures.contains(path) && writer_.had_final(path)) {
            const bool marked = shown != nullptr && path == shown->path && paths_.size() > 1;
            text += fmt::format("umbra: wrote {}{}\n", path, marked ? " (shown above)" : "");
        }
    }
    for (const std::string& path : paths_) {
        if (!failures.contains(path) && writer_.had_tests(path)) {
            text += fmt::format("umbra: tests ran in {}: umbra report {} --by test\n", path,
                                shell_word(path));
        }
    }
    print_error(text);
}

}  // namespace umbra::cli
