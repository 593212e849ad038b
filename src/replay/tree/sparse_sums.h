// SPDX-License-Identifier: MIT
// SparseSums: what few of many numbered things have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace umbra::replay {

/// Four bytes for each number up to the greatest that has a sum. One thread.
template <typename Sum>
class SparseSums {
  public:
    /// Null: it has none.
    [[nodiscard]] const Sum* find(uint32_t number) const {
        return number < rows_.size() && rows_[number] != 0 ? &sums_[rows_[number] - 1] : nullptr;
    }
    /// Made if need be. Good until the next is.
    Sum& at(uint32_t number) {
        if (number >= rows_.size()) {
            rows_.resize(size_t{number} + 1);
        }
        if (rows_[number] == 0) {
            sums_.emplace_back();
            rows_[number] = static_cast<uint32_t>(sums_.size());
        }
        return sums_[rows_[number] - 1];
    }
    /// By number, ascending.
    void for_each(const auto& visit) const {
        for (uint32_t number = 0; number < rows_.size(); ++number) {
            if (rows_[number] != 0) {
                visit(number, sums_[rows_[number] - 1]);
            }
        }
    }
    [[nodiscard]] std::span<Sum> all() { return sums_; }
    [[nodiscard]] size_t bytes() const {
        return rows_.size() * sizeof(uint32_t) + sums_.size() * sizeof(Sum);
    }

  private:
    std::vector<uint32_t> rows_;  ///< in `sums_`, from 1, by number; 0: none
    std::vector<Sum> sums_;
};

}  // namespace umbra::replay
