// SPDX-License-Identifier: MIT
// Follows the calls of one thread whose arguments are told, from the first argument to the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/replay/argument_table.h"
#include "src/replay/shadow_stack.h"
#include "src/replay/tree/lanes.h"

namespace umbra::replay {

/// A moment in a thread's life.
struct ArgumentMoment {
    Lanes now{};
    uint64_t waited_ticks = 0;  ///< for the collector, up to now
};

/// Arguments belong to the call on top of the stack. Its end is told when it is still on top; where
/// it has left the stack untold (an exception that passed a method without a handler of ours, lost
/// records), its values count as calls without an end. So each value told counts as one call,
/// whatever comes. A value told again of an open call stands in place of the one before.
///
/// Costs nothing but at the records of arguments: what has left the stack meanwhile is found out at
/// the next of them. One thread.
class ArgumentTracker {
  public:
    /// Calls open at once, and values of one; those beyond count as calls without an end.
    static constexpr size_t kMostOpen = size_t{1} << 16;
    static constexpr size_t kMostValues = 64;

    explicit ArgumentTracker(ArgumentTable& table) : table_(&table) {}

    /// An argument of the call on top of `stack`, by its number.
    void note(const ShadowStack& stack, uint32_t number, const ArgumentContent& content,
              const ArgumentMoment& moment);
    /// All arguments of a call of `function` have been told, and it ends; does nothing unless that
    /// is the call on top, with arguments.
    void end(const ShadowStack& stack, uint32_t function, const ArgumentMoment& moment);

    /// From now on they are counted elsewhere; calls that are open go along.
    void move_to(ArgumentTable& table);
    /// Adds the calls still open to `sums`, a copy of the table's, as unfinished.
    void add_unfinished(ArgumentSums& sums) const;

  private:
    struct OpenCall {
        // Which call it is: no other at this depth has begun at the same time.
        size_t depth;
        uint64_t key;
        Lanes enter;
        ArgumentMoment begun;  ///< its first argument
        size_t values;         ///< its own begin there in values_
    };

    [[nodiscard]] static bool is_top(const OpenCall& call, const ShadowStack& stack);
    /// Gives up the calls that are not on the stack any more.
    void settle(const ShadowStack& stack);
    void give_up_last();

    ArgumentTable* table_;
    std::vector<OpenCall> open_;    ///< by depth, the innermost last
    std::vector<uint32_t> values_;  ///< rows of the table, by call
};

}  // namespace umbra::replay
