// SPDX-License-Identifier: MIT
// ThreadIds: the numbers of a process's threads, as it knows them itself and as they are known
// here.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace umbra::collector {

/// In a container a process has a pid namespace of its own: its threads tell other numbers than the
/// kernel has for them here. Any thread.
class ThreadIds {
  public:
    /// `pid` as it is known here.
    explicit ThreadIds(uint32_t pid);

    /// The number here of a thread that calls itself `inner`; the same where both sides see one
    /// namespace, or the thread has ended.
    [[nodiscard]] uint32_t here(uint32_t inner);
    /// The number here of a thread that calls itself `inner` and has just begun: `inner` may have
    /// been that of another, which has ended. `inner` itself where both sides see one namespace, or
    /// the thread has ended.
    [[nodiscard]] uint32_t begun_here(uint32_t inner);

  private:
    [[nodiscard]] uint32_t find(uint32_t inner);
    void look();

    std::mutex mutex_;  ///< of all that changes
    uint32_t pid_;
    bool differ_ = false;
    std::unordered_map<uint32_t, uint32_t> by_inner_;  // while they differ
};

/// The last number in the line NSpid of a /proc/PID/status, and how many there are. The text may be
/// anything; 0 and 0 without such a line.
struct NamespacePids {
    uint32_t innermost = 0;
    uint32_t levels = 0;
};
[[nodiscard]] NamespacePids namespace_pids(std::string_view status);

}  // namespace umbra::collector
