// SPDX-License-Identifier: MIT
// RuntimeAdmission: decides, for each runtime of the process that loads the agent, whether it is
// profiled.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "src/base/result.h"
#include "src/base/runtime_choice.h"

namespace umbra::agent {

/// Any thread; runtimes may start at the same time.
class RuntimeAdmission {
  public:
    /// An error: nobody is admitted, for this reason.
    explicit RuntimeAdmission(Result<RuntimeChoice> choice) : choice_(std::move(choice)) {}

    /// That of the process, as its environment says (UMBRA_RUNTIMES).
    static RuntimeAdmission& of_process();

    /// A runtime starts, and asks. `identity`: what tells its code from that of other copies.
    /// `version`: "9.0.18", with anything before the last blank. An error says why not.
    Status started(const void* identity, std::string_view version);
    /// The agent comes into a runtime that runs. It asks every time, and is the same one each time.
    Status attached(const void* identity, std::string_view version);

  private:
    Status decide(const void* identity, std::string_view version);  // under the lock

    const Result<RuntimeChoice> choice_;
    std::mutex mutex_;
    uint32_t places_ = 0;                     // guarded by mutex_: runtimes that asked
    bool taken_ = false;                      // guarded by mutex_: one is admitted
    std::map<const void*, bool> admitted_{};  // guarded by mutex_: by identity
};

}  // namespace umbra::agent
