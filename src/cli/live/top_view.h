// SPDX-License-Identifier: MIT
// What `umbra top` shows of the newest checkpoint.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "src/cli/live/checkpoints.h"
#include "src/cli/terminal/text_style.h"

namespace umbra::cli {

enum class TopOrder { kSelf, kTotal, kCalls, kCpu, kNow };

struct TopView {
    TopOrder order = TopOrder::kSelf;
    std::chrono::system_clock::time_point now;
    std::size_t rows = 24;  ///< of the screen
    TextStyle style;
    std::string error{};  ///< why there is nothing newer; empty: nothing is wrong
};

/// "3 s ago", "2 min ago", "5 h ago"
[[nodiscard]] std::string age_text(std::chrono::system_clock::duration age);

/// The `top` first rows of the checkpoint. Shares are of the self time; by CPU time, of that.
[[nodiscard]] profile::HotList top_list(const Checkpoint& checkpoint,
                                        const RecentActivity& activity, TopOrder order,
                                        std::size_t top);

/// A screen: what runs, the list, what is to be known about it, the keys. Of the facts those that
/// matter least give way to the list.
[[nodiscard]] std::vector<std::string> top_frame(const Checkpoint& checkpoint,
                                                 const RecentActivity& activity,
                                                 const TopView& view);
/// The same while there is nothing to show.
[[nodiscard]] std::vector<std::string> waiting_frame(const std::string& what, const TopView& view);

/// A plain list as `umbra report` prints it, and the age of the checkpoint if the program runs.
[[nodiscard]] std::string top_text(const Checkpoint& checkpoint, TopOrder order, std::size_t top,
                                   const TextStyle& style);

}  // namespace umbra::cli
