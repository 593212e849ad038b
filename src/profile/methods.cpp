// SPDX-License-Identifier: MIT
#include "src/profile/methods.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "src/base/command_line.h"
#include "src/base/name_marks.h"
#include "src/base/pattern_name.h"
#include "src/base/visual_basic.h"
#include "src/profile/call_sums.h"

namespace umbra::profile {
namespace {

/// `name` without "<int>"; brackets that begin a name, as compilers make them, are part of it.
std::string without_arguments(std::string_view name) {
    std::string out;
    int depth = 0;
    for (const char c : name) {
        const bool begins = out.empty() || out.back() == '.' || out.back() == ' ';
        if (c == '<' && (depth > 0 || !begins)) {
            ++depth;
        } else if (c == '>' && depth > 0) {
            --depth;
        } else if (depth == 0) {
            out += c;
        }
    }
    return depth == 0 ? out : std::string(name);
}

/// A function's row by its module and name.
struct NameHash {
    std::size_t operator()(const std::pair<Row, std::string_view>& name) const {
        return std::hash<std::string_view>()(name.second) ^ name.first;
    }
};
using FirstOfName = std::unordered_map<std::pair<Row, std::string_view>, Row, NameHash>;

bool is_operator(std::string_view method) {
    return method.starts_with("operator ") || method.find(" operator") != std::string_view::npos;
}

}  // namespace

bool is_piece(const Function& function) {
    if (function.runtime_async) {
        return true;
    }
    constexpr std::array<std::string_view, 2> kBodies = {".MoveNext", ".GenerateNext"};
    std::string_view raw = function.raw_name;
    const auto* const body = std::ranges::find_if(
        kBodies, [&](std::string_view suffix) { return raw.ends_with(suffix); });
    if (body == kBodies.end()) {
        return false;
    }
    raw.remove_suffix(body->size());
    const std::string_view type = raw.substr(raw.rfind('/') + 1);  // npos + 1 is 0
    return type.starts_with('<') || type.starts_with(kVisualBasicStateMachine) ||
           type.find('@') != std::string_view::npos;
}

std::string qualified_name(const Function& function) {
    std::string name;
    const std::string method =
        is_operator(function.method) ? function.method : without_arguments(function.method);
    for (const std::string& part :
         {function.namespace_, without_arguments(function.type), method}) {
        name += name.empty() || part.empty() ? "" : ".";
        name += part;
    }
    return name;
}

std::string qualified_raw_name(const Function& function) {
    std::string name = function.raw_name;
    std::replace(name.begin(), name.end(), '/', '.');
    return without_arity(without_arguments(name));
}

std::string_view module_name(const Profile& profile, const Function& function) {
    return function.module < profile.modules.size()
               ? std::string_view(profile.modules[function.module].name)
               : std::string_view();
}

std::string runtime_label(const Profile& profile, Row runtime) {
    if (profile.runtimes.size() < 2 || runtime >= profile.runtimes.size()) {
        return "";
    }
    const std::string& version = profile.runtimes[runtime].version;
    const bool once = std::ranges::count(profile.runtimes, version, &Runtime::version) == 1;
    return version.substr(version.rfind(' ') + 1) + (once ? "" : '#' + std::to_string(runtime + 1));
}

std::string module_label(const Profile& profile, Row module) {
    const std::string runtime = runtime_label(profile, profile.modules[module].runtime);
    return runtime + (runtime.empty() ? "" : "/") + profile.modules[module].name;
}

SourcePlace source_place(const Profile& profile, const Function& function) {
    if (!function.file.empty() && profile.runtimes.size() < 2) {
        return {function.file, function.line};
    }
    return {function.module == kNone ? "" : module_label(profile, function.module), 0};
}

Methods methods(const Profile& profile, bool fold) {
    const std::vector<Function>& functions = profile.functions;
    Methods methods;
    methods.fold = fold;
    methods.piece.assign(functions.size(), false);
    methods.counts_calls.assign(functions.size(), true);
    for (Row row = 0; row < functions.size(); ++row) {
        methods.method_of.push_back(row);
        methods.piece[row] = fold && is_piece(functions[row]);
    }
    if (!fold) {
        return methods;
    }
    FirstOfName first_of;  // a function that is no piece before one that is
    first_of.reserve(functions.size());
    for (Row row = 0; row < functions.size(); ++row) {
        if (!methods.piece[row]) {
            first_of.try_emplace({functions[row].module, functions[row].name}, row);
        }
    }
    std::deque<std::string> shorter;  // names that no function has: map keys point at them
    const auto without = [&](const std::string& name, std::string_view mark) -> std::string_view {
        return name.find(mark) == std::string::npos
                   ? name
                   : std::string_view(shorter.emplace_back(name_without(name, mark)));
    };
    for (Row row = 0; row < functions.size(); ++row) {
        const Function& function = functions[row];
        if (!methods.piece[row]) {
            const auto method =
                first_of.find({function.module, without(function.name, kVariantMark)});
            methods.method_of[row] = method == first_of.end() ? row : method->second;
            continue;
        }
        const auto [first, is_new] =
            first_of.try_emplace({function.module, without(function.name, kBodyMark)}, row);
        if (!is_new) {
            methods.method_of[row] = first->second;
            const bool started =
                !methods.piece[first->second] && was_seen(functions[first->second].times);
            methods.counts_calls[row] = !started || is_sampled(profile.session);
        }
    }
    return methods;
}

std::size_t trivial_methods(const Profile& profile) {
    std::set<std::pair<Row, uint32_t>> methods;
    for (const Function& function : profile.functions) {
        if (function.trivial) {
            methods.emplace(function.module, function.token);
        }
    }
    return methods.size();
}

std::string trivial_among(const Profile& profile, const std::vector<bool>& wanted) {
    constexpr std::size_t kShown = 3;
    std::vector<std::string> names;
    for (Row row = 0; row < profile.functions.size(); ++row) {
        if (profile.functions[row].trivial && wanted[row]) {
            std::string name = qualified_raw_name(profile.functions[row]);
            if (std::ranges::find(names, name) == names.end()) {
                names.push_back(std::move(name));
            }
        }
    }
    if (names.empty()) {
        return "";
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
        text += (i == 0 ? "" : ", ") + names[i];
    }
    if (names.size() > kShown) {
        text += " and " + std::to_string(names.size() - kShown) + " more";
    }
    return text +
           (names.size() == 1 ? " is trivial, so that its calls are part of its callers"
                              : " are trivial, so that their calls are part of their callers") +
           ": --trivial times all such methods, --include " + in_quotes(names.front()) +
           " this one";
}

}  // namespace umbra::profile
