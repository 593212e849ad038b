// SPDX-License-Identifier: MIT
// The calls a thread is in, rebuilt from its enter, leave and tailcall records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "hotpath/record.h"
#include "src/replay/async/async_fact.h"
#include "src/replay/call_log.h"
#include "src/replay/deductions.h"
#include "src/replay/frame.h"
#include "src/replay/slowest/slow_call_recorder.h"
#include "src/replay/tree/call_tree.h"
#include "src/replay/tree/frame_budget.h"
#include "src/replay/tree/lanes.h"
#include "src/replay/tree/limits.h"
#include "src/replay/tree/paged_array.h"

namespace umbra::replay {

/// What did not go as a sound stream goes.
struct StackCounts {
    uint64_t repairs = 0;           ///< frames closed by caller SP, nothing explains it
    uint64_t unmatched_leaves = 0;  ///< leaves of calls whose enter was not seen
    uint64_t too_deep = 0;          ///< calls for which there is no frame: too deep, or none left
    uint64_t bad_functions = 0;     ///< records with a function index that cannot be
};

/// Who is told of calls besides the tree, as a template argument of the replay loops: bits.
using Listeners = unsigned;
inline constexpr Listeners kNobody = 0;
inline constexpr Listeners kLog = 1;       ///< a CallLog, of calls that end
inline constexpr Listeners kRecorder = 2;  ///< a SlowCallRecorder
inline constexpr Listeners kAsync = 4;     ///< an AsyncThread
/// Calls `run` with the listeners as a constant.
template <typename Run>
decltype(auto) with_constant(Listeners listeners, const Run& run) {
    switch (listeners) {
        case kLog:
            return run(std::integral_constant<Listeners, kLog>());
        case kRecorder:
            return run(std::integral_constant<Listeners, kRecorder>());
        case kLog | kRecorder:
            return run(std::integral_constant<Listeners, kLog | kRecorder>());
        case kAsync:
            return run(std::integral_constant<Listeners, kAsync>());
        case kAsync | kLog:
            return run(std::integral_constant<Listeners, kAsync | kLog>());
        case kAsync | kRecorder:
            return run(std::integral_constant<Listeners, kAsync | kRecorder>());
        case kAsync | kLog | kRecorder:
            return run(std::integral_constant<Listeners, kAsync | kLog | kRecorder>());
        default:
            return run(std::integral_constant<Listeners, kNobody>());
    }
}

/// A stack that repairs itself by caller SP. It grows down, so of two live frames the inner one
/// has the smaller caller SP: at an enter, frames with a caller SP not above the new one are dead,
/// at a leave those with a smaller one. (Differences of the low 32 bits are taken as signed:
/// stacks are smaller than 2 GiB.) A frame closed this way is a repair, unless a loss explains it.
///
/// Calls are booked twice: to their arc, which threads may share, and to their function in this
/// thread. Inclusive times count recursion once, by function and by edge (caller and callee): the
/// row of a function knows its outermost open frame. Edges are asked only when the function is open
/// already; else the edge cannot be.
///
/// An async call that goes on brings its own path: what is called then stands below the place where
/// it was called, whatever the thread was in, and adds to the inclusive times along that path. For
/// the calls the thread was in, that time has not passed.
///
/// The top frame is passed in and handed back, so that the replay loop keeps it in a register;
/// between runs of the loop it lies in top(). One thread.
// Fields: the stack, what is told of its calls, and what stands still while another call goes on.
class ShadowStack {
  public:
    /// `root` is the thread's place; tree, budget and listeners must outlive the stack. `log` and
    /// `recorder` (null: none) are told of calls. Where the budget is used up, calls are too deep.
    ShadowStack(CallTree& tree, FrameBudget& budget, uint32_t root, const Limits& limits,
                CallLog* log = nullptr, SlowCallRecorder* recorder = nullptr);
    ~ShadowStack() { budget_->resized(frames_.size(), 0); }
    ShadowStack(const ShadowStack&) = delete;  // frames are pointed at
    ShadowStack(ShadowStack&&) = delete;
    ShadowStack& operator=(const ShadowStack&) = delete;
    ShadowStack& operator=(ShadowStack&&) = delete;

    /// Something the thread was in already goes on for the whole of its life: a call at the bottom,
    /// never left, that begins with the thread. Before any record; at most once.
    void begin_inside(uint32_t function, uint64_t now);

    [[nodiscard]] Frame* top() const { return top_; }
    void set_top(Frame* top) { top_ = top; }

