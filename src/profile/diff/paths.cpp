// SPDX-License-Identifier: MIT
#include "src/profile/diff/paths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "src/base/name_marks.h"
#include "src/profile/methods.h"
#include "src/profile/report.h"

namespace umbra::profile {
namespace {

constexpr std::size_t kOutside = std::numeric_limits<std::size_t>::max();

std::string key_of(const std::string& name, const std::string& module) {
    return name + '\0' + module;
}

}  // namespace

std::size_t PathMerger::method_of(const Profile& profile, Row row) {
    const Function& function = profile.functions[row];
    const std::string module(module_name(profile, function));
    const std::string name = name_in_module(function.name, function.module_mark);
    const auto [found, is_new] = method_numbers_.try_emplace(key_of(name, module), methods_.size());
    if (is_new) {
        const bool framework =
            function.module < profile.modules.size() && profile.modules[function.module].framework;
        methods_.push_back({function, module, framework});
        methods_.back().function.name = name;
    }
    return found->second;
}

std::size_t PathMerger::node_of(std::size_t parent, std::size_t method) {
    // Fewer than 2^32 of either: each node is a row of some file.
    const uint64_t key = (static_cast<uint64_t>(parent + 1) << 32U) | method;
    const auto [found, is_new] = node_numbers_.try_emplace(key, nodes_.size());
    if (is_new) {
        nodes_.push_back({.parent = parent, .method = method});
    }
    return found->second;
}

void PathMerger::add(const Profile& profile, bool after) {
    const std::size_t side = after ? 1 : 0;
    ++runs_[side];
    const View view = {.pauses = pauses_};
    std::vector<std::size_t> methods;
    for (const Row method : profile::methods(profile, true).method_of) {
        methods.push_back(method_of(profile, method));
    }
    std::vector<std::size_t> nodes;
    nodes.reserve(profile.calltree.size());
    for (const CallNode& row : profile.calltree) {
        const std::size_t parent = row.parent == kNone ? kOutside : nodes[row.parent];
        nodes.push_back(node_of(parent, methods[row.function]));
        // What threads did before a capture began is no method's time.
        if (is_before_start(profile.functions[row.function])) {
            continue;
        }
        const CallTimes times = shown(row.times, view);
        Node& node = nodes_[nodes.back()];
        node.wall_ns[side] += static_cast<double>(times.self_ns);
        node.cpu_ns[side] += static_cast<double>(times.cpu.self_ns);
        node.calls[side] += static_cast<double>(times.calls);
    }
}

Profile PathMerger::take(const Diff& diff) && {
    Profile merged;
    std::map<std::string, Row> modules;
    std::vector<Row> row_of(methods_.size(), kNone);
    const auto add = [&](const std::string& name, const std::string& module) {
        Function& function = merged.functions.emplace_back();
        const auto known = method_numbers_.find(key_of(name, module));
        if (known != method_numbers_.end()) {
            function = methods_[known->second].function;
            row_of[known->second] = static_cast<Row>(merged.functions.size() - 1);
        }
        function.name = name;
        function.times = {};
        function.module = kNone;
        function.runtime = kNone;
        if (!module.empty()) {
            const auto [found, is_new] =
                modules.try_emplace(module, static_cast<Row>(merged.modules.size()));
            if (is_new) {
                const bool framework =
                    known != method_numbers_.end() && methods_[known->second].framework;
                merged.modules.push_back({module, "", framework});
            }
            function.module = found->second;
        }
    };
    for (const FunctionChange& change : diff.functions) {
        add(change.name, change.module);
        merged.functions.back().times = change.after;
    }
    // Callers that no report lists, and what a filter has left out.
    for (std::size_t method = 0; method < methods_.size(); ++method) {
        if (row_of[method] == kNone) {
            add(std::string(methods_[method].function.name), std::string(methods_[method].module));
        }
    }
    const auto mean = [&](const double(&sums)[2], std::size_t side) {
        const double runs = std::max(1.0, static_cast<double>(runs_[side]));
        return static_cast<uint64_t>(std::llround(std::clamp(sums[side] / runs, 0.0, 4e18)));
    };
    merged.calltree.reserve(nodes_.size());
    for (const Node& node : nodes_) {
        CallNode& made = merged.calltree.emplace_back();
        made.parent = node.parent == kOutside ? kNone : static_cast<Row>(node.parent);
        made.function = row_of[node.method];
        made.times.calls = mean(node.calls, 1);
        made.times.min_ns = mean(node.calls, 0);
        made.times.raw.self_ns = mean(node.wall_ns, 0);
        made.times.self_ns = made.times.raw.self_ns + mean(node.wall_ns, 1);
        made.times.paused.self_ns = mean(node.cpu_ns, 0);
        made.times.cpu.self_ns = mean(node.cpu_ns, 1);
    }
    return merged;
}

}  // namespace umbra::profile
