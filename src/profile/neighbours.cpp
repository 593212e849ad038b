// SPDX-License-Identifier: MIT
#include "src/profile/neighbours.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "src/profile/call_sums.h"
#include "src/profile/probe_doubt.h"
#include "src/profile/tree_walk.h"

namespace umbra::profile {
namespace {

constexpr std::size_t kCandidatesNamed = 8;

/// Calls from one method, or from outside, to another.
struct Pair {
    CallTimes times;
    CallTimes every;
    uint32_t on_path = 0;
};

class Looking {
  public:
    Looking(const Profile& profile, const std::vector<Row>& functions, Direction direction,
            const View& view)
        : profile_(profile),
          tree_(profile.calltree),
          methods_(methods(profile, view.fold)),
          callers_(direction == Direction::kCallers),
          of_method_(profile.functions.size(), false),
          threads_(taken_threads(profile, view.filter)) {
        for (const Row row : functions) {
            of_method_[row] = true;
        }
    }

    /// By method; kNone: outside.
    std::map<Row, Pair> run() {
        if (is_folded(profile_.session) && std::ranges::all_of(threads_, std::identity())) {
            for (const Edge& edge : profile_.edges) {
                add(edge);
            }
            return std::move(pairs_);
        }
        const TreeLinks links(tree_);
        for (Row root = links.first_root(); root != kNone; root = links.next_sibling(root)) {
            if (takes(threads_, tree_[root])) {
                walk_below(
                    tree_, links, root, [this](Row row) { return step(row, true); },
                    [this](Row row) { step(row, false); });
            }
        }
        return std::move(pairs_);
    }

  private:
    [[nodiscard]] Row caller_of(Row row) const {
        const Row parent = tree_[row].parent;
        return parent == kNone ? kNone : tree_[parent].function;
    }

    Pair& pair_with(Row function) {
        return pairs_[function == kNone ? kNone : methods_.method_of[function]];
    }

    /// A method that goes on within the call that started it.
    [[nodiscard]] bool continues(Row caller, Row callee) const {
        return methods_.piece[callee] && !methods_.piece[caller];
    }

    void add(const Edge& edge) {
        const bool to = of_method_[edge.callee];
        const bool from = edge.caller != kNone && of_method_[edge.caller];
        if (!(callers_ ? to : from) || (to && from && continues(edge.caller, edge.callee))) {
            return;
        }
        Pair& pair = pair_with(callers_ ? edge.caller : edge.callee);
        add_own(pair.times, edge.times, methods_.counts_calls[edge.callee]);
        add_extremes(pair.times, edge.times);
        add_inclusive(pair.times, edge.times);
        add_inclusive(pair.every, edge.times);
    }

    bool step(Row row, bool entering) {
        const CallNode& node = tree_[row];
        const Row parent = caller_of(row);
        const bool to = of_method_[node.function];
        const bool from = parent != kNone && of_method_[parent];
        if (!(callers_ ? to : from)) {
            return true;
        }
        if (to && from && continues(parent, node.function)) {
            if (callers_ && entering) {
                add_own(pair_with(caller_of(node.parent)).times, node.times, false);
            }
            return true;
        }
        Pair& pair = pair_with(callers_ ? parent : node.function);
        if (!entering) {
            --pair.on_path;
            return true;
        }
        add_own(pair.times, node.times, methods_.counts_calls[node.function]);
        add_extremes(pair.times, node.times);
        add_inclusive(pair.every, node.times);
        if (pair.on_path++ == 0) {
            add_inclusive(pair.times, node.times);
        }
        return true;
    }