    /// What a replay loop keeps in registers besides the top; good for the tree's life.
    struct Hot {
        Arc* arcs;
        Histograms::Counter* histograms;
        uint32_t* recent;
    };
    [[nodiscard]] Hot hot() const {
        return {tree_->base(), tree_->histogram_base(), tree_->recent()};
    }

    [[nodiscard]] Listeners listeners() const { return listeners_; }
    /// Another listener, who must outlive the stack. Before any call.
    void tell(AsyncThread& async) {
        async_ = &async;
        listeners_ |= kAsync;
    }

    /// Begins the call of an enter record. Returns the new top.
    Frame* enter(Frame* top, uint64_t slot, Lanes now, Hot hot) {
        Arc* arc = callee(top, slot, now, hot);
        if (arc == nullptr) {
            return top;
        }
        return with_constant(listeners_,
                             [&](auto told) { return push<told()>(top, *arc, slot, now); });
    }
    /// The arc of the call that an enter record begins on `top`, which may move; null when it is
    /// not to be booked. It has to be pushed, or booked if the next record ends it.
    [[gnu::always_inline]] Arc* callee(Frame*& top, uint64_t slot, Lanes now, Hot hot) {
        // Of two keys the upper halves decide, the caller SPs: above(), for multiples of 8.
        const auto room = static_cast<int64_t>(top->key - slot);
        if (room < kOneHigher || top == last_) [[unlikely]] {
            Frame* here = top;  // its address is handed on
            const bool again = enters_again(here, slot, now);
            top = here;
            if (again) {
                return nullptr;
            }
            top = make_room(top, hotpath::slot_operand(slot), now);
            if (top == last_) {
                skip(top);
                return nullptr;
            }
        }
        const uint32_t function = hotpath::slot_index(slot);
        const uint64_t key = top->place_key | function;
        const auto is = [&](uint32_t guess) {
            return ArcGuess::may_be(guess, function) && hot.arcs[ArcGuess::arc(guess)].key == key;
        };
        uint32_t guess = *top->guess;
        if (!is(guess)) {
            uint32_t& recent = hot.recent[CallTree::recent_slot(key)];
            guess = recent;
            if (!is(guess)) [[unlikely]] {
                uint32_t found = 0;
                if (!look_up(key, found)) {
                    return nullptr;
                }
                recent = guess = ArcGuess::of(found, function);
            }
            *top->guess = guess;
        }
        Arc* arc = hot.arcs + ArcGuess::arc(guess);
        if (top->collapsed() && row(*arc, slot).outermost != 0) [[unlikely]] {
            arc = called_again(top, arc, slot);
        }
        top->guess = &arc->next;
        return arc;
    }
    template <Listeners kListeners>
    [[gnu::always_inline]] Frame* push(Frame* top, Arc& arc, uint64_t slot, Lanes now) {
        if constexpr ((kListeners & kRecorder) != 0) {
            const uint32_t callee = hotpath::slot_index(slot);
            if (recorder_->wants(callee)) {
                recorder_->begin(callee, top->function(), now);
            }
        }
        ThreadFunction& function = row(arc, slot);
        if constexpr ((kListeners & kAsync) != 0) {
            if (!function.is_plain) [[unlikely]] {
                tell_entered(function, *top, slot, now);
            }
        }
        ++top;
        top->key = slot & ~Frame::kFlags;
        top->place_key = Arc::key_of(arc.inside, 0);
        top->enter = now;
        top->children = Lanes{};
        top->arc = &arc;
        top->guess = &arc.first;
        if (function.outermost == 0) {
            function.outermost = number(top);
        } else {
            enter_again(*top, function);
        }
        return top;
    }
    /// Books a call on `top` that was not pushed, as it calls nothing. `slot`: its enter record.
    template <Listeners kListeners>
    [[gnu::always_inline]] void book_leaf(Frame& top, Arc& arc, uint64_t slot, Lanes begun,
                                          Lanes now, Hot hot) {
        const Lanes length = now - begun;
        top.children += length;
        arc.self += length;
        ThreadFunction& function = row(arc, slot);
        function.self += length;
        if (function.outermost == 0) {
            function.total += length;
            arc.total += length;
        } else {
            book_nested_leaf(top, arc, function, length);
        }
        if constexpr ((kListeners & kLog) != 0) {
            log_->add(tree_->number(arc), ticks_of(begun), ticks_of(now));
        }
        if constexpr ((kListeners & kRecorder) != 0) {
            const uint32_t callee = hotpath::slot_index(slot);
            if (recorder_->wants(callee)) {
                recorder_->leaf(callee, top.function(), begun, now);
            }
        }
        if constexpr ((kListeners & kAsync) != 0) {
            if (!function.is_plain) [[unlikely]] {
                tell_entered(function, top, slot, begun);
                tell_left(slot, now);
            }
        }
        const uint64_t net = net_ticks(length);
        count(function, net);
        tree_->count(arc, net, hot.histograms);
    }

