// SPDX-License-Identifier: MIT
// TimeSlices: what happened when, in a bounded number of slices of time that grow with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace umbra::replay {

/// Sums by slice of time. All slices are equally wide, a power of two of ticks, and begin at
/// multiples of their width; where there would be more than kMost of them, each two become one. So
/// nothing is ever left out, tables of the same times made apart add up, and a session of whatever
/// length has between half of kMost slices and all. `Row` is added up with +=. One thread.
template <typename Row>
class TimeSlices {
  public:
    static constexpr size_t kMost = 1024;

    /// The slice that `ticks` lie in.
    Row& at(uint64_t ticks) {
        if (rows_.empty()) {
            first_ = ticks >> shift_;
            rows_.resize(1);
        }
        while (spread(ticks) > kMost) {
            widen();
        }
        const uint64_t number = ticks >> shift_;
        if (number < first_) {
            rows_.insert(rows_.begin(), first_ - number, Row{});
            first_ = number;
        } else if (number - first_ >= rows_.size()) {
            rows_.resize(number - first_ + 1);
        }
        return rows_[number - first_];
    }

    /// Calls `visit(row, ticks)` with each slice that [begin, end) touches, and how much of it lies
    /// there.
    template <typename Visit>
    void spread_over(uint64_t begin, uint64_t end, const Visit& visit) {
        if (begin >= end) {
            return;
        }
        at(begin);
        at(end - 1);  // no slice widens from here on
        while (begin < end) {
            const uint64_t next = std::min(end - 1, begin | (width() - 1)) + 1;
            visit(at(begin), next - begin);
            begin = next;
        }
    }

    /// Calls `visit(begin_ticks, row)` with each slice between the first and the last, in order.
    template <typename Visit>
    void for_each(const Visit& visit) const {
        for (size_t row = 0; row < rows_.size(); ++row) {
            visit((first_ + row) << shift_, rows_[row]);
        }
    }

    void add(const TimeSlices& other) {
        add(other, [](Row& row, const Row& more) { row += more; });
    }
    /// Adds slices of something else: calls `join(row, other's row)` with each of them and the
    /// slice here that it lies in.
    template <typename Other, typename Join>
    void add(const TimeSlices<Other>& other, const Join& join) {
        while (width() < other.width()) {
            widen();
        }
        other.for_each([&](uint64_t begin_ticks, const Other& row) { join(at(begin_ticks), row); });
    }

    /// Ticks of one slice.
    [[nodiscard]] uint64_t width() const { return uint64_t{1} << shift_; }
    [[nodiscard]] size_t size() const { return rows_.size(); }

  private:
    static constexpr unsigned kFirstShift = 20;  ///< a third of a millisecond to one

    /// Slices there would be with one for `ticks`.
    [[nodiscard]] uint64_t spread(uint64_t ticks) const {
        const uint64_t number = ticks >> shift_;
        const uint64_t last = first_ + rows_.size() - 1;
        return std::max(number, last) - std::min(number, first_) + 1;
    }

    void widen() {
        ++shift_;
        if (rows_.empty()) {
            return;
        }
        const uint64_t first = first_ >> 1;
        for (size_t row = 0; row < rows_.size(); ++row) {
            const uint64_t wider = ((first_ + row) >> 1) - first;
            if (wider != row) {
                rows_[wider] += std::exchange(rows_[row], Row{});
            }
        }
        rows_.resize(((first_ + rows_.size() - 1) >> 1) - first + 1);
        first_ = first;
    }

    unsigned shift_ = kFirstShift;
    uint64_t first_ = 0;  ///< number of the first row: its begin in widths
    std::vector<Row> rows_;
};

}  // namespace umbra::replay
