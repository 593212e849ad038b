// SPDX-License-Identifier: MIT
#include "src/cli/record/asked_outcome.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "src/base/argument_request.h"
#include "src/base/pattern.h"
#include "src/base/slowest_request.h"
#include "src/base/utf8.h"
#include "src/cli/terminal/console.h"
#include "src/profile/methods.h"

namespace umbra::cli {

namespace fs = std::filesystem;

namespace {

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
    for (const std::string& text : settings.include) {
        asked.push_back({"--include", text, Pattern(read_code_points(text))});
    }
    for (const std::string& text : settings.also) {
        asked.push_back({"--also", text, Pattern(read_code_points(text))});
    }
    for (const std::string& text : settings.slowest) {
        if (const auto request = parse_slowest_request(text)) {
            asked.push_back({"--slowest", text, Pattern(request->methods)});
        }
    }
    for (const std::string& text : settings.arguments) {
        if (const auto request = parse_argument_request(text)) {
            asked.push_back({"--args", text, request->methods});
        }
    }
    return asked;
}

AskedOutcome::AskedOutcome(const protocol::Welcome& settings,
                           const std::vector<std::string>& command)
    : asked_(asked_patterns(settings)), folder_(command.empty() ? "" : folder_of(command)) {
}

void AskedOutcome::look_at(const profile::Profile& profile) {
    look_at_methods(profile);
    look_at_arguments(profile);
}

bool AskedOutcome::tell() const {
    const bool met = tell_unmet();
    return tell_refused() && met;
}

void AskedOutcome::look_at_arguments(const profile::Profile& profile) {
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

void AskedOutcome::look_at_methods(const profile::Profile& profile) {
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

bool AskedOutcome::tell_unmet() const {
    if (std::ranges::all_of(asked_, &symbols::AskedPattern::met)) {
        return true;
    }
    std::vector<symbols::AskedPattern> there = asked_;
    const std::vector<symbols::MethodList> read =
        folder_.empty() ? std::vector<symbols::MethodList>()
                        : symbols::look_for(there, symbols::assemblies_in(folder_));
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

bool AskedOutcome::tell_refused() const {
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