    /// Whether a record is the leave or tailcall of the call with a key: the same, but for the
    /// kind, and no flag.
    static bool ends(uint64_t key, uint64_t slot) {
        const uint64_t plain = slot & ~uint64_t{hotpath::kSpareBit};  // a target may set it
        return plain - key - static_cast<uint64_t>(hotpath::Kind::kLeave) <= 1;
    }
    /// Whether a record is the leave or tailcall of the call that the record `enter` begins.
    static bool ends_call_of(uint64_t enter, uint64_t slot) {
        return ends(enter & ~uint64_t{hotpath::kSpareBit}, slot);
    }
    /// Ends the call on top. Returns the new top.
    template <Listeners kListeners>
    [[gnu::always_inline]] Frame* close(Frame* top, Lanes now, Hot hot) {
        const Lanes length = now - top->enter;
        if (top->collapsed()) {
            close_collapsed(top, length);
        }
        Arc& arc = *top->arc;
        const Lanes self = length - top->children;
        arc.self += self;
        (top - 1)->children += length;
        ThreadFunction& function = row(arc, top->key);
        function.self += self;
        if (function.outermost == number(top)) [[likely]] {
            function.outermost = 0;
            function.total += length;
            arc.total += length;
        } else {
            close_nested(*top, function, length);
        }
        if constexpr ((kListeners & kLog) != 0) {
            log_->add(tree_->number(arc), top->enter_ticks(), ticks_of(now));
        }
        if constexpr ((kListeners & kRecorder) != 0) {
            if (recorder_->recording()) {
                recorder_->end(now);
            }
        }
        const uint64_t net = net_ticks(length);
        count(function, net);
        tree_->count(arc, net, hot.histograms);
        if constexpr ((kListeners & kAsync) != 0) {
            if (!function.is_plain) [[unlikely]] {
                tell_left(top->key, now);
                if ((top->key & Frame::kGoesOn) != 0) {
                    tree_->take_back_call(arc);
                }
            }
        }
        return top - 1;
    }
    /// Ends the call of a leave or tailcall record, whichever it is. Returns the new top.
    Frame* leave(Frame* top, uint64_t slot, Lanes now);

    /// Calls the thread is in; frame(0) is the outermost. Calls beyond the depth limit are not in.
    [[nodiscard]] size_t depth() const { return static_cast<size_t>(top_ - frames_.data()); }
    [[nodiscard]] Frame& frame(size_t index) { return frames_[index + 1]; }
    [[nodiscard]] const Frame& frame(size_t index) const { return frames_[index + 1]; }
    /// Function of the innermost call; 0 when there is none.
    [[nodiscard]] uint32_t top_function() const { return depth() == 0 ? 0 : top_->function(); }
    /// Whether frame(index) is the outermost open call of its function, of its edge.
    [[nodiscard]] bool is_outermost(size_t index) const;
    [[nodiscard]] bool is_outermost_of_edge(size_t index) const;

    /// All open calls have paths now. To be called before anybody asks where they stand, and when
    /// the replay loop ends: outside of it no frame is collapsed. `top` is the innermost.
    void expand(Frame* top);
    void expand() { expand(top_); }

    /// Calls made where the stack pointer was above `sp`: those that stand while a frame with this
    /// stack pointer, or a callee that has this caller SP, is the innermost.
    [[nodiscard]] size_t alive_above(uint32_t sp) const;
    /// Calls that are never left: the one the thread began inside.
    [[nodiscard]] size_t never_left() const { return bottom_; }
    /// Of two stack pointers of one thread.
    static bool above(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) > 0; }

