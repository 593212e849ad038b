// SPDX-License-Identifier: MIT
// RecordingSpec: how calls are recorded, as the command line says it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/base/slowest_request.h"
#include "src/collector/cpu/cpu_source.h"
#include "src/protocol/messages.h"
#include "src/replay/tree/limits.h"

namespace umbra::collector {

/// Parsed once. Whatever records holds it by reference (the server, each session), so it outlives
/// them all, and does not change while they are there.
struct RecordingSpec {
    protocol::Welcome agent{};  ///< what each process's agent is told
    /// Between two checkpoints; none: as CheckpointTimes chooses.
    std::optional<std::chrono::milliseconds> checkpoint{};
    /// What the probes may cost, in percent of the time without them; 0: there is no limit.
    double max_overhead_percent = 0;
    CpuSource cpu = CpuSource::kAuto;
    size_t max_logged_calls = 0;  ///< of the time line; 0: there is none
    replay::TreeShape tree = replay::TreeShape::kFolded;
    std::vector<SlowestRequest> slowest{};  ///< agent.slowest, parsed
    SlowestBy slowest_by = SlowestBy::kWall;
    /// Threads that replay, for each process; 0: as many as are needed, see worker_count(). With a
    /// sink or a time line it is one.
    uint32_t workers = 0;
};

}  // namespace umbra::collector
