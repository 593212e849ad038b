// SPDX-License-Identifier: MIT
// What the user is told of selected methods that cannot have probes: the first of each reason by
// their names, the others by their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace umbra::agent {

/// Any thread.
class RefusedMethods {
  public:
    /// So many methods are named for one reason; so much of each name is shown.
    static constexpr size_t kMaxNamed = 8;
    static constexpr size_t kMaxNameBytes = 80;

    /// `methods` of them at once; `names` are those of the first, kMaxNamed of them suffice. What
    /// is to be said now; empty: they only count.
    [[nodiscard]] std::string add(const std::string& why, std::span<const std::string> names,
                                  uint64_t methods);
    /// What has not been said: a sentence for each reason. Afterwards it has.
    [[nodiscard]] std::vector<std::string> take_rest();
    void forget();

  private:
    struct Reason {
        size_t named = 0;
        uint64_t unsaid = 0;
    };
    std::mutex mutex_;
    std::map<std::string, Reason> reasons_;  // guarded by mutex_
};

}  // namespace umbra::agent