    /// An async call goes on in a frame with a stack pointer: until that ends, what is called
    /// stands below `place` of the tree. Where there is no frame for it, it stands below the call
    /// on top.
    void resume(uint32_t place, uint32_t sp, Lanes now);
    /// From now on what is called in the resumption on top stands below another place.
    void move_resumption(uint32_t place);
    /// What has gone on in frames at `sp` and deeper has been suspended again or has ended.
    void resume_ends(uint32_t sp, Lanes now);
    /// frame(index) is no call: an async call that goes on is the innermost of the frames above it.
    [[nodiscard]] bool is_resumption(size_t index) const {
        return index >= bottom_ && (frame(index).key & Frame::kBottom) != 0;
    }
    [[nodiscard]] bool has_resumptions() const { return !resumptions_.empty(); }
    /// When a call began, in a count of time that goes on while it does not run because another
    /// one was resumed: its own as long as it is open.
    [[nodiscard]] Lanes began(const Frame& frame) const { return frame.enter - stood_; }
    /// What is to be taken from a time for that count.
    [[nodiscard]] Lanes stood() const { return stood_; }
    /// Where frame(index) is, a call that is suspended.
    [[nodiscard]] AsyncPlace place_of(size_t index) const {
        return {.place = frames_[index].place(),
                .own = frame(index).place(),
                .function = frame(index).function()};
    }
    /// Of the innermost call of a function that `is_machine` says is a state machine's body; of the
    /// innermost of all where there is none, without a function.
    template <typename IsMachine>
    [[nodiscard]] AsyncPlace suspended(const IsMachine& is_machine) const {
        const size_t first = resumptions_.empty() ? bottom_ : resumptions_.back().frame;
        for (size_t index = depth(); index > first; --index) {
            if (frames_[index].arc != tree_->base() && is_machine(frames_[index].function())) {
                return place_of(index - 1);
            }
        }
        return {.place = top_->place(), .own = top_->place(), .function = 0};
    }
    /// The calls of async methods on a path, from the innermost on, that are open as long as
    /// frame(index), a resumption, stands: `book` gets the arc, and whether no other call of its
    /// function is.
    void for_each_resumed(size_t index, const std::function<void(uint32_t arc, bool)>& book) const;

    /// Ends the calls with an index >= `depth`: the program has left them without a word.
    void drop_to(size_t depth, Lanes now);
    /// Ends the innermost call, or what goes on in a frame; an exception has removed it. What is
    /// never left stays.
    void pop_unwound(Lanes now);
    /// Ends the calls with an index >= `depth`: the runtime has suspended them.
    void suspend_to(size_t depth, Lanes now);
    /// So many of the frames closed by caller SP had been suspended (AsyncThread::take_vanished).
    void explain_repairs(size_t count) { counts_.repairs -= count; }

    /// Records were lost: calls now open may have ended unseen.
    void note_loss(uint64_t now_ticks);

    /// Calls open beyond the depth limit; an estimate when exceptions run through them.
    [[nodiscard]] bool skipping() const { return skipping(*top_); }
    void pop_skipped() { skipped_ -= skipping() ? 1U : 0U; }

    /// Gives back the room for calls that are not open and functions that were not called: nothing
    /// much is expected any more.
    void shrink();

    /// Marks the places it is in, by number.
    void mark_places(std::vector<bool>& needed) const;
    /// The tree has been pruned, none of these places is gone.
    void renumber(const Pruned& pruned);

    /// Goes on in another tree, from `root` down. Nothing of an open call has been booked yet, so
    /// all of it will be there. Not with a log.
    void move_to(CallTree& tree, FrameBudget& budget, uint32_t root);

    /// The arcs and functions of the open calls, for what happens inside all of them. Of a very
    /// deep stack the outer and the inner ones.
    [[nodiscard]] OpenCalls open_calls() const;

    /// By function index; those never called are zeros.
    using Functions = PagedArray<ThreadFunction, 64>;
    [[nodiscard]] const Functions& functions() const { return functions_; }
    [[nodiscard]] const StackCounts& counts() const { return counts_; }

  private:
    static constexpr int64_t kOneHigher = int64_t{1} << 32;  ///< a caller SP, in a key
    static constexpr uint32_t kNever = ~uint32_t{0};         ///< no frame's number

    template <typename Book>
    void walk_path(const Frame& resumption, const Book& book) const;
    [[nodiscard]] bool skipping(const Frame& top) const {
        return (top.key & Frame::kSkipping) != 0 && skipped_ != 0;
    }
    [[nodiscard]] uint32_t number(const Frame* frame) const {
        return static_cast<uint32_t>(frame - frames_.data());
    }

