// SPDX-License-Identifier: MIT
// CompilationTable: what the runtime has compiled on the threads that are replayed together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "src/replay/tree/time_slices.h"

namespace umbra::replay {

/// One finished compilation.
struct CompilationTicks {
    uint32_t function;
    uint32_t thread;  ///< number of the thread that compiled
    uint64_t start_ticks;
    uint64_t duration_ticks;
    uint32_t version = 0;  ///< 1: the first of the function in its table, 2: the next, ...

    [[nodiscard]] uint64_t end_ticks() const { return start_ticks + duration_ticks; }
};

/// All compilations of a function.
struct CompilationSum {
    uint32_t count = 0;
    uint64_t ticks = 0;
    uint64_t longest_ticks = 0;

    CompilationSum& operator+=(const CompilationSum& other) {
        count += other.count;
        ticks += other.ticks;
        longest_ticks = std::max(longest_ticks, other.longest_ticks);
        return *this;
    }
};

/// Compilations of one slice of time.
struct CompilationSlice {
    uint64_t count = 0;  ///< begun in it
    uint64_t ticks = 0;  ///< in it, of all threads together

    CompilationSlice& operator+=(const CompilationSlice& other) {
        count += other.count;
        ticks += other.ticks;
        return *this;
    }
};

/// However many there are, in memory that the program's functions bound: sums of all by function
/// and by slice of time, the longest one by one. A plain value. One thread.
class CompilationTable {
  public:
    /// `longest`: kept one by one, up to twice as many at times.
    explicit CompilationTable(size_t longest) : longest_(longest) {}

    void add(CompilationTicks compilation);

    /// The longest, in the order they were added, and some others.
    [[nodiscard]] const std::vector<CompilationTicks>& rows() const { return rows_; }
    /// By function.
    using Sums = std::unordered_map<uint32_t, CompilationSum>;
    [[nodiscard]] const Sums& sums() const { return sums_; }
    [[nodiscard]] const TimeSlices<CompilationSlice>& slices() const { return slices_; }

  private:
    size_t longest_;
    std::vector<CompilationTicks> rows_;
    Sums sums_;
    TimeSlices<CompilationSlice> slices_;
};

/// Those of several tables together.
struct Compilations {
    /// The longest, in the order they ended. Versions are those of all tables; 0: not known, where
    /// not all compilations of a function that several tables have are kept.
    std::vector<CompilationTicks> rows;
    CompilationTable::Sums sums;
    TimeSlices<CompilationSlice> slices;
};
[[nodiscard]] Compilations add_up(const std::vector<const CompilationTable*>& tables,
                                  size_t longest);

}  // namespace umbra::replay
