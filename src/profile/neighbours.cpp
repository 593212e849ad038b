// SPDX-License-Identifier: MIT
#include "src/profile/neighbours.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/base/name_marks.h"
#include "src/base/nearest.h"
#include "src/base/source_name.h"
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
        std::map<Row, Pair> pairs = times_on_threads();
        if (methods_.fold && std::ranges::all_of(threads_, std::identity())) {
            set_logical_calls(pairs);
        }
        return pairs;
    }

  private:
    std::map<Row, Pair> times_on_threads() {
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

    /// Calls of async methods are those from begin to result, each by who made it.
    void set_logical_calls(std::map<Row, Pair>& pairs) const {
        std::vector<bool> is_async(profile_.functions.size(), false);
        for (const AsyncMethod& method : profile_.async_methods) {
            is_async[methods_.method_of[method.function]] = true;
        }
        const auto is_wanted = [&](Row method) { return method != kNone && of_method_[method]; };
        for (auto& [other, pair] : pairs) {
            const bool logical = other != kNone && is_async[other];
            if (callers_ ? of_async(is_async) : logical) {
                set_logical_times(pair.times, {});
                pair.every = pair.times;
            }
        }
        for (const auto& [ends, counts] : logical_edges(profile_, methods_)) {
            if (is_wanted(callers_ ? ends.second : ends.first)) {
                Pair& pair = pairs[callers_ ? ends.first : ends.second];
                set_logical_times(pair.times, counts);
                pair.every = pair.times;
            }
        }
    }

    [[nodiscard]] bool of_async(const std::vector<bool>& is_async) const {
        for (Row row = 0; row < is_async.size(); ++row) {
            if (is_async[row] && of_method_[row]) {
                return true;
            }
        }
        return false;
    }

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

/// A function, and the method it is shown with.
struct Candidate {
    Row function = kNone;
    const std::string* name = nullptr;  ///< the method's
};

/// What a user may mean.
class Search {
  public:
    Search(const Profile& profile, std::string_view wanted, bool fold)
        : profile_(profile), wanted_(wanted), name_(wanted), methods_(methods(profile, fold)) {
        if (const std::size_t bang = wanted.find('!'); bang != std::string_view::npos) {
            module_ = wanted.substr(0, bang);
            name_ = wanted.substr(bang + 1);
        }
        for (Row row = 0; row < profile.functions.size(); ++row) {
            (was_seen(profile.functions[row].times) ? called_ : uncalled_)
                .push_back({row, &profile.functions[methods_.method_of[row]].name});
        }
    }

    Result<std::vector<MethodRows>> run() {
        // What is more precise comes first. A name that nobody has called means no other one.
        for (const Fits& precise :
             {Fits{&Search::is_name, &Search::is_name_in_module, &Search::is_plain_name},
              Fits{&Search::is_written_name, &Search::ends_so}}) {
            if (const auto found = first_of(called_, precise); !found.empty()) {
                return methods_in(found);
            }
            if (const auto found = first_of(uncalled_, precise); !found.empty()) {
                return not_called(found);
            }
        }
        auto found = first_of(called_, {&Search::has_part, &Search::has_part_in_any_case});
        if (found.empty()) {
            found = of_pattern();
        }
        if (!found.empty()) {
            return methods_in(found);
        }
        if (std::string trivial = trivial_among(profile_, meant()); !trivial.empty()) {
            return fail(ErrorCode::kNotFound, std::move(trivial));
        }
        const std::vector<std::string> near = nearest_methods(profile_, std::string(wanted_));
        return fail(ErrorCode::kNotFound,
                    fmt::format("no method that was called has '{}' in its name; {}", wanted_,
                                near.empty() ? "--json lists all names"
                                             : fmt::format("nearest: {}", fmt::join(near, ", "))));
    }

  private:
    using Fits = std::vector<bool (Search::*)(const Candidate&) const>;

    /// Those that fit in the first way in which any does.
    [[nodiscard]] std::vector<Candidate> first_of(const std::vector<Candidate>& all,
                                                  const Fits& ways) const {
        std::vector<Candidate> found;
        for (const auto fits : ways) {
            std::ranges::copy_if(all, std::back_inserter(found),
                                 [&](const Candidate& one) { return (this->*fits)(one); });
            if (!found.empty()) {
                break;
            }
        }
        return found;
    }
    [[nodiscard]] bool is_name(const Candidate& one) const { return wanted_ == *one.name; }
    [[nodiscard]] bool in_module(const Candidate& one) const {
        return module_.empty() ||
               module_ == module_name(profile_, profile_.functions[one.function]);
    }
    [[nodiscard]] bool is_name_in_module(const Candidate& one) const {
        return in_module(one) && name_ == *one.name;
    }
    [[nodiscard]] bool is_plain_name(const Candidate& one) const {
        return in_module(one) && (name_ == plain_name(*one.name) ||
                                  name_ == qualified_name(profile_.functions[one.function]));
    }
    /// By its name in metadata, or as another report shows it.
    [[nodiscard]] bool is_written_name(const Candidate& one) const {
        const Function& function = profile_.functions[one.function];
        return in_module(one) && (name_ == qualified_raw_name(function) ||
                                  written_name(name_) == written_name(qualified_name(function)));
    }
    /// Whole words, from a dot on: "RateOf", "TaxTable.RateOf".
    [[nodiscard]] bool ends_so(const Candidate& one) const {
        const std::string end = "." + std::string(name_);
        return in_module(one) &&
               (plain_name(*one.name).ends_with(end) ||
                written_name(qualified_name(profile_.functions[one.function])).ends_with(end));
    }
    [[nodiscard]] bool has_part_in_any_case(const Candidate& one) const {
        return in_module(one) && lower_case(*one.name).find(lower_case(name_)) != std::string::npos;
    }
    [[nodiscard]] bool has_part(const Candidate& one) const {
        return in_module(one) && one.name->find(name_) != std::string::npos;
    }

    /// What fits as with --include.
    [[nodiscard]] std::vector<Candidate> of_pattern() const {
        const std::vector<bool> taken = NamePattern(std::string(wanted_)).taken(profile_);
        std::vector<Candidate> found;
        std::ranges::copy_if(called_, std::back_inserter(found),
                             [&](const Candidate& one) { return taken[one.function]; });
        return found;
    }

    /// Why there is no row of any of them.
    [[nodiscard]] Result<std::vector<MethodRows>> not_called(
        const std::vector<Candidate>& found) const {
        std::vector<bool> wanted(profile_.functions.size(), false);
        std::string inlined;  // into what the first of them was that was inlined
        for (const Candidate& one : found) {
            wanted[one.function] = true;
            const std::string& into = profile_.functions[one.function].inlined_into;
            if (inlined.empty() && !into.empty()) {
                inlined = "; it was inlined into " + into;
            }
        }
        std::string why = trivial_among(profile_, wanted);
        return fail(ErrorCode::kNotFound,
                    !why.empty() ? std::move(why)
                                 : fmt::format("no call of '{}' was timed in this profile{}",
                                               wanted_, inlined));
    }
    /// By function: whether its name has the wanted one in it, called or not.
    [[nodiscard]] std::vector<bool> meant() const {
        std::vector<bool> meant;
        for (const Function& function : profile_.functions) {
            meant.push_back(function.name.find(name_) != std::string::npos ||
                            qualified_raw_name(function).find(name_) != std::string::npos);
        }
        return meant;
    }

    /// Whether all are told apart by their marks alone.
    static bool one_plain_name(const std::vector<Candidate>& found) {
        const std::string_view plain = plain_name(*found[0].name);
        return std::ranges::all_of(
            found, [&](const Candidate& one) { return plain_name(*one.name) == plain; });
    }

    [[nodiscard]] Result<std::vector<MethodRows>> methods_in(
        const std::vector<Candidate>& found) const {
        return one_plain_name(found) ? rows_of(found) : ambiguous(found);
    }

    [[nodiscard]] std::vector<MethodRows> rows_of(const std::vector<Candidate>& found) const {
        std::map<Row, MethodRows> by_method;
        for (const Candidate& one : found) {
            by_method[methods_.method_of[one.function]];
        }
        for (Row row = 0; row < profile_.functions.size(); ++row) {
            const auto method = by_method.find(methods_.method_of[row]);
            if (method != by_method.end()) {
                method->second.push_back(row);
            }
        }
        std::vector<MethodRows> rows;
        rows.reserve(by_method.size());
        for (auto& [method, functions] : by_method) {
            rows.push_back(std::move(functions));
        }
        return rows;
    }

    [[nodiscard]] Result<std::vector<MethodRows>> ambiguous(
        const std::vector<Candidate>& found) const {
        std::vector<std::string_view> texts;
        texts.reserve(found.size());
        for (const Candidate& one : found) {
            texts.emplace_back(*one.name);
        }
        std::ranges::sort(texts);
        texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
        const std::size_t all = texts.size();
        texts.resize(std::min(all, kCandidatesNamed));
        return fail(
            ErrorCode::kNotFound,
            fmt::format(
                "'{}' fits more than one method: {}{}", wanted_, fmt::join(texts, "; "),
                all > texts.size() ? fmt::format("; and {} more", all - texts.size()) : ""));
    }

    const Profile& profile_;
    std::string_view wanted_;
    std::string_view module_;
    std::string_view name_;
    Methods methods_;
    std::vector<Candidate> called_;
    std::vector<Candidate> uncalled_;
};

}  // namespace

