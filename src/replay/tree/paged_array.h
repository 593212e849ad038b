// SPDX-License-Identifier: MIT
// PagedArray: rows by number, of which only the pages that were asked for take memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace umbra::replay {

/// Rows do not move but by pack(). One thread.
template <typename Row, uint32_t kPageRows>
class PagedArray {
  public:
    /// Makes a page of zeros if need be.
    Row& operator[](uint32_t number) {
        const size_t page = number / kPageRows;
        if (page >= pages_.size() || pages_[page] == nullptr) [[unlikely]] {
            add_page(page);
        }
        return pages_[page][number % kPageRows];
    }
    /// Null: its page has never been asked for, or it was packed away as of no interest.
    [[nodiscard]] const Row* find(uint32_t number) const {
        const size_t page = number / kPageRows;
        if (page < pages_.size() && pages_[page] != nullptr) {
            return &pages_[page][number % kPageRows];
        }
        const size_t packed = packed_from(number);
        return packed < numbers_.size() && numbers_[packed] == number ? &rows_[packed] : nullptr;
    }
    /// Calls `visit(number, row)` for each row of each page there is and for each packed one, in
    /// ascending order.
    template <typename Visit>
    void for_each(const Visit& visit) const {
        size_t packed = 0;
        for (size_t page = 0; page < pages_.size(); ++page) {
            if (pages_[page] == nullptr) {
                continue;
            }
            for (; packed < numbers_.size() && numbers_[packed] < page * kPageRows; ++packed) {
                visit(numbers_[packed], rows_[packed]);
            }
            for (uint32_t row = 0; row < kPageRows; ++row) {
                visit(static_cast<uint32_t>(page * kPageRows) + row, pages_[page][row]);
            }
        }
        for (; packed < numbers_.size(); ++packed) {
            visit(numbers_[packed], rows_[packed]);
        }
    }

    /// Gives the pages back. Rows that `keep(row)` is true of take no more than their own room from
    /// then on, the others are zeros again. A row that is asked for later brings back its page.
    template <typename Keep>
    void pack(const Keep& keep) {
        if (pages_.empty()) {
            return;
        }
        std::vector<uint32_t> numbers;
        std::vector<Row> rows;
        for_each([&](uint32_t number, const Row& row) {
            if (keep(row)) {
                numbers.push_back(number);
                rows.push_back(row);
            }
        });
        numbers.shrink_to_fit();
        rows.shrink_to_fit();
        numbers_ = std::move(numbers);
        rows_ = std::move(rows);
        pages_ = Pages();
    }

    /// Memory of pages and packed rows.
    [[nodiscard]] size_t bytes() const {
        const auto pages = static_cast<size_t>(
            std::ranges::count_if(pages_, [](const auto& page) { return page != nullptr; }));
        return pages * kPageRows * sizeof(Row) + pages_.capacity() * sizeof(pages_[0]) +
               rows_.capacity() * (sizeof(Row) + sizeof(uint32_t));
    }

  private:
    using Pages = std::vector<std::unique_ptr<Row[]>>;

    [[nodiscard]] size_t packed_from(size_t number) const {
        return static_cast<size_t>(std::ranges::lower_bound(numbers_, number) - numbers_.begin());
    }

    [[gnu::noinline]] void add_page(size_t page) {
        if (page >= pages_.size()) {
            pages_.resize(page + 1);
        }
        pages_[page] = std::make_unique<Row[]>(kPageRows);
        const size_t first = packed_from(page * kPageRows);
        const size_t last = packed_from((page + 1) * kPageRows);
        for (size_t packed = first; packed < last; ++packed) {
            pages_[page][numbers_[packed] % kPageRows] = rows_[packed];
        }
        const auto from = static_cast<ptrdiff_t>(first);
        const auto to = static_cast<ptrdiff_t>(last);
        numbers_.erase(numbers_.begin() + from, numbers_.begin() + to);
        rows_.erase(rows_.begin() + from, rows_.begin() + to);
    }

    Pages pages_;
    std::vector<uint32_t> numbers_;  ///< of the packed rows, ascending; none is in a page
    std::vector<Row> rows_;          ///< the packed rows, in the order of numbers_
};

}  // namespace umbra::replay
