// SPDX-License-Identifier: MIT
// Arguments of async methods: what calls with each value took from begin to result.
#pragma once

#include <cstdint>

#include "src/replay/argument_table.h"
#include "src/replay/async/async_sums.h"

namespace umbra::collector {

/// What is told of a value on a thread is what the method's first piece took. Where async calls are
/// known by it, these stand in its place: all calls with the value, and the times of those that
/// have ended. `shard`: whose table `sums` is a copy of.
void set_async_calls(const replay::AsyncSums& async, uint32_t shard, replay::ArgumentSums& sums);

}  // namespace umbra::collector
