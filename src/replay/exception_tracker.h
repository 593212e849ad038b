// SPDX-License-Identifier: MIT
// Follows the exceptions of one thread through its stack and counts where they end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "src/replay/shadow_stack.h"

namespace umbra::replay {

/// Exceptions by type, place of the throw and place of the catch. One thread.
class ExceptionCounts {
  public:
    struct Key {
        uint32_t type = 0;       ///< protocol::TypeNamed index; 0 = unknown
        uint32_t thrown_in = 0;  ///< function index; 0 = no instrumented function
        uint32_t caught_in = 0;  ///< function index; 0 = not caught where umbra could see it

        bool operator<(const Key& other) const {
            return std::tie(type, thrown_in, caught_in) <
                   std::tie(other.type, other.thrown_in, other.caught_in);
        }
    };

    explicit ExceptionCounts(size_t max_rows) : max_rows_(max_rows) {}

    /// Beyond the greatest number of rows, counts go to the row of all zeros.
    void add(const Key& key, uint64_t count = 1);
    [[nodiscard]] const std::map<Key, uint64_t>& rows() const { return rows_; }

  private:
    std::map<Key, uint64_t> rows_;
    size_t max_rows_;
};

/// Turns the runtime's exception callbacks into ends of frames.
///
/// What the runtime tells, on the throwing thread: at the throw its type; while it looks for a
/// catcher the filters it runs; then for each frame it removes UnwindFunctionEnter, finally
/// blocks, UnwindFunctionLeave; for the catching frame UnwindFunctionEnter and CatcherEnter. The
/// bodies of filters, finally and catch blocks run deeper on the stack than frames that are dead,
/// so caller SPs alone cannot tell; these callbacks can.
///
/// Exceptions nest: one thrown and caught in a finally block, a filter or what they call is a
/// dispatch inside a dispatch. One that escapes from a finally block ends the outer one; one that
/// escapes from a filter is swallowed there. What the runtime leaves unsaid about those is
/// concluded from the frames: a dispatch whose frame is gone is over.
///
/// One that leaves the catch block of a call and is caught by its caller, a call of the same
/// function, is told as if that call had caught it: one UnwindFunctionEnter for both. One that
/// leaves a finally block is told so of all calls of the function that stand next to each other. So
/// neighbours of one function of which one has caught, or has thrown out of a finally block, keep
/// their mark, and are closed when the frame below them is removed or catches.
///
/// Beyond telling: an exception that escapes from a finally block of a function without hooks and
/// is caught by another such function, with no hooked frame between, inside a finally block of a
/// hooked one. The hooked frame may then stay until caller SPs show that it is gone (a repair). So
/// may those that stand while a filter of a function without hooks runs, if what the filter calls
/// catches an exception in another call of that same function.
class ExceptionTracker {
  public:
    ExceptionTracker(ShadowStack& stack, ExceptionCounts& counts)
        : stack_(stack), counts_(&counts) {}

    // One for each control record. Function 0: one that umbra does not know.
    void thrown(uint32_t type);
    void filter_enter(uint32_t function);
    void filter_leave(Lanes now);
    void unwind_enter(uint32_t function, Lanes now);
    void unwind_leave(Lanes now);
    void catcher_enter(uint32_t function, Lanes now);

    /// From now on they are counted elsewhere.
    void move_to(ExceptionCounts& counts) { counts_ = &counts; }

    /// Adds the exceptions still under way to `counts`, as not caught.
    void add_unfinished(ExceptionCounts& counts) const;

  private:
    /// What the second pass of a dispatch is removing now.
    enum class Unwinding {
        kNothing,
        kFrame,    ///< the frame with index `place`, marked Frame::kUnwinding
        kSkipped,  ///< a call beyond the depth limit
        kOutside,  ///< a call that is not on the shadow stack, made above `place` frames
        kFilter,   ///< the filter it escapes from, the last thing it removes
    };

    /// One exception on its way from the throw to the catch.
    struct Dispatch {
        uint32_t type = 0;
        uint32_t thrown_in = 0;
        bool seen_thrown = false;  ///< false: umbra came later than the throw; not counted
        Unwinding unwinding = Unwinding::kNothing;
        uint32_t function = 0;  ///< being removed
        size_t place = 0;
        bool in_filter = false;
        uint32_t filter_function = 0;
        size_t filter_depth = 0;  ///< frames when the filter began; all stay while it runs
    };

    /// Nested dispatches beyond this are not real; the oldest is given up.
    static constexpr size_t kMaxDispatches = 64;

    Dispatch& push(const Dispatch& dispatch);
    [[nodiscard]] bool marked(size_t place) const;
    /// Whether a dispatch removes the frame with this index just now.
    [[nodiscard]] bool being_removed(size_t place) const;
    void unmark(size_t place);
    /// Marks the calls of its function that stand next to each other from `place` downwards, if
    /// there are several: any of them may have caught what its callee threw anew, or none.
    void mark_neighbours(size_t place);
    /// A frame of `function` is about to go or to catch: marked neighbours of another function
    /// right above it have gone unsaid.
    void drop_neighbours(uint32_t function, Lanes now);
    void forget_vanished();
    void retire(size_t index, uint32_t caught_in);
    void retire_above(size_t index);
    /// The dispatch whose filter is running, innermost; dispatches_.size() when none is.
    [[nodiscard]] size_t innermost_filter() const;
    /// Whether an unwound frame of `function` is the filter itself; also finds out that a filter
    /// has ended unsaid.
    bool unwinds_filter(uint32_t function);

    ShadowStack& stack_;
    ExceptionCounts* counts_;
    std::vector<Dispatch> dispatches_;  ///< the innermost last
};

}  // namespace umbra::replay
