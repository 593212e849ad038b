// SPDX-License-Identifier: MIT
// Follows the exceptions of one thread through its stack and counts where they end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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
/// so caller SPs alone cannot tell.
///
/// Which frames have gone is taken from stack pointers alone. Before a finally or catch block runs,
/// its frame's is told: what lies deeper is dead. Where native code has caught the exception,
/// unsaid, it goes on above the dead, so the next call's caller SP tells (before_call()). When each
/// of them has gone is taken from UnwindFunctionLeave: these are kept until the frames are known,
/// since the runtimes tell one for several calls of a method that stand next to each other, or
/// several for one call (docs/runtime_contract.md). They decide by themselves in one case: blocks
/// of dynamic methods run untold.
///
/// Exceptions nest: one thrown and caught in a finally block, a filter or what they call is a
/// dispatch inside a dispatch. One that escapes from a finally block ends the outer one; one that
/// escapes from a filter is swallowed there. What the runtime leaves unsaid about those is
/// concluded from stack pointers and frames, too.
class ExceptionTracker {
  public:
    ExceptionTracker(ShadowStack& stack, ExceptionCounts& counts)
        : stack_(stack), counts_(&counts) {}

    // One for each control record. `function` 0: one that umbra does not know. `sp`: the stack
    // pointer of the block's frame, its low half; 0: not known.
    void thrown(uint32_t type);
    void filter_enter(uint32_t sp, Lanes now);
    void filter_leave(uint32_t sp, Lanes now);
    void unwind_enter(uint32_t function, Lanes now);
    void unwind_leave(Lanes now);
    void finally_enter(uint32_t function, uint32_t sp, Lanes now);
    void finally_leave(uint32_t sp);
    void catcher_enter(uint32_t function, uint32_t sp, Lanes now);

    /// The shadow stack may hold frames that have gone: before_call() is to see the next enter,
    /// leave or tailcall record before the shadow stack does.
    [[nodiscard]] bool unsettled() const {
        return !gone_.empty() ||
               (!dispatches_.empty() && dispatches_.back().state == State::kUnwinding);
    }
    /// `slot`: of such a record, the next one. `now`: not later than that.
    void before_call(uint64_t slot, Lanes now);
    /// Something up to `now` has been booked to the frames on the shadow stack: none of them has
    /// ended earlier.
    void booked_until(Lanes now);

    /// From now on they are counted elsewhere.
    void move_to(ExceptionCounts& counts) { counts_ = &counts; }

    /// Adds the exceptions still under way to `counts`, as not caught.
    void add_unfinished(ExceptionCounts& counts) const;

  private:
    enum class State {
        kIdle,
        kUnwinding,  ///< removes a call of `function`
        kFinally,    ///< ... and runs a finally block of it
        kFilter,     ///< runs a filter
    };

    /// One exception on its way from the throw to the catch.
    struct Dispatch {
        uint32_t type = 0;
        uint32_t thrown_in = 0;
        bool seen_thrown = false;  ///< false: umbra came later than the throw; not counted
        State state = State::kIdle;
        uint32_t function = 0;
        uint32_t sp = 0;   ///< of the frame whose finally block or filter runs
        size_t depth = 0;  ///< frames when that began; all stay while it runs
    };

    /// A call that the runtime has removed.
    struct Gone {
        uint32_t function;  ///< 0: one umbra does not know
        Lanes when;
    };

    /// Nested dispatches beyond this are not real; the oldest is given up.
    static constexpr size_t kMaxDispatches = 64;
    /// Frames told to have gone beyond this have no time of their own.
    static constexpr size_t kMaxGone = 65'536;

    Dispatch& push(const Dispatch& dispatch);
    /// The innermost one; one that umbra came too late for if there is none.
    Dispatch& innermost() { return dispatches_.empty() ? push({}) : dispatches_.back(); }
    void note_gone(uint32_t function, Lanes now);
    /// Ends all frames but the outermost `alive`, each when it was told to go, else now.
    void settle(size_t alive, Lanes now);
    /// Ends the frames that lie deeper than `sp`.
    void settle_below(uint32_t sp, Lanes now);
    /// A block of a frame with this stack pointer begins: no filter of a frame as deep or deeper is
    /// running any more, none that ran while the frame stood, nor what they called. Answers how
    /// many frames stand where one was. (The runtimes tell the end of every filter.)
    std::optional<size_t> leave_filters(uint32_t sp);
    void leave_filter(size_t index);
    void forget_vanished();
    void retire(size_t index, uint32_t caught_in);
    void retire_above(size_t index);
    /// The innermost dispatch that runs such a block, of a frame with that stack pointer unless
    /// that is 0; dispatches_.size() when there is none.
    [[nodiscard]] size_t running(State block, uint32_t sp) const;
    /// How many frames stand if those have gone that were told to, by their functions.
    [[nodiscard]] size_t alive_by_name() const;

    ShadowStack& stack_;
    ExceptionCounts* counts_;
    std::vector<Dispatch> dispatches_;  ///< the innermost last
    std::vector<Gone> gone_;            ///< not yet taken from the shadow stack
};

}  // namespace umbra::replay
