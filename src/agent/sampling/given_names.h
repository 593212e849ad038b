// SPDX-License-Identifier: MIT
// GivenNames: the names a program gives its threads, from whoever is told of them to the sampler.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "src/clr/types.h"

namespace umbra::agent {

/// All of it from any thread.
class GivenNames {
  public:
    void add(clr::ThreadID thread, std::string name) {
        const std::lock_guard lock(mutex_);
        if (names_.size() < kMost) {
            names_[thread] = std::move(name);
        }
    }
    void forget(clr::ThreadID thread) {
        const std::lock_guard lock(mutex_);
        names_.erase(thread);
    }
    /// The last one given to the thread that has not been taken yet; empty: there is none.
    [[nodiscard]] std::string take(clr::ThreadID thread) {
        const std::lock_guard lock(mutex_);
        auto given = names_.extract(thread);
        return given ? std::move(given.mapped()) : std::string();
    }

  private:
    /// They are taken round by round. What is given beyond that in between is left out.
    static constexpr std::size_t kMost = 16'384;

    std::mutex mutex_;
    std::unordered_map<clr::ThreadID, std::string> names_;  // guarded by mutex_
};

}  // namespace umbra::agent
