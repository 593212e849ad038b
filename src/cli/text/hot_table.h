// SPDX-License-Identifier: MIT
// Rows of a report as a table for a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/cli/terminal/text.h"
#include "src/cli/terminal/text_style.h"
#include "src/profile/profile.h"
#include "src/profile/report.h"
#include "src/profile/tree_view.h"

namespace umbra::cli {

/// A column of a table with its cells, headed by its name.
struct TextColumn {
    std::string heading;
    bool right = true;
    std::vector<std::string> cells = {};
    std::size_t columns = 0;

    void add(std::string cell);
    /// A cell or the heading, as wide as the column.
    [[nodiscard]] std::string padded(std::string_view cell) const;
};

/// Makes columns with a cell for each row. `rows` must outlive it.
template <typename Row>
class TableColumns {
  public:
    explicit TableColumns(const std::vector<Row>& rows) : rows_(rows) {}

    void add(std::string_view heading, bool right, const auto& cell_of) {
        TextColumn column{std::string(heading), right, {}, width(heading)};
        for (const Row& row : rows_) {
            column.add(cell_of(row));
        }
        columns_.push_back(std::move(column));
    }
    [[nodiscard]] std::vector<TextColumn> take() { return std::move(columns_); }

  private:
    const std::vector<Row>& rows_;
    std::vector<TextColumn> columns_;
};

/// A heading and one line a row, then one for what was left out; as wide as `style` says, where the
/// least telling columns give way to the names. Wall and CPU time always stay. `percentiles`: their
/// columns are wanted; a wide terminal has them anyway. `more` stands before the share, and makes
/// the columns beside it that say nearly the same give way as well.
[[nodiscard]] std::string hot_table(const profile::Session& session, const profile::HotList& list,
                                    const TextStyle& style, bool percentiles,
                                    const std::vector<TextColumn>& more = {});

/// A tree as a table: a heading and one line a row, the names indented and headed by `heading`. As
/// wide as `style` says, where the least telling columns give way to the names.
[[nodiscard]] std::string tree_table(const profile::Session& session,
                                     const std::vector<profile::TreeRow>& rows,
                                     const TextStyle& style, std::string_view heading = "path");

/// "1.25 us" with its unit padded, so that numbers and units stand under each other. Of a time that
/// is rough (profile::is_rough) no digits that it is not worth: "~1.2 us".
[[nodiscard]] std::string aligned_duration(uint64_t ns, double doubt_ns = 0);

inline constexpr std::string_view kColumnGap = "  ";
inline constexpr std::size_t kLegibleName = 30;  ///< columns give way until names have this much

/// What the columns take with their gaps.
[[nodiscard]] std::size_t total_columns(const std::vector<TextColumn>& columns);
/// Their headings, and their cells in a row, a gap behind each.
[[nodiscard]] std::string headings_of(const std::vector<TextColumn>& columns);
[[nodiscard]] std::string cells_of(const std::vector<TextColumn>& columns, std::size_t row);
/// The cells of a row, a gap behind each, that of each column in the colour (empty: none) that
/// `colour_of(column)` returns.
template <typename ColourOf>
[[nodiscard]] std::string cells_of(const std::vector<TextColumn>& columns, std::size_t row,
                                   const TextStyle& style, const ColourOf& colour_of) {
    std::string line;
    for (const TextColumn& column : columns) {
        line += coloured(column.padded(column.cells[row]), colour_of(column), style);
        line += kColumnGap;
    }
    return line;
}
/// What is left of a line for a name behind `used` columns; no end where names are whole.
[[nodiscard]] std::size_t names_room(std::size_t used, const TextStyle& style);
/// Columns by which a name at a depth of a path stands further right, of `room` for both.
[[nodiscard]] std::size_t path_indent(std::size_t depth, std::size_t room, const TextStyle& style);
/// How calls are headed: of a sampled profile they are samples.
[[nodiscard]] std::string_view calls_heading(const profile::Session& session);
/// Calls of a row; ">= 600,000" where those of a method that has been inlined somewhere are
/// missing.
[[nodiscard]] std::string calls_cell(const profile::HotFunction& function);
/// A method's name in so many columns, with the mark of one whose probes the budget took out.
[[nodiscard]] std::string name_cell(std::string_view name, bool deinstrumented, std::size_t columns,
                                    const TextStyle& style);
/// Takes out columns, the first of `least_telling` first, until names have room.
void make_room(std::vector<TextColumn>& columns, std::span<const std::string_view> least_telling,
               std::size_t available);

}  // namespace umbra::cli
