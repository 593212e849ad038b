// SPDX-License-Identifier: MIT
#include "src/profile/names/tell_apart.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/base/name_marks.h"
#include "src/profile/methods.h"
#include "src/profile/names/name_parts.h"
#include "src/profile/names/seen_text.h"

namespace umbra::profile {
namespace {

std::string mark_of(const std::vector<std::string>& parts) {
    std::string mark;
    for (const std::string& part : parts) {
        mark += (mark.empty() ? " [" : ", ") + part;
    }
    return mark.empty() ? mark : mark + ']';
}

/// Whether `starter` starts `body`: C# and Visual Basic name the types of bodies after it; what the
/// runtime suspends is the same method.
bool is_body_of(const Function& body, const Function& starter) {
    if (body.runtime_async) {
        return starter.token == body.token;
    }
    const std::string_view type =
        std::string_view(body.raw_name).substr(body.raw_name.rfind('/') + 1);  // npos + 1 is 0
    const auto parts = bracketed(type);
    if (!parts) {
        return false;
    }
    std::string method(parts->inside);
    std::ranges::replace(method, '-', '.');  // of explicit implementations
    return starter.raw_name.ends_with('.' + method);
}

/// A task, by its name in C#.
bool is_task(std::string_view type) {
    type = type.substr(0, type.find('<'));
    return type == "Task" || type == "ValueTask";
}

/// Functions of one name.
class Clash {
  public:
    Clash(Profile& profile, std::span<const Row> rows) : profile_(profile), rows_(rows) {}

    void resolve() {
        for (std::size_t begin = 0; begin < rows_.size();) {
            std::size_t end = begin;
            while (end < rows_.size() && module(rows_[end]) == module(rows_[begin])) {
                ++end;
            }
            tell_apart_in_module(rows_.subspan(begin, end - begin));
            modules_.push_back(module(rows_[begin]));
            begin = end;
        }
        if (modules_.size() < 2) {
            return;
        }
        for (const Row row : rows_) {
            Function& one = function(row);
            if (is_before_start(one)) {
                continue;  // it is known by its name
            }
            one.module_mark = module_mark(one.module);
            one.name += one.module_mark;
        }
    }

  private:
    [[nodiscard]] Function& function(Row row) const { return profile_.functions[row]; }
    [[nodiscard]] Row module(Row row) const { return function(row).module; }

    /// They come in the order of their tokens, bodies last.
    void tell_apart_in_module(std::span<const Row> rows) {
        const auto bodies =
            std::ranges::find_if(rows, [&](Row row) { return is_piece(function(row)); });
        const std::span<const Row> starters(rows.begin(), bodies);
        const std::span<const Row> others(bodies, rows.end());
        if (starters.empty()) {
            number(others);
            return;
        }
        number(starters);
        std::map<Row, std::vector<Row>> bodies_of;
        for (const Row row : others) {
            const auto starter = std::ranges::find_if(
                starters, [&](Row one) { return is_body_of(function(row), function(one)); });
            bodies_of[starter == starters.end() ? starters.front() : *starter].push_back(row);
        }
        for (const auto& [starter, of] : bodies_of) {
            for (std::size_t i = 0; i < of.size(); ++i) {
                function(of[i]).name = function(starter).name + std::string(kBodyMark) +
                                       (of.size() > 1 ? " #" + std::to_string(i + 1) : "") + ']';
            }
        }
    }

    /// Those of one module, all of them bodies or none.
    void number(std::span<const Row> all) {
        std::vector<Row> rows;
        std::vector<std::pair<Row, std::size_t>> variants;  // with the place of their method
        for (const Row row : all) {
            if (!rows.empty() && is_variant_of(row, rows.back())) {
                variants.emplace_back(row, rows.size() - 1);
            } else {
                rows.push_back(row);
            }
        }
        mark(rows);
        std::map<std::size_t, std::size_t> number;
        for (const auto& [row, method] : variants) {
            const std::size_t next = ++number[method];
            function(row).name = function(rows[method]).name + std::string(kVariantMark) +
                                 (next > 1 ? " #" + std::to_string(next) : "") + ']';
        }
    }

