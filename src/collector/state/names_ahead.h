// SPDX-License-Identifier: MIT
// Names of operating system threads that have not made a timed call yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace umbra::collector {

/// Bounded, since threads that never make a timed call have names as well: the oldest go first.
/// One thread at a time.
class NamesAhead {
  public:
    /// What is kept of a thread's name.
    static std::string shortened(std::string_view name) {
        constexpr std::size_t kMaxBytes = 1024;
        return std::string(name.substr(0, kMaxBytes));
    }

    void note(uint32_t os_tid, std::string_view name) {
        constexpr std::size_t kMost = 4096;
        names_[os_tid] = shortened(name);
        in_order_.push_back(os_tid);
        while (in_order_.size() > kMost) {
            names_.erase(in_order_.front());
            in_order_.pop_front();
        }
    }

    /// The name of a thread that is seen now; empty when none was told.
    [[nodiscard]] std::string take(uint32_t os_tid) {
        auto node = names_.extract(os_tid);
        return node ? std::move(node.mapped()) : std::string();
    }

  private:
    std::unordered_map<uint32_t, std::string> names_;
    std::deque<uint32_t> in_order_;
};

}  // namespace umbra::collector
