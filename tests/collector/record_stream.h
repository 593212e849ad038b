// SPDX-License-Identifier: MIT
// Writes records as the stubs do, replays them, and shows the resulting call tree as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hotpath/record.h"
#include "src/collector/state/session_state.h"
#include "src/profile/profile.h"

namespace umbra::collector::testing {

using hotpath::ControlType;
using hotpath::Kind;

/// The records of one thread. Functions are letters: 'A' has index 1, 0 is one without a number.
class RecordStream {
  public:
    RecordStream() = default;
    /// See tell().
    RecordStream(const char* records) { tell(records); }

    /// "0 enter A 100, 5 thrown 1, 9 leave A 100": for each record its ticks, the function of this
    /// class that writes it, and what that takes before the ticks; '-' is function 0. Remarks stand
    /// in parentheses. Throws std::invalid_argument, with the record, if it is none.
    RecordStream& tell(const std::string& records);

    static uint32_t index(char function) {
        return function == 0 ? 0 : static_cast<uint32_t>(function - 'A') + 1;
    }

    RecordStream& enter(char function, uint32_t caller_sp, uint64_t ticks) {
        return record(Kind::kEnter, index(function), caller_sp, ticks);
    }
    RecordStream& leave(char function, uint32_t caller_sp, uint64_t ticks) {
        return record(Kind::kLeave, index(function), caller_sp, ticks);
    }
    RecordStream& enter_index(uint32_t function, uint32_t caller_sp, uint64_t ticks) {
        return record(Kind::kEnter, function, caller_sp, ticks);
    }
    RecordStream& leave_index(uint32_t function, uint32_t caller_sp, uint64_t ticks) {
        return record(Kind::kLeave, function, caller_sp, ticks);
    }
    RecordStream& tailcall(char function, uint32_t caller_sp, uint64_t ticks) {
        return record(Kind::kTailcall, index(function), caller_sp, ticks);
    }
    RecordStream& control(ControlType type, uint32_t operand, uint64_t ticks) {
        return record(Kind::kControl, static_cast<uint32_t>(type), operand, ticks);
    }
    /// Of the record before.
    RecordStream& payload(uint64_t slot) {
        slots_.push_back(slot);
        return *this;
    }
    RecordStream& waited(uint64_t began, uint64_t ticks) {
        control(ControlType::kWaited, 0, ticks);
        slots_.push_back(began);
        return *this;
    }
    // Arguments, by their number.
    RecordStream& argument(uint32_t number, uint64_t bits, uint64_t ticks) {
        control(ControlType::kArgumentNumber, number, ticks);
        slots_.push_back(bits);
        return *this;
    }
    RecordStream& null_argument(uint32_t number, uint64_t ticks) {
        return control(ControlType::kArgumentNull, number, ticks);
    }
    /// `code_units`: of the whole text.
    RecordStream& text(uint32_t number, std::string_view kept, uint32_t code_units, uint64_t ticks);
    /// Of a text in ASCII, all of which is kept.
    RecordStream& text(uint32_t number, std::string_view whole, uint64_t ticks) {
        return text(number, whole, static_cast<uint32_t>(whole.size()), ticks);
    }
    RecordStream& arguments_end(char function, uint64_t ticks) {
        return control(ControlType::kArgumentsEnd, index(function), ticks);
    }
    RecordStream& compile_started(char function, uint64_t ticks) {
        return control(ControlType::kCompileStarted, index(function), ticks);
    }
    RecordStream& compile_finished(char function, uint64_t ticks) {
        return control(ControlType::kCompileFinished, index(function), ticks);
    }
    RecordStream& lost(uint32_t records, uint64_t ticks) {
        return control(ControlType::kLost, records, ticks);
    }

    RecordStream& record(Kind kind, uint32_t index, uint32_t operand, uint64_t ticks) {
        slots_.push_back(hotpath::make_slot(kind, index, operand));
        slots_.push_back(ticks);
        return *this;
    }

    // Exceptions, in the words of the runtime's callbacks. `caller_sp`: of the frame whose block
    // begins; 0: it is not known.
    RecordStream& thrown(uint32_t type, uint64_t ticks) {
        return control(ControlType::kExceptionThrown, type, ticks);
    }
    /// A frame is removed: UnwindFunctionEnter and Leave with nothing in between.
    RecordStream& unwound(char function, uint64_t ticks) {
        return unwind_enter(function, ticks).unwind_leave(ticks);
    }
    RecordStream& unwind_enter(char function, uint64_t ticks) {
        return control(ControlType::kUnwindFunctionEnter, index(function), ticks);
    }
    RecordStream& unwind_leave(uint64_t ticks) {
        return control(ControlType::kUnwindFunctionLeave, 0, ticks);
    }
    RecordStream& finally_enter(char function, uint32_t caller_sp, uint64_t ticks) {
        return block(ControlType::kUnwindFinallyEnter, function, sp_below(caller_sp), ticks);
    }
    RecordStream& finally_leave(uint64_t ticks) {  // of whose frame is not known
        return control(ControlType::kUnwindFinallyLeave, 0, ticks);
    }
    /// The catching frame is reached: UnwindFunctionEnter without Leave, then CatcherEnter.
    RecordStream& caught(char function, uint32_t caller_sp, uint64_t ticks) {
        return unwind_enter(function, ticks)
            .block(ControlType::kCatcherEnter, function, sp_below(caller_sp), ticks);
    }
    RecordStream& catcher_leave(uint64_t ticks) {
        return control(ControlType::kCatcherLeave, 0, ticks);
    }
    RecordStream& filter_enter(char function, uint32_t caller_sp, uint64_t ticks) {
        return block(ControlType::kFilterEnter, function, sp_below(caller_sp), ticks);
    }
    RecordStream& filter_leave(uint64_t ticks) { return filter_leave_at(0, ticks); }