    /// From .NET 11 on a method that returns a task and is not async has a second function, which
    /// methods that the runtime suspends call.
    [[nodiscard]] bool is_variant_of(Row row, Row other) const {
        const Function& one = function(row);
        return one.token != 0 && one.token == function(other).token &&
               one.return_type == function(other).return_type && is_task(one.return_type) &&
               !is_piece(one);
    }

    void mark(std::span<const Row> rows) {
        std::map<std::string, std::size_t> returned;
        for (const Row row : rows) {
            ++returned[function(row).return_type];
        }
        std::map<std::string, std::size_t> number;
        for (const Row row : rows) {
            const std::string& type = function(row).return_type;
            std::vector<std::string> parts;
            if (returned.size() > 1 && !type.empty()) {
                parts.push_back("returns " + type);
            }
            ++number[type];
            if (returned[type] > 1 && !is_before_start(function(row))) {
                parts.push_back('#' + std::to_string(number[type]));
            }
            function(row).name += mark_of(parts);
        }
    }

    [[nodiscard]] std::string_view name_of(Row module) const {
        return module == kNone ? "no module" : std::string_view(profile_.modules[module].name);
    }
    [[nodiscard]] Row runtime_of(Row module) const {
        return module == kNone ? kNone : profile_.modules[module].runtime;
    }

    [[nodiscard]] std::string module_mark(Row module) const {
        bool other_name = false;
        bool other_runtime = false;
        bool other_copy = false;
        for (const Row other : modules_) {
            const bool name = name_of(other) != name_of(module);
            const bool runtime = runtime_of(other) != runtime_of(module);
            other_name = other_name || name;
            other_runtime = other_runtime || (!name && runtime);
            other_copy = other_copy || (!name && !runtime && other != module);
        }
        std::vector<std::string> parts;
        if (other_name) {
            parts.emplace_back(name_of(module));
        }
        if (const std::string label = runtime_label(profile_, runtime_of(module));
            other_runtime && !label.empty()) {
            parts.push_back(label);
        }
        if (other_copy) {
            parts.push_back("copy " + std::to_string(copy_number(module)));
        }
        return mark_of(parts);
    }

    [[nodiscard]] std::size_t copy_number(Row module) const {
        std::size_t number = 1;
        for (Row before = 0; before < module && before < profile_.modules.size(); ++before) {
            number += name_of(before) == name_of(module) && runtime_of(before) == runtime_of(module)
                          ? 1U
                          : 0U;
        }
        return number;
    }

    Profile& profile_;
    std::span<const Row> rows_;
    std::vector<Row> modules_;
};

}  // namespace

void tell_apart(Profile& profile) {
    std::vector<Function>& functions = profile.functions;
    std::unordered_map<std::string_view, std::vector<Row>> named;
    named.reserve(functions.size());
    // The names change under way, so what is one is looked for first.
    std::vector<std::vector<Row>*> clashes;
    for (Row row = 0; row < functions.size(); ++row) {
        std::vector<Row>& rows = named[functions[row].name];
        rows.push_back(row);
        if (rows.size() == 2) {
            clashes.push_back(&rows);
        }
    }
    for (std::vector<Row>* clash : clashes) {
        std::ranges::sort(*clash, {}, [&](Row row) {
            const Function& one = functions[row];
            return std::tuple(one.module, is_piece(one), one.token, row);
        });
        Clash(profile, *clash).resolve();
    }
    if (clashes.empty()) {
        return;
    }
    // Names of a hostile process may look as if they had been told apart.
    std::unordered_set<std::string> taken;
    for (Function& function : functions) {
        const std::string name = function.name;
        for (std::size_t number = 2; !taken.insert(function.name).second; ++number) {
            function.name = name + " [#" + std::to_string(number) + ']';
        }
    }
}

void settle_names(Profile& profile) {
    const auto settle = [](std::string& text) { text = seen_text(text); };
    for (Module& module : profile.modules) {
        settle(module.name);
    }
    for (Thread& thread : profile.threads) {
        settle(thread.name);
    }
    for (ExceptionCount& exception : profile.exceptions) {
        settle(exception.type);
    }
    for (Argument& argument : profile.arguments) {
        settle(argument.name);
        settle(argument.type);
    }
    tell_apart(profile);
}

}  // namespace umbra::profile
