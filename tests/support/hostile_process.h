// SPDX-License-Identifier: MIT
// What a process does that means harm to its collector, once it has been taken.
#pragma once

#include <chrono>
#include <cstdint>

#include "hotpath/segment.h"
#include "src/agent/link/channel.h"

namespace umbra::testing {

enum class Talk { kFactsAlone, kAnything };

/// Until `end`, on two threads, scribbles over the segment, and on this one says what comes to its
/// mind: with kFactsAlone nothing that would end the recording. The same seed, the same harm, as
/// far as threads allow. Returns early where the collector has gone; never reads what it says.
void do_harm(agent::Channel& channel, hotpath::SegmentHeader& header, uint64_t seed,
             std::chrono::steady_clock::time_point end, Talk talk);

}  // namespace umbra::testing
