// SPDX-License-Identifier: MIT
#include "src/cli/text/caveats.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "src/cli/terminal/text.h"
#include "src/profile/filter.h"

namespace umbra::cli {
namespace {

using profile::Function;
using profile::Profile;
using profile::Row;

/// What a stack of a megabyte, the smallest in use, does not overflow by at whatever frames.
constexpr uint64_t kDeep = 2'000;

/// Neither did it end by itself nor is it running.
bool died(const profile::Session& session) {
    return session.ended.starts_with("signal ") || session.ended == "ended without shutdown";
}

/// Calls of each thread that had not ended.
std::vector<uint64_t> depths(const Profile& profile) {
    std::vector<uint64_t> depths(profile.threads.size());
    for (const profile::ThreadFunction& row : profile.thread_functions) {
        depths[row.thread] += row.times.unfinished;
    }
    return depths;
}

}  // namespace

Fact lock_caveat(const Profile& profile) {
    Fact fact = {"locks", {}, kYellow};
    if (profile.session.probes.kind != "il") {
        return fact;
    }
    const auto methods = std::ranges::count_if(profile.functions, [](const Function& function) {
        return function.synchronized && function.times.calls > 0;
    });
    if (methods > 0) {
        fact.parts.push_back(fmt::format(
            "waiting for the lock of {} is in the callers' time",
            count(static_cast<uint64_t>(methods), "synchronized method", "synchronized methods")));
    }
    return fact;
}

Fact stack_caveat(const Profile& profile) {
    Fact fact = {"stack", {}, kYellow};
    const std::vector<uint64_t> of_threads = depths(profile);
    const auto deepest = std::ranges::max_element(of_threads);
    if (!died(profile.session) || deepest == of_threads.end() || *deepest < kDeep) {
        return fact;
    }
    const auto thread = static_cast<Row>(deepest - of_threads.begin());
    fact.parts.push_back(fmt::format("{} was {} deep in timed methods at the end",
                                     one_line(profile::thread_label(profile.threads[thread])),
                                     count(*deepest, "call", "calls")));
    fact.parts.push_back(
        fmt::format("umbra takes {} bytes of stack a call",
                    profile.session.probes.kind == "il" ? "16 to 48" : "up to 16"));
    fact.parts.emplace_back("docs/troubleshooting.md says how to give it more");
    return fact;
}

}  // namespace umbra::cli