    // A block of the frame with this stack pointer begins or ends; 0: it is not known.
    RecordStream& block(ControlType type, char function, uint32_t sp, uint64_t ticks) {
        return control(type, index(function), ticks).payload(sp);
    }
    RecordStream& filter_at(char function, uint32_t sp, uint64_t ticks) {
        return block(ControlType::kFilterEnter, function, sp, ticks);
    }
    RecordStream& filter_leave_at(uint32_t sp, uint64_t ticks) {
        return control(ControlType::kFilterLeave, sp, ticks);
    }
    RecordStream& catcher_at(char function, uint32_t sp, uint64_t ticks) {
        return block(ControlType::kCatcherEnter, function, sp, ticks);
    }

    // Async calls, by their keys; all are of one type.
    RecordStream& suspended(uint32_t key, uint64_t ticks) {
        return async(ControlType::kAsyncSuspended, 500, key, ticks);
    }
    /// All calls deeper than `address`, by the runtime itself.
    RecordStream& stack_suspended(uint32_t key, uint32_t address, uint64_t ticks) {
        return async(ControlType::kAsyncStackSuspended, address, key, ticks);
    }
    RecordStream& resumed(uint32_t key, uint32_t sp, uint64_t ticks) {
        return async(ControlType::kAsyncResumed, sp, key, ticks);
    }
    RecordStream& resume_ends(uint32_t sp, uint64_t ticks) {
        return control(ControlType::kAsyncResumeEnds, sp, ticks);
    }
    RecordStream& completed(uint32_t key, uint64_t ticks) {
        return async(ControlType::kAsyncCompleted, 500, key, ticks);
    }

    [[nodiscard]] const std::vector<uint64_t>& slots() const { return slots_; }

  private:
    RecordStream& async(ControlType type, uint32_t operand, uint32_t key, uint64_t ticks) {
        constexpr uint64_t kType = 0x7000;
        return control(type, operand, ticks)
            .payload(hotpath::make_async_keys(key, 0))
            .payload(kType);
    }
    /// Of a frame with nothing in it.
    static uint32_t sp_below(uint32_t caller_sp) { return caller_sp == 0 ? 0 : caller_sp - 1; }

    std::vector<uint64_t> slots_;
};

/// Every path has a row of its own.
inline replay::Limits full_tree(replay::Limits limits = {}) {
    limits.tree = replay::TreeShape::kFull;
    return limits;
}

/// One of the shapes a folded tree takes, by what limits it meets.
replay::Limits folded_tree(uint64_t seed);

/// A session whose functions 1 .. 26 are called A .. Z, at one tick a nanosecond.
class Replayed {
  public:
    explicit Replayed(const replay::Limits& limits = full_tree(), bool one_shard = true);
    /// One thread that begins at 0 and has run `stream`.
    explicit Replayed(const RecordStream& stream, const replay::Limits& limits = full_tree())
        : Replayed(limits) {
        thread();
        feed(stream);
    }

    /// A new thread; what is fed from now on is its.
    ProfiledThread& thread(uint32_t os_tid = 1) {
        current_ = state_.add_thread(os_tid, 0);
        return *current_;
    }
    ProfiledThread& current() { return *current_; }
    Replayed& feed(const RecordStream& stream) {
        current_->consume(stream.slots(), true);
        return *this;
    }
    SessionState& state() { return state_; }
    [[nodiscard]] const SessionState& state() const { return state_; }

    [[nodiscard]] profile::Profile profile(uint64_t now = 0) const;

    /// "A 2 100/40" is a path called twice, 100 ns in it, 40 in itself; its callees follow,
    /// indented. "+1" behind: calls still open. Threads are separated by "--".
    [[nodiscard]] std::string tree(uint64_t now = 0) const;

    /// "type thrown_in>caught_in xcount", one a line; '-' where there is none.
    [[nodiscard]] std::string exceptions() const;

    static std::string name(const profile::Profile& p, profile::Row function) {
        return function == profile::kNone ? "-" : p.functions[function].method;
    }

  private:
    SessionState state_;
    ProfiledThread* current_ = nullptr;
};

}  // namespace umbra::collector::testing
