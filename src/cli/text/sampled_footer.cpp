// SPDX-License-Identifier: MIT
#include "src/cli/text/sampled_footer.h"

#include <fmt/format.h>

#include "src/cli/terminal/text.h"

namespace umbra::cli {
namespace {

using profile::Session;

// A round that stops the program for longer than this is worth a warning.
constexpr uint64_t kLongStopNs = 10'000'000;

double seconds(uint64_t ns) {
    return static_cast<double>(ns) * 1e-9;
}

Fact samples(const Session& session) {
    const double rate = session.wall_ns > 0 ? static_cast<double>(session.sampling.rounds) /
                                                  seconds(session.wall_ns)
                                            : 0;
    Fact fact = {"samples",
                 {fmt::format("{} in {}", count(session.counts.events),
                              count(session.sampling.rounds, "round", "rounds")),
                  fmt::format("{:.3g} rounds a second of {:.4g} asked for", rate,
                              session.sampling.rate_hz)}};
    if (session.sampling.missed_rounds > 0) {
        fact.parts.push_back(
            count(session.sampling.missed_rounds, "round", "rounds") +
            " not taken (the runtime was stopping its threads itself): the next one has its time");
    }
    return fact;
}

Fact stops(const Session& session) {
    const double percent = session.wall_ns > 0
                               ? 100 * static_cast<double>(session.sampling.suspended_ns) /
                                     static_cast<double>(session.wall_ns)
                               : 0;
    Fact fact = {"stopped",
                 {fmt::format("{:.2g}% of the time for the samples", percent),
                  fmt::format("median {} a round", duration(session.sampling.median_suspension_ns)),
                  fmt::format("worst {}", duration(session.sampling.worst_suspension_ns))}};
    fact.colour = session.sampling.worst_suspension_ns > kLongStopNs ? kYellow : std::string_view();
    return fact;
}

Fact left_out_of_samples(const Session& session) {
    Fact fact = {"left out", {}};
    if (session.sampling.unattributed_cpu_ns > 0) {
        fact.parts.push_back(duration(session.sampling.unattributed_cpu_ns) +
                             " of CPU time of threads that no later sample found running");
    }
    if (session.sampling.threads_without_frames > 0) {
        fact.parts.push_back(count(session.sampling.threads_without_frames, "thread", "threads") +
                             " without managed frames");
    }
    if (session.sampling.outside > 0) {
        fact.parts.push_back(count(session.sampling.outside, "sample", "samples") +
                             " of threads that waited outside managed code");
    }
    return fact;
}

Fact sampled_processors(const Session& session) {
    Fact fact = {"cpu",
                 {fmt::format("{} on a processor in managed threads", duration(session.cpu.on_ns)),
                  fmt::format("{} off", duration(session.cpu.off_ns))}};
    if (session.cpu.process_ns > 0) {
        fact.parts.push_back(
            fmt::format("{} by the whole process", duration(session.cpu.process_ns)));
    }
    fact.parts.push_back(
        fmt::format("{} more by the sampler itself", duration(session.sampling.sampler_cpu_ns)));
    return fact;
}

}  // namespace

std::vector<Fact> sampled_facts(const Session& session) {
    return {{"mode", {"sampled: times are estimates from samples", "calls are not counted"}},
            samples(session),
            stops(session),
            sampled_processors(session),
            left_out_of_samples(session)};
}

}  // namespace umbra::cli