    Frame* close(Frame* top, Lanes now) {
        if (top != bottom() && (top->key & Frame::kBottom) != 0) {
            return end_resumption(top, now);
        }
        return with_constant(listeners_, [&](auto told) { return close<told()>(top, now, hot()); });
    }
    Frame* close(Frame* top, AsyncThread::Ending ending, Lanes now);
    /// Of a function that is not known to be plain code: tell the AsyncThread if it is not, the
    /// first notes it. `slot`: of its enter record, any flags; `caller`: the frame it is called by.
    [[gnu::noinline]] void tell_entered(ThreadFunction& function, const Frame& caller,
                                        uint64_t slot, Lanes now);
    [[gnu::noinline]] void tell_left(uint64_t slot, Lanes now);
    /// AsyncFact::keys of what is called by a frame.
    [[nodiscard]] uint64_t callers_of(const Frame& frame) const;
    /// What is never left: the thread itself, or the call it was in.
    [[nodiscard]] Frame* bottom() { return frames_.data() + bottom_; }
    Frame* repair(Frame* top, Lanes now);
    Frame* make_room(Frame* top, uint32_t caller_sp, Lanes now);
    /// Whether an enter record is of a call that is open: behind an await that has not suspended
    /// it (AsyncThread::may_enter_again). What it has called has ended; `top` is its frame then.
    [[gnu::noinline]] bool enters_again(Frame*& top, uint64_t slot, Lanes now);
    void skip(Frame* top);
    /// Finds or makes the arc with a key. False: there is no such function.
    [[gnu::noinline]] bool look_up(uint64_t key, uint32_t& arc);
    /// The arc of a call of a function that is open already, made where there are no paths. What
    /// is open further out is on the path that was left, which the call comes back to: it has to
    /// have a path.
    [[gnu::noinline]] Arc* called_again(Frame* top, Arc* arc, uint64_t slot);
    /// A call that is open is along another arc from now on, or, with 0, has no room.
    void set_arc(Frame& frame, uint32_t arc);
    /// A call on a collapsed path, or below one, is about to end.
    [[gnu::noinline]] void close_collapsed(Frame* top, Lanes length);
    /// Of the callee of an arc; `slot` names it, too, and is known earlier.
    ThreadFunction& row(const Arc& arc, uint64_t slot) {
        return &arc == tree_->base() ? no_room_ : functions_[hotpath::slot_index(slot)];
    }
    static void count(ThreadFunction& function, uint64_t ticks) {
        const auto length = static_cast<float>(static_cast<int64_t>(ticks));
        if (length < function.min_ticks || function.calls == 0) [[unlikely]] {
            function.min_ticks = length;
        }
        if (length > function.max_ticks) [[unlikely]] {
            function.max_ticks = length;
        }
        ++function.calls;
    }
    void enter_again(const Frame& frame, const ThreadFunction& function);
    void close_nested(Frame& frame, const ThreadFunction& function, Lanes length);
    void book_nested_leaf(Frame& top, Arc& arc, const ThreadFunction& function, Lanes length);
    /// What the innermost resumption, or the thread, has open is open no more until show_open().
    void hide_open();
    void show_open(size_t first_mark);
    [[nodiscard]] bool is_marked(uint32_t number, size_t index, bool is_edge) const;
    /// The calls on the path of a resumption's place are open, and belong to `opener`.
    void open_path(uint32_t opener);
    void close_path(uint32_t opener, Lanes took);
    Frame* end_resumption(Frame* top, Lanes now);
    /// Whether an open frame of the function's is inside no other along the same edge.
    [[nodiscard]] bool opens_edge(const Arc& arc, const ThreadFunction& function);
    /// Makes room for `frames` frames and the bottom one; returns the new address of `top`.
    Frame* resize(Frame* top, size_t frames);

    /// A function or an edge with its outermost open frame, while others count as open.
    struct Mark {
        uint32_t number;
        uint32_t frame;
        bool is_edge;
    };
    struct Resumption {
        uint32_t frame;
        size_t first_mark;  ///< of what is not open meanwhile, in marks_
    };

    CallTree* tree_;
    FrameBudget* budget_;
    CallLog* log_;
    SlowCallRecorder* recorder_;
    AsyncThread* async_ = nullptr;
    Listeners listeners_;
    std::vector<Frame> frames_;  ///< frames_[0] is the thread itself, never closed
    size_t bottom_ = 0;          ///< index of the innermost frame that is never closed
    Frame* top_;
    Frame* last_;  ///< the last frame there is room for
    size_t max_depth_;
    uint64_t skipped_ = 0;   ///< of the frame marked kSkipping
    bool recursed_ = false;  ///< since a path was left, a function that was called first behind it
    bool lost_ = false;
    uint64_t lost_ticks_ = 0;  ///< calls begun up to here are excused
    uint32_t root_guess_ = 0;  ///< the arc the thread itself takes next, probably
    Functions functions_;
    ThreadFunction no_room_{};                ///< of what has no room in the tree
    PagedArray<uint32_t, 1024> edge_frames_;  ///< by edge: its outermost frame, where recursive
    std::vector<Resumption> resumptions_;     ///< that stand, the innermost last
    std::vector<Mark> marks_;
    Lanes stood_{};  ///< what Frame::enter of all open frames was moved by, in sum
    StackCounts counts_;
};

}  // namespace umbra::replay
