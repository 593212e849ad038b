// SPDX-License-Identifier: MIT
// PagedArray: rows by number, of which only the pages that were asked for take memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace umbra::replay {

/// Rows never move. One thread.
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
    /// Null: its page has never been asked for.
    [[nodiscard]] const Row* find(uint32_t number) const {
        const size_t page = number / kPageRows;
        return page >= pages_.size() || pages_[page] == nullptr ? nullptr
                                                                : &pages_[page][number % kPageRows];
    }
    /// Calls `visit(number, row)` for each row of each page there is, in ascending order.
    template <typename Visit>
    void for_each(const Visit& visit) const {
        for (size_t page = 0; page < pages_.size(); ++page) {
            for (uint32_t row = 0; pages_[page] != nullptr && row < kPageRows; ++row) {
                visit(static_cast<uint32_t>(page * kPageRows) + row, pages_[page][row]);
            }
        }
    }

  private:
    [[gnu::noinline]] void add_page(size_t page) {
        if (page >= pages_.size()) {
            pages_.resize(page + 1);
        }
        pages_[page] = std::make_unique<Row[]>(kPageRows);
    }

    std::vector<std::unique_ptr<Row[]>> pages_;
};

}  // namespace umbra::replay
