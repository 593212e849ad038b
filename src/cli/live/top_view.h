// SPDX-License-Identifier: MIT
// What `umbra top` shows of the newest figures.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/terminal/text_style.h"
#include "src/protocol/messages.h"

namespace umbra::cli {

enum class TopOrder { kNow, kSelf, kTotal, kCalls, kCpu };

/// What an order is called, and the key that chooses it.
struct NamedOrder {
    TopOrder order;
    char key;
    std::string_view name;
};
inline constexpr auto kTopOrders = std::to_array<NamedOrder>({{TopOrder::kNow, 'n', "now"},
                                                              {TopOrder::kSelf, 's', "self"},
                                                              {TopOrder::kTotal, 't', "total"},
                                                              {TopOrder::kCalls, 'c', "calls"},
                                                              {TopOrder::kCpu, 'p', "cpu"}});

struct TopView {
    TopOrder order = TopOrder::kNow;
    std::size_t rows = 24;  ///< of the screen
    TextStyle style;
    std::string recorder{};       ///< who records
    std::string error{};          ///< why there is nothing newer; empty: nothing is wrong
    std::chrono::seconds age{0};  ///< of the figures
};

/// Whether the figures can be sorted so.
[[nodiscard]] bool has_order(const protocol::LiveFigures& figures, TopOrder order);

/// The first `most` rows in an order.
[[nodiscard]] std::vector<protocol::LiveRow> top_rows(const protocol::LiveFigures& figures,
                                                      TopOrder order, std::size_t most);

/// A screen: what runs, the rows, the keys. On a small one the rows stay longest.
[[nodiscard]] std::vector<std::string> top_frame(const protocol::LiveFigures& figures,
                                                 const TopView& view);
/// A screen while there are no figures: `what` is waited for, or view.error if that is not empty.
[[nodiscard]] std::vector<std::string> waiting_frame(const std::string& what, const TopView& view);

/// The figures as plain text, with `view.rows` methods.
[[nodiscard]] std::string top_text(const protocol::LiveFigures& figures, const TopView& view);
/// The figures as one line of JSON, with `most` methods.
[[nodiscard]] std::string top_json(const protocol::LiveFigures& figures, const TopView& view,
                                   std::size_t most);

}  // namespace umbra::cli
