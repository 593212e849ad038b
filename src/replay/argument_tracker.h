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

/// Arguments belong to the call on top of the stack. Its end names its function, and the leave that
/// follows its place on the stack: frames that stand above it then are dead. Where a call has left
/// the stack untold (an exception that passed a method without a handler of ours, lost records),
/// its values count as calls without an end. So each value told counts as one call, whatever comes;
/// one told again of an open call is none of that call's.
///
/// Costs nothing but at the records of arguments: what has left the stack meanwhile is found out at
/// the next of them. One thread.
class ArgumentTracker {
  public:
    /// Calls open at once, and values of one; those beyond count as calls without an end.
    static constexpr size_t kMostOpen = size_t{1} << 16;
    static constexpr size_t kMostValues = 64;

    explicit ArgumentTracker(ArgumentTable& table) : table_(&table) {}

    /// An argument, by its number, of the call on top of `stack`, unless the end of another call
    /// follows. `next`: slot 0 of the record behind it; 0: not known.
    void note(const ShadowStack& stack, uint32_t number, const ArgumentContent& content, Lanes now,
              uint64_t next);
    /// What note() has found last: the row of the value, 0 where it is no call's that is followed,
    /// and whether it is the first of its call.
    struct Noted {
        uint32_t row = 0;
        bool is_first = false;
    };
    [[nodiscard]] Noted noted() const { return noted_; }
    /// All arguments of a call of `function` have been told, and it ends. Does nothing unless it
    /// has told arguments. `next`: slot 0 of the record behind, as a rule that of the call's leave;
    /// 0: not known.
    void end(const ShadowStack& stack, uint32_t function, Lanes now, uint64_t next);
    /// Records were lost: whoever ends next may be a call whose begin was among them.
    void note_loss() { open_at_loss_ = open_.size(); }

    /// From now on they are counted elsewhere; calls that are open go along.
    void move_to(ArgumentTable& table);
    /// Adds the calls still open to `sums`, a copy of the table's, as unfinished.
    void add_unfinished(ArgumentSums& sums) const;
    /// The thread has ended: calls that are open will not end any more.
    void give_up();

  private:
    struct OpenCall {
        // Which call it is: no other at this depth has begun at the same time.
        size_t depth;
        uint64_t key;
        Lanes began;    ///< ShadowStack::began()
        Lanes told;     ///< its first argument, in the same count of time
        size_t values;  ///< its own begin there in values_
    };

    /// Frames above the call that ends are rare, and few.
    static constexpr size_t kMostLookedAt = 1024;

    [[nodiscard]] static bool is_top(const OpenCall& call, const ShadowStack& stack);
    [[nodiscard]] static bool is_on(const OpenCall& call, const ShadowStack& stack);
    /// Gives up the calls that are not on the stack any more.
    void settle(const ShadowStack& stack);
    void give_up_last();
    /// Index of the call that ends; open_.size(): it has told nothing.
    [[nodiscard]] size_t ending(const ShadowStack& stack, uint32_t function, uint64_t next) const;
    /// Adds the row of a value to the call that is the last.
    void push(uint32_t row);
    /// Takes the values of the last group from the call they were taken for, for one of `function`.
    [[nodiscard]] std::vector<uint32_t> take_group(uint32_t function);

    ArgumentTable* table_;
    std::vector<OpenCall> open_;    ///< by depth, the innermost last
    std::vector<uint32_t> values_;  ///< rows of the table, by call
    size_t open_at_loss_ = 0;       ///< calls that were open when records were lost
    size_t group_ = 0;              ///< last values that were told with nothing in between
    bool group_goes_on_ = false;
    Noted noted_;
};

}  // namespace umbra::replay