Result<std::vector<MethodRows>> find_methods(const Profile& profile, std::string_view wanted,
                                             bool fold) {
    return Search(profile, wanted, fold).run();
}

std::map<std::pair<Row, Row>, AsyncCounts> logical_edges(const Profile& profile,
                                                         const Methods& methods) {
    std::map<std::pair<Row, Row>, AsyncCounts> edges;
    for (const AsyncNode& node : profile.async_tree) {
        if (node.function == kNone) {
            continue;
        }
        const Row above = node.parent == kNone ? kNone : profile.async_tree[node.parent].function;
        const Row caller = node.caller != kNone ? node.caller : above;
        AsyncCounts& sum = edges[{caller == kNone ? kNone : methods.method_of[caller],
                                  methods.method_of[node.function]}];
        sum.calls += node.counts.calls;
        sum.open += node.counts.open;
        sum.times.wall_ns += node.counts.times.wall_ns;
    }
    return edges;
}

std::vector<Neighbours> neighbours(const Profile& profile, const std::vector<MethodRows>& of,
                                   Direction direction, const View& view) {
    View of_methods = view;
    of_methods.top = profile.functions.size();
    of_methods.by = GroupBy::kFunction;
    of_methods.before_start = true;
    of_methods.filter = {};
    of_methods.filter.threads = view.filter.threads;
    std::map<Row, HotFunction> heads;
    for (HotFunction& hot : hot_list(profile, of_methods).functions) {
        const auto row = static_cast<Row>(hot.function - profile.functions.data());
        heads.emplace(row, std::move(hot));
    }
    const std::vector<bool> taken = taken_functions(profile, view.filter);
    std::vector<Neighbours> all;
    for (const MethodRows& functions : of) {
        Neighbours& one = all.emplace_back();
        one.direction = direction;
        for (const Row function : functions) {
            if (const auto head = heads.find(function); head != heads.end()) {
                one.method = std::move(head->second);
                break;
            }
        }
        std::vector<HotFunction> rows;
        for (const auto& [method, pair] : Looking(profile, functions, direction, view).run()) {
            if (method == kNone ? view.filter.include.empty() : taken[method]) {
                rows.push_back(row_of(profile, method, pair, view));
            }
        }
        const auto whole = static_cast<double>(one.method.times.total_ns);
        one.list = ranked(std::move(rows), view, [&](const HotFunction& hot) {
            // Each time loses the cost of its own probes, and none falls below 0.
            return whole > 0
                       ? std::min(100 * static_cast<double>(hot.times.total_ns) / whole, 100.0)
                       : 0;
        });
    }
    return all;
}

}  // namespace umbra::profile
