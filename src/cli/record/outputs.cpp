// SPDX-License-Identifier: MIT
#include "src/cli/record/outputs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "src/cli/record/output_name.h"
#include "src/cli/terminal/console.h"
#include "src/cli/text/first_screen.h"
#include "src/collector/state/host_info.h"
#include "src/profile/report.h"

namespace umbra::cli {

namespace fs = std::filesystem;

namespace {

/// The process in which 'dotnet test' runs the tests.
bool is_test_host(const protocol::Hello& hello) {
    const std::string program = collector::program_of(hello.command_line);
    return program.starts_with("testhost");
}

}  // namespace

Outputs::Outputs(const OutputOptions& options,
                 std::function<void(const profile::Profile&)> last_seen)
    : options_(options), writer_(options.symbol_folders, std::move(last_seen)) {
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
    // A script starts thousands of programs; the hot list shown in the end is of the first.
    // Where it runs tests, that of the tests is what its user wants to see.
    const size_t place = paths_.size() - 1;
    if (is_test_host(hello)) {
        tests_.push_back(path);
        shown_ = place;
    }
    return [this, path, place](Draft draft) {
        const auto keep = !options_.quiet && place == shown_ ? ProfileWriter::Keep::kFinal
                                                             : ProfileWriter::Keep::kNothing;
        writer_.write(path, std::move(draft), keep);
    };
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
    if (const ProfileWriter::Kept* shown = writer_.kept()) {
        text +=
            '\n' + first_screen(shown->profile, shown->path, {error_columns(), error_has_colour()});
    }
    for (const std::string& path : paths_) {
        if (!failures.contains(path) && writer_.had_final(path)) {
            text += fmt::format("umbra: wrote {}\n", path);
        }
    }
    for (const std::string& path : tests_) {
        if (!failures.contains(path) && writer_.had_final(path)) {
            text += fmt::format("umbra: tests ran in {}: umbra report {} --by test\n", path, path);
        }
    }
    print_error(text);
}

}  // namespace umbra::cli
