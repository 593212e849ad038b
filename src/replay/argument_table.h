// SPDX-License-Identifier: MIT
// The calls of methods by the values of their arguments, added up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "hotpath/record.h"
#include "src/replay/tree/lanes.h"

namespace umbra::replay {

/// What stands in an argument's record; how it is to be read only the argument's kind says, which
/// may be told later. Compared to the last bit.
struct ArgumentContent {
    enum Kind : uint32_t {
        kNull,
        kNumber,
        kText,
        kRest,  ///< all values without a row of their own
    };
    Kind kind = kNull;
    uint64_t bits = 0;  ///< of a number; of a text hotpath::make_text_length
    std::array<char, hotpath::kMaxTextBytes> text{};  ///< zeros behind its text_bytes

    bool operator==(const ArgumentContent&) const = default;
};

/// An argument of a function. The function is the one that was on top of the stack: where that is
/// another than the argument's own, the call's begin was lost.
struct ArgumentOf {
    uint32_t number;    ///< protocol::ArgumentNamed index
    uint32_t function;  ///< function index; 0: none was on top
    uint32_t values;    ///< rows it has, without that of the rest
    uint32_t rest;      ///< row of its rest; 0: it has none
};

/// The calls with one value of one argument.
struct ArgumentValue {
    uint32_t argument = 0;  ///< in ArgumentSums::arguments
    uint32_t cells = 0;     ///< the first of its histogram's in ArgumentSums::cells; 0: none
    ArgumentContent content;
    uint64_t calls = 0;
    uint64_t unfinished = 0;  ///< of these, calls whose end was not told (yet): not in the times
    Lanes total{};
    uint64_t min_ticks = std::numeric_limits<uint64_t>::max();  ///< net_ticks(), as max_ticks
    uint64_t max_ticks = 0;
};

/// A plain value, copied to be looked at.
struct ArgumentSums {
    /// Calls that took a time of one bucket (HistogramBuckets) with one value.
    struct Cell {
        uint32_t bucket;
        uint32_t next;  ///< of the same value; 0: none
        uint64_t calls;
    };

    std::vector<ArgumentOf> arguments;
    std::vector<ArgumentValue> values = std::vector<ArgumentValue>(1);  ///< row 0 is no value's
    std::vector<Cell> cells = std::vector<Cell>(1);                     ///< cell 0 is no value's
    uint64_t lost = 0;  ///< values told of arguments that there was no room for

    /// One more call with the value of a row, whose end is not known. Row 0: nothing.
    void add_unfinished(uint32_t row) {
        values[row].calls += row == 0 ? 0U : 1U;
        values[row].unfinished += row == 0 ? 0U : 1U;
    }
};

/// Finds the row of a value. What has no room for a row of its own goes to its argument's rest; an
/// argument that would take more rows than are left for all others has no room. One thread.
class ArgumentTable {
  public:
    /// At most so many arguments by number (by number and function twice as many), and so many
    /// values besides the rests.
    ArgumentTable(uint32_t max_arguments, uint32_t max_values)
        : max_arguments_(max_arguments), max_values_(max_values) {}

    /// The row of a value; 0, and counted: there is no room for its argument.
    uint32_t row(uint32_t number, uint32_t function, const ArgumentContent& content);
    /// One more call with the value of a row, which may be 0: nothing.
    void add(uint32_t row, Lanes length);
    void add_unfinished(uint32_t row) { sums_.add_unfinished(row); }
    /// All calls of another table.
    void add(const ArgumentSums& other);

    [[nodiscard]] const ArgumentSums& sums() const { return sums_; }

  private:
    struct Key {
        uint32_t argument;
        ArgumentContent content;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        size_t operator()(const Key& key) const;
    };

    /// Index of an argument in sums_; UINT32_MAX: there is no room.
    uint32_t argument(uint32_t number, uint32_t function);
    uint32_t new_row(uint32_t argument, const ArgumentContent& content);
    /// Adds calls to a bucket of the value, when there is no room to the nearest that it has.
    void count(ArgumentValue& value, uint32_t bucket, uint64_t calls);
    /// The cell of a value that has any.
    [[nodiscard]] uint32_t nearest(const ArgumentValue& value, uint32_t bucket) const;

    const uint32_t max_arguments_;
    const uint32_t max_values_;
    ArgumentSums sums_;
    std::unordered_map<uint64_t, uint32_t> arguments_;  ///< by number and function
    std::unordered_map<Key, uint32_t, KeyHash> rows_;   ///< without those of rests
};

}  // namespace umbra::replay
