// SPDX-License-Identifier: MIT
// What umbra asks of a running .NET runtime: who it is, and to load a profiler.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/diagnostics/discovery.h"

namespace umbra::diagnostics {

/// A runtime's word about itself; empty where it is too old to tell.
struct RuntimeInfo {
    std::string architecture;  ///< "x64"
    std::string version;       ///< "10.0.12"; .NET 6 and newer
};

/// Asks with the newer command if the runtime knows it. `timeout` is for all tries together.
/// Errors: kTimedOut, kNotFound (it has ended), kRefused, kCorrupt (nonsense), kSystem.
[[nodiscard]] Result<RuntimeInfo> runtime_info(const Endpoint& endpoint,
                                               std::chrono::milliseconds timeout);

struct AttachRequest {
    std::chrono::milliseconds timeout{5000};
    std::string clsid;            ///< "{8C7A1F5E-...}"
    std::string library;          ///< absolute path, in the target's file system
    std::vector<std::byte> data;  ///< what InitializeForAttach gets
};

/// Has the runtime load a profiler, and waits until its InitializeForAttach and
/// ProfilerAttachComplete have returned. A runtime that is just starting is asked again. After
/// kTimedOut the profiler may still be loaded, later. Errors: kInvalid (the request itself),
/// kRefused (the runtime or the profiler said no: a sentence of sentence_of()), kUnsupported,
/// and those of runtime_info().
[[nodiscard]] Status attach_profiler(const Endpoint& endpoint, const AttachRequest& request);

}  // namespace umbra::diagnostics
