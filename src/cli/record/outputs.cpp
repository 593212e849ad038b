// SPDX-License-Identifier: MIT
#include "src/cli/record/outputs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "src/base/pattern.h"
#include "src/base/utf8.h"
#include "src/cli/record/output_name.h"
#include "src/cli/terminal/console.h"
#include "src/cli/text/first_screen.h"
#include "src/collector/state/host_info.h"
#include "src/profile/methods.h"
#include "src/profile/report.h"

namespace umbra::cli {

namespace fs = std::filesystem;

namespace {

/// The process in which 'dotnet test' runs the tests.
bool is_test_host(const protocol::Hello& hello) {
    const std::string program = collector::program_of(hello.command_line);
    return program.starts_with("testhost");
}

/// Where the assemblies of a program lie, by its command line; empty: nobody knows.
std::string folder_of(const std::vector<std::string>& arguments) {
    const auto assembly = std::ranges::find_if(
        arguments, [](const std::string& one) { return one.ends_with(".dll"); });
    const std::string& program =
        assembly == arguments.end() ? arguments.front() : std::string(*assembly);
    const fs::path folder = fs::path(program).parent_path();
    return !folder.empty() ? folder.string() : assembly != arguments.end() ? "." : "";
}

}  // namespace

std::vector<symbols::AskedPattern> asked_patterns(const protocol::Welcome& settings) {
    std::vector<symbols::AskedPattern> asked;
    const auto add = [&](const char* option, const std::string& text, const std::string& methods) {
        asked.push_back({option, text, Pattern(read_code_points(methods))});
    };
    for (const std::string& text : settings.include) {
        add("--include", text, text);
    }
    for (const std::string& text : settings.also) {
        add("--also", text, text);
    }
    for (const std::string& text : settings.slowest) {
        add("--slowest", text, text.substr(0, text.rfind('=')));
    }
    for (const std::string& text : settings.arguments) {
        add("--args", text, text.substr(0, text.rfind('(')));
    }
    return asked;
}

Outputs::Outputs(const RecordingOptions& options)
    : options_(options),
      asked_(asked_patterns(options.spec.agent)),
      writer_(options.symbol_folders,
              [this](const profile::Profile& profile) { look_at(profile); }) {
}

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

collector::Session::Options Outputs::session_options(const std::string& path,
                                                     const protocol::Hello& hello, bool watch) {
    collector::Session::Options result{.spec = options_.spec,
                                       .watch = watch,
                                       .sink = options_.sink ? options_.sink(hello) : nullptr};
    if (!options_.profile) {
        return result;
    }
    // A script starts thousands of programs; the hot list shown in the end is of the first.
    // Where it runs tests, that of the tests is what its user wants to see.
    const size_t place = paths_.size() - 1;
    if (is_test_host(hello)) {
        tests_.push_back(path);
        shown_ = place;
    }
    result.deliver = [this, path, place](collector::Checkpoint checkpoint) {
        const auto keep = !options_.quiet && place == shown_ ? ProfileWriter::Keep::kFinal
                                                             : ProfileWriter::Keep::kNothing;
        writer_.write(path, std::move(checkpoint), keep);
    };
    return result;
}

bool Outputs::conclude() {
    const std::map<std::string, std::string> failures = writer_.finish();
    for (const auto& [path, why] : failures) {
        report_error(why);
    }
    if (!options_.quiet) {
        show(failures);
    }
    const bool met = tell_unmet();
    return tell_refused() && met && failures.empty();
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

void Outputs::look_at(const profile::Profile& profile) {
    look_at_methods(profile);
    look_at_arguments(profile);
}

void Outputs::look_at_arguments(const profile::Profile& profile) {
    for (const profile::Argument& one : profile.arguments) {
        if (one.function == profile::kNone) {
            continue;  // its pattern has met nothing, which is told
        }
        const profile::Function& function = profile.functions[one.function];
        const std::pair key(profile::qualified_raw_name(function), one.name);
        if (one.refusal.empty()) {
            told_.insert(key);
        } else {
            refused_.try_emplace(key, function.name + ": " + one.refusal);
        }
    }
}

void Outputs::look_at_methods(const profile::Profile& profile) {
    if (std::ranges::all_of(asked_, &symbols::AskedPattern::met)) {
        return;  // each checkpoint asks
    }
    for (const profile::Function& function : profile.functions) {
        const std::string_view module = profile::module_name(profile, function);
        const MatchedNames names(read_code_points(profile::qualified_raw_name(function)),
                                 read_code_points(profile::qualified_name(function)));
        for (symbols::AskedPattern& one : asked_) {
            one.met = one.met || (one.methods.matches_module(module) &&
                                  one.methods.takes(names, Pattern::Fit::kAnyCase));
        }
    }
}

bool Outputs::tell_unmet() {
    if (std::ranges::all_of(asked_, &symbols::AskedPattern::met)) {
        return true;
    }
    std::vector<symbols::AskedPattern> there = asked_;
    const std::string folder = options_.arguments.empty() ? "" : folder_of(options_.arguments);
    const std::vector<symbols::MethodList> read =
        folder.empty() ? std::vector<symbols::MethodList>()
                       : symbols::look_for(there, symbols::assemblies_in(folder));
    bool all = true;
    for (size_t at = 0; at < asked_.size(); ++at) {
        if (asked_[at].met) {
            continue;
        }
        // Where nobody knows the assemblies, start has looked before.
        if (there[at].met || read.empty()) {
            report_error(fmt::format("{} '{}': no method that it matches was called",
                                     asked_[at].option, printable_utf8(asked_[at].text)));
        } else {
            report_error(symbols::unmet_text(asked_[at], read));
            all = false;
        }
    }
    return all;
}

bool Outputs::tell_refused() const {
    bool all = true;
    for (const auto& [argument, why] : refused_) {
        // Of a method's overloads one is enough.
        if (!told_.contains(argument)) {
            report_error(fmt::format("--args: nothing was recorded of '{}': {}",
                                     printable_utf8(argument.second), printable_utf8(why)));
            all = false;
        }
    }
    return all;
}

}  // namespace umbra::cli
