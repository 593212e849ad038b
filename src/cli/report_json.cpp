// SPDX-License-Identifier: MIT
// The report as JSON, for scripts.
#include "src/cli/report_json.h"

#include <nlohmann/json.hpp>

#include "src/cli/losses.h"

namespace umbra::cli {
namespace {

using Json = nlohmann::ordered_json;

Json summary(const profile::Profile& profile) {
    const profile::Session& session = profile.session;
    const profile::Sums sums = profile::sums(profile);
    Json lost = Json::object();
    for (const Loss& loss : losses(session)) {
        lost[std::string(loss.reason)] = loss.count;
    }
    return {
        {"complete", session.complete},
        {"ended", session.ended},
        {"lost_events", session.losses.events()},
        {"lost", lost},
        {"events", session.events},
        {"wall_ns", session.wall_ns},
        {"clock", session.clock},
        {"mode", session.mode},
        {"threads", profile.threads.size()},
        {"waits", session.waits},
        {"wait_ns", session.wait_ns},
        {"inlining", session.inlining},
        {"runtime", session.runtime},
        {"program", session.program},
        {"pid", session.pid},
        {"unfinished", sums.unfinished},
        {"repairs", sums.repairs},
        {"unmatched_leaves", sums.unmatched_leaves},
        {"decode_errors", sums.decode_errors},
        {"missed_hooks", session.missed_hooks},
    };
}

}  // namespace

std::string report_json(const profile::Profile& profile, const profile::HotList& list) {
    Json functions = Json::array();
    for (const profile::HotFunction& function : list.functions) {
        functions.push_back({
            {"name", function.name},
            {"module", function.module},
            {"calls", function.times.calls},
            {"unfinished", function.times.unfinished},
            {"wall_total_ns", function.times.total_ns},
            {"wall_self_ns", function.times.self_ns},
            {"wall_min_ns", function.times.min_ns},
            {"wall_max_ns", function.times.max_ns},
        });
    }
    const Json report = {{"summary", summary(profile)}, {"functions", functions}};
    return report.dump(2) + "\n";
}

}  // namespace umbra::cli
