// SPDX-License-Identifier: MIT
// SampleFigures: the figures of the moment, for whoever looks at a running sampling.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "src/collector/live/live_names.h"
#include "src/collector/sampling/sample_session.h"
#include "src/protocol/live_messages.h"

namespace umbra::collector {

/// A method's calls are its samples; what is recent of it is CPU time. One thread, the session's.
class SampleFigures {
  public:
    static constexpr auto kPeriod = std::chrono::seconds(1);

    /// `session` must outlive it.
    explicit SampleFigures(const SampleSession& session)
        : session_(session), names_(session.names()) {}

    /// Makes new figures, of what has happened since the last. `ended`: how the sampling has ended;
    /// empty: it goes on.
    void step(const std::string& ended);
    /// Null before the first step().
    [[nodiscard]] const std::shared_ptr<const protocol::LiveFigures>& newest() const {
        return newest_;
    }

  private:
    struct Previous {
        uint64_t samples = 0;
        uint64_t cpu_ns = 0;
    };

    std::string name_of(uint32_t function, std::string& module);

    const SampleSession& session_;
    LiveNames names_;
    std::unordered_map<uint32_t, Previous> previous_;  ///< by function
    std::shared_ptr<const protocol::LiveFigures> newest_;
};

}  // namespace umbra::collector
