// SPDX-License-Identifier: MIT
#include "src/cli/record/outputs.h"

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
using collector::Session;

namespace {}  // namespace

Status Outputs::check() const {
    return options_.profile ? check_output(options_.output) : Status();
}

std::string Outputs::add(const protocol::Hello& hello) {
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

Session::Options Outputs::session_options(const std::string& path, const protocol::Hello& hello,
                                          bool watch) {
    Session::Options result;
    result.checkpoint = options_.checkpoint;
    result.cpu = options_.cpu;
    result.watch = watch;
    result.max_overhead_percent = options_.max_overhead_percent;
    result.max_logged_calls = options_.max_logged_calls;
    result.tree = options_.tree;
    result.slowest = options_.slowest;
    result.async_calls = options_.settings.async_calls;
    result.slowest_by_cpu = options_.slowest_by_cpu;
    result.workers = options_.workers;
    result.sink = options_.sink ? options_.sink(hello) : nullptr;
    if (!options_.profile) {
        result.checkpoint = std::chrono::hours(1 << 20);
        result.deliver = [](const collector::Checkpoint&) {};
        return result;
    }
    // A script starts thousands of programs; the hot list shown in the end is of the first.
    const auto keep = !options_.quiet && path == paths_.front() ? ProfileWriter::Keep::kFinal
                                                                : ProfileWriter::Keep::kNothing;
    result.deliver = [this, path, keep](collector::Checkpoint checkpoint) {
        writer_.write(path, std::move(checkpoint), keep);
    };
    return result;
}

bool Outputs::conclude() {
    const std::map<std::string, std::string> failures = writer_.finish();
    for (const auto& [path, why] : failures) {
        report_error(why);
    }
    if (options_.quiet) {
        return failures.empty();
    }
    std::string text;
    if (const profile::Profile* main = writer_.kept()) {
        text += '\n' + first_screen(*main, paths_.front(), {error_columns(), error_has_colour()});
    }
    for (const std::string& path : paths_) {
        if (!failures.contains(path) && writer_.had_final(path)) {
            text += fmt::format("umbra: wrote {}\n", path);
        }
    }
    print_error(text);
    return failures.empty();
}

}  // namespace umbra::cli
