// SPDX-License-Identifier: MIT
#include "src/collector/sampling/sample_figures.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "src/collector/live/first_rows.h"

namespace umbra::collector {

std::string SampleFigures::name_of(uint32_t function, std::string& module) {
    if (function == protocol::kNativeFrames || function == protocol::kCutFrames) {
        return function == protocol::kNativeFrames ? "(native)" : "(cut)";
    }
    // Numbers come from the target; only what has been named is looked up by it.
    if (session_.names().function(function) == nullptr) {
        return "function " + std::to_string(function) + " (name unknown)";
    }
    const LiveNames::Name& name = names_.name(function);
    module = name.module;
    return name.name;
}

void SampleFigures::step(const std::string& ended) {
    using protocol::LiveRow;
    auto figures = std::make_shared<protocol::LiveFigures>(session_.facts());
    figures->ended = ended;
    figures->window_ns =
        newest_ == nullptr ? 0 : figures->time_ns - std::min(newest_->time_ns, figures->time_ns);
    std::map<std::pair<std::string, std::string>, LiveRow> rows;
    for (const SampleSession::FunctionSums& sums : session_.function_sums()) {
        if (sums.samples == 0) {
            continue;
        }
        std::string module;
        std::string name = name_of(sums.function, module);
        LiveRow& row = rows[{module, name}];
        row.name = std::move(name);
        row.module = std::move(module);
        row.calls += sums.samples;
        row.self_ns += sums.wall_ns;
        row.cpu_ns += sums.cpu_ns;
        Previous& previous = previous_[sums.function];
        if (newest_ != nullptr) {
            row.recent_calls += sums.samples - previous.samples;
            row.recent_busy_ns += sums.cpu_ns - previous.cpu_ns;
        }
        previous = {.samples = sums.samples, .cpu_ns = sums.cpu_ns};
    }
    std::vector<LiveRow> all;
    for (auto& [key, row] : rows) {
        figures->calls += row.calls;
        figures->recent_calls += row.recent_calls;
        figures->self_ns += row.self_ns;
        figures->cpu_ns += row.cpu_ns;
        figures->recent_busy_ns += row.recent_busy_ns;
        all.push_back(std::move(row));
    }
    figures->recent_events = figures->recent_calls;
    figures->functions = static_cast<uint32_t>(all.size());
    for (const uint32_t index : first_rows(all, {&LiveRow::recent_busy_ns, &LiveRow::self_ns,
                                                 &LiveRow::cpu_ns, &LiveRow::calls})) {
        figures->rows.push_back(std::move(all[index]));
    }
    newest_ = std::move(figures);
}

}  // namespace umbra::collector