    const Profile& profile_;
    const std::vector<CallNode>& tree_;
    Methods methods_;
    bool callers_;
    std::vector<bool> of_method_;  ///< by row of functions
    std::vector<bool> threads_;
    std::map<Row, Pair> pairs_;
};

HotFunction row_of(const Profile& profile, Row method, const Pair& pair, const View& view) {
    if (method != kNone) {
        return method_row(profile, method, pair.times, pair.every, view);
    }
    HotFunction hot;
    hot.name = "(outside)";
    set_times(hot, pair.times, pair.every, view, probe_part(profile.session));
    return hot;
}

struct Candidate {
    std::string_view module;
    const Function* function;
};

bool names(const Candidate& candidate, std::string_view module, std::string_view wanted) {
    return (module.empty() || module == candidate.module) &&
           (wanted == candidate.function->name || wanted == qualified_name(*candidate.function));
}

bool has_part(const Candidate& candidate, std::string_view module, std::string_view wanted) {
    return (module.empty() || module == candidate.module) &&
           candidate.function->name.find(wanted) != std::string::npos;
}

/// Distinct ones only: a method may have been compiled more than once.
std::string candidates_text(const std::vector<Candidate>& found) {
    const bool one_name = std::ranges::all_of(found, [&](const Candidate& candidate) {
        return candidate.function->name == found[0].function->name;
    });
    std::vector<std::string> texts;
    texts.reserve(found.size());
    for (const Candidate& candidate : found) {
        texts.push_back(one_name ? fmt::format("{}!{}", candidate.module, candidate.function->name)
                                 : candidate.function->name);
    }
    std::ranges::sort(texts);
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    const std::size_t all = texts.size();
    texts.resize(std::min(all, kCandidatesNamed));
    std::string text = fmt::format("{}", fmt::join(texts, "; "));
    return all > texts.size() ? fmt::format("{}; and {} more", text, all - texts.size()) : text;
}

}  // namespace

Result<std::vector<Row>> find_method(const Profile& profile, std::string_view wanted, bool fold) {
    const Methods all = methods(profile, fold);
    std::string_view module;
    std::string_view name = wanted;
    if (const std::size_t bang = wanted.find('!'); bang != std::string_view::npos) {
        module = wanted.substr(0, bang);
        name = wanted.substr(bang + 1);
    }
    std::vector<Candidate> candidates;
    for (Row row = 0; row < profile.functions.size(); ++row) {
        const Function& function = profile.functions[row];
        if (was_seen(function.times)) {
            candidates.push_back({module_name(profile, function), &function});
        }
    }
    for (const auto& fits : {names, has_part}) {
        std::vector<Candidate> found;
        std::ranges::copy_if(candidates, std::back_inserter(found),
                             [&](const Candidate& one) { return fits(one, module, name); });
        if (found.empty()) {
            continue;
        }
        const bool same = std::ranges::all_of(found, [&](const Candidate& one) {
            return one.function->name == found[0].function->name && one.module == found[0].module;
        });
        if (!same) {
            return fail(ErrorCode::kNotFound, fmt::format("'{}' fits more than one method: {}",
                                                          wanted, candidates_text(found)));
        }
        std::vector<Row> rows;
        for (Row row = 0; row < profile.functions.size(); ++row) {
            const Function& function = profile.functions[row];
            if (function.name == found[0].function->name &&
                module_name(profile, function) == found[0].module) {
                rows.push_back(row);
            }
        }
        return rows;
    }
    std::vector<bool> meant;
    for (const Function& function : profile.functions) {
        meant.push_back(function.name.find(name) != std::string::npos ||
                        qualified_raw_name(function).find(name) != std::string::npos);
    }
    std::string trivial = trivial_among(profile, meant);
    if (!trivial.empty()) {
        return fail(ErrorCode::kNotFound, std::move(trivial));
    }
    return fail(
        ErrorCode::kNotFound,
        fmt::format("no method that was called has '{}' in its name; --json lists all names",
                    wanted));
}

Neighbours neighbours(const Profile& profile, const std::vector<Row>& functions,
                      Direction direction, const View& view) {
    Neighbours result;
    result.direction = direction;
    View of_method = view;
    of_method.top = profile.functions.size();
    of_method.by = GroupBy::kFunction;
    of_method.before_start = true;
    of_method.filter = {};
    of_method.filter.threads = view.filter.threads;
    for (HotFunction& hot : hot_list(profile, of_method).functions) {
        const auto row = static_cast<Row>(hot.function - profile.functions.data());
        if (std::ranges::find(functions, row) != functions.end()) {
            result.method = std::move(hot);
            break;
        }
    }
    const std::vector<bool> taken = taken_functions(profile, view.filter);
    std::vector<HotFunction> rows;
    for (const auto& [method, pair] : Looking(profile, functions, direction, view).run()) {
        if (method == kNone ? view.filter.include.empty() : taken[method]) {
            rows.push_back(row_of(profile, method, pair, view));
        }
    }
    const auto whole = static_cast<double>(result.method.times.total_ns);
    result.list = ranked(std::move(rows), view, [&](const HotFunction& hot) {
        return whole > 0 ? 100 * static_cast<double>(hot.times.total_ns) / whole : 0;
    });
    return result;
}

}  // namespace umbra::profile
