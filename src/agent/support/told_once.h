// SPDX-License-Identifier: MIT
// ToldOnce: what a user needs to read once, however often it happens.
#pragma once

#include <mutex>
#include <set>
#include <string>

namespace umbra::agent {

/// Any thread.
class ToldOnce {
  public:
    /// True: it has not been said since forget().
    bool first(const std::string& sentence) {
        const std::lock_guard lock(mutex_);
        return told_.insert(sentence).second;
    }
    void forget() {
        const std::lock_guard lock(mutex_);
        told_.clear();
    }

  private:
    std::mutex mutex_;
    std::set<std::string> told_;  // guarded by mutex_
};

}  // namespace umbra::agent
