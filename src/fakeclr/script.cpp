// SPDX-License-Identifier: MIT
// The order in which the CLR calls hooks and exception callbacks, replayed on a made-up stack.
#include "src/fakeclr/script.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include <unistd.h>

#include "src/fakeclr/il_code.h"

namespace umbra::fakeclr {
namespace {

// A stack as Linux gives a thread: 16 MiB apart, high in the address space.
constexpr uint64_t kFirstStackTop = 0x7f10'0000'0000;
constexpr uint64_t kStackBytes = 16U << 20;
/// What the runtime's exception machinery puts between the throwing frame and its blocks.
constexpr uint64_t kDispatchBytes = 0x1200;
constexpr uint64_t kFuncletBytes = 0x60;

uint64_t new_stack_top() {
    static std::atomic<uint64_t> stacks{0};  // only so that two stacks never overlap
    return kFirstStackTop - stacks.fetch_add(1) * kStackBytes;
}

/// Sizes differ between methods and stay for one: 48 to 288 bytes, 16-byte aligned.
uint64_t frame_bytes(const FakeMethod& method) {
    return 0x30 + (method.token % 16) * 0x10;
}

}  // namespace

Player::Player(FakeRuntime& runtime, Options options) : runtime_(runtime), options_(options) {
    if (options_.stack_top == 0) {
        options_.stack_top = new_stack_top();
    }
}

clr::ICorProfilerCallback2* Player::exceptions() const {
    return runtime_.listener(clr::COR_PRF_MONITOR_EXCEPTIONS);
}

uint32_t Player::path_of_callee(FakeMethod& method, bool told) {
    const uint32_t parent = frames_.empty() ? 0 : frames_.back().path;
    if (!told || !options_.count_paths) {
        return parent;
    }
    const auto [child, added] =
        children_[parent].try_emplace(&method, static_cast<uint32_t>(paths_.size()));
    if (added) {
        paths_.push_back({parent, &method, 0});
    }
    ++paths_[child->second].calls;
    return child->second;
}

// Locals lie at the lower end of a frame, above what calls push; blocks of exceptions see the same.
uint64_t Player::locals_of(const Frame& frame) {
    return frame.caller_sp - frame_bytes(*frame.method) + sizeof(uint64_t);
}

void Player::call_enter(const Frame& frame) {
    if (frame.body->il) {
        return frame.body->il->enter(locals_of(frame));
    }
    if (auto* slow = runtime_.info().slow_hooks().enter) {
        return slow({frame.body->client_id}, 0);
    }
    umbra_fakeclr_enter(&runtime_.slots().enter, frame.body->client_id, frame.caller_sp);
}

void Player::call_leave(const Frame& frame) {
    if (frame.body->il) {
        return frame.body->il->leave(locals_of(frame));
    }
    if (auto* slow = runtime_.info().slow_hooks().leave) {
        return slow({frame.body->client_id}, 0);
    }
    umbra_fakeclr_leave(&runtime_.slots().leave, frame.body->client_id, frame.caller_sp);
}

void Player::call_tailcall(const Frame& frame) {
    if (frame.body->il) {
        return frame.body->il->leave(locals_of(frame));
    }
    if (auto* slow = runtime_.info().slow_hooks().tailcall) {
        return slow({frame.body->client_id}, 0);
    }
    umbra_fakeclr_leave(&runtime_.slots().tailcall, frame.body->client_id, frame.caller_sp);
}

void Player::push(FakeMethod& method, uint64_t caller_sp) {
    const CompiledBody& body = runtime_.body(method);
    const uint32_t path = path_of_callee(method, body.tells_calls());
    frames_.push_back(
        {&method, &body, caller_sp, caller_sp - frame_bytes(method), path, next_serial_++});
    if (body.tells_calls()) {
        ++events_.enters;
        call_enter(frames_.back());
    }
}

void Player::enter(FakeMethod& method) {
    push(method, sp());
}

void Player::leave() {
    const Frame& top = frames_.at(frames_.size() - 1);
    if (top.body->tells_calls()) {
        ++events_.leaves;
        call_leave(top);
    }
    frames_.pop_back();
}

void Player::tailcall(FakeMethod& method) {
    const Frame ended = frames_.at(frames_.size() - 1);
    if (ended.body->tells_calls()) {
        ++events_.tailcalls;
        call_tailcall(ended);
    }
    frames_.pop_back();
    push(method, ended.caller_sp);
}

void Player::call(FakeMethod& method, const Piece& body) {
    enter(method);
    if (body) {
        body(*this);
    }
    leave();
}

void Player::sleep_ns(uint64_t ns) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
}

void Player::spin_ns(uint64_t ns) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
    while (std::chrono::steady_clock::now() < end) {
    }
}

bool Player::alive(size_t index, uint64_t serial) const {
    return index < frames_.size() && frames_[index].serial == serial;
}

template <typename Callback>
void Player::tell_block(const Frame& frame, const Callback& callback) const {
    if (auto* profiler = exceptions()) {
        COR_PRF_EX_CLAUSE_INFO clause{};
        clause.framePointer = frame.sp;
        FakeInfo::set_notified_clause(&clause);
        callback(*profiler);
        FakeInfo::set_notified_clause(nullptr);
    }
}

bool Player::run_block(size_t index, const Piece& body, uint64_t sp) {
    const uint64_t serial = frames_[index].serial;
    const uint64_t own_sp = std::exchange(frames_[index].sp, sp - kFuncletBytes);
    const size_t depth = frames_.size();
    if (body) {
        body(*this);
    }
    if (!alive(index, serial)) {
        return false;
    }
    if (frames_.size() != depth) {
        throw std::logic_error("a block of an exception must leave what it entered");
    }
    frames_[index].sp = own_sp;
    return true;
}

void Player::run_filter(const Clause& filter, size_t owner, uint64_t sp) {
    FakeMethod& method = *frames_[owner].method;
    tell_block(frames_[owner],
               [&](auto& profiler) { profiler.ExceptionSearchFilterEnter(method.id); });
    // It runs while everything up to the throwing frame stands, so its callees are on top of that.
    filters_.push_back({frames_.size(), &method});
    run_block(frames_.size() - 1, filter.body, sp);
    filters_.pop_back();
    tell_block(frames_[owner], [](auto& profiler) { profiler.ExceptionSearchFilterLeave(); });
}

void Player::search(const Exception& exception, size_t thrower, size_t last) {
    const uint64_t sp = frames_[thrower].sp - kDispatchBytes;
    const bool has_catcher = exception.caught_in < Exception::kLeavesFilter;
    for (size_t index = thrower + 1; index-- > last;) {
        FakeMethod& method = *frames_[index].method;
        if (auto* profiler = exceptions()) {
            profiler->ExceptionSearchFunctionEnter(method.id);
        }
        for (const Clause& filter : exception.filters) {
            if (thrower - filter.frame == index) {
                run_filter(filter, index, sp);
            }
        }
        if (auto* profiler = exceptions()) {
            if (has_catcher && index == last) {
                profiler->ExceptionSearchCatcherFound(method.id);
            }
            profiler->ExceptionSearchFunctionLeave();
        }
    }
}

bool Player::run_finallys(const Exception& exception, size_t thrower, size_t index, uint64_t sp) {
    for (const Clause& finally : exception.finallys) {
        if (thrower - finally.frame != index) {
            continue;
        }
        tell_block(frames_[index], [&](auto& profiler) {
            profiler.ExceptionUnwindFinallyEnter(frames_[index].method->id);
        });
        if (!run_block(index, finally.body, sp)) {
            return false;
        }
        tell_block(frames_[index], [](auto& profiler) { profiler.ExceptionUnwindFinallyLeave(); });
    }
    return true;
}

void Player::catch_in(const Exception& exception, const FakeObject& object, size_t index,
                      uint64_t sp) {
    tell_block(frames_[index], [&](auto& profiler) {
        profiler.ExceptionCatcherEnter(frames_[index].method->id, object.id());
    });
    if (!run_block(index, exception.handler, sp)) {
        return;  // the handler threw: the runtime does not say that it has ended
    }
    if (auto* profiler = exceptions()) {
        profiler->ExceptionCatcherLeave();
    }
}

void Player::raise(const Exception& exception) {
    const size_t thrower = frames_.size() - 1;
    const bool leaves_filter = exception.caught_in == Exception::kLeavesFilter;
    const bool uncaught = exception.caught_in == Exception::kUncaught;
    if (frames_.empty() || (leaves_filter && filters_.empty()) ||
        (!leaves_filter && !uncaught && exception.caught_in > thrower)) {
        throw std::logic_error("an exception needs a frame that throws and one that catches");
    }
    const size_t last = leaves_filter ? filters_.back().frames
                        : uncaught    ? 0
                                      : thrower - exception.caught_in;
    const FakeObject object{exception.type};
    const uint64_t sp = frames_[thrower].sp - kDispatchBytes;

    if (auto* profiler = exceptions()) {
        profiler->ExceptionThrown(object.id());
    }
    search(exception, thrower, last);
    if (uncaught) {
        return;  // the process dies here; nothing is unwound
    }
    for (size_t index = thrower + 1; index-- > last;) {
        FakeMethod& method = *frames_[index].method;
        if (auto* profiler = exceptions()) {
            profiler->ExceptionUnwindFunctionEnter(method.id);
        }
        if (!run_finallys(exception, thrower, index, sp)) {
            return;
        }
        if (index == last && !leaves_filter) {
            catch_in(exception, object, index, sp);
            return;
        }
        if (frames_[index].body->il) {
            ++events_.leaves;
            frames_[index].body->il->unwind(locals_of(frames_[index]));
        }
        if (auto* profiler = exceptions()) {
            profiler->ExceptionUnwindFunctionLeave();
        }
        frames_.pop_back();
    }
    if (auto* profiler = exceptions()) {
        profiler->ExceptionUnwindFunctionEnter(filters_.back().method->id);
    }
}

std::map<std::string, uint64_t> Player::calls_by_path() const {
    std::vector<std::string> names(paths_.size());
    std::map<std::string, uint64_t> calls;
    for (size_t i = 1; i < paths_.size(); ++i) {  // a parent always comes before its children
        const std::string& parent = names[paths_[i].parent];
        names[i] = (parent.empty() ? "" : parent + ";") + paths_[i].method->full_name;
        calls[names[i]] += paths_[i].calls;
    }
    return calls;
}

std::vector<ThreadOutcome> run_threads(FakeRuntime& runtime, const std::vector<ThreadPlan>& plans,
                                       Player::Options options) {
    std::vector<ThreadOutcome> outcomes(plans.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < plans.size(); ++i) {
        const ThreadPlan& plan = plans[i];
        ThreadOutcome& outcome = outcomes[i];
        FakeThread& thread = runtime.create_thread(plan.name);
        threads.emplace_back([&runtime, &plan, &outcome, &thread, options] {
            outcome.os_tid = static_cast<uint32_t>(gettid());
            Player player(runtime, options);
            if (!plan.foreign) {
                runtime.start_thread(thread);
            }
            plan.program(player);
            if (plan.foreign) {
                runtime.start_thread(thread);
            }
            outcome.events = player.events();
            outcome.calls_by_path = player.calls_by_path();
            runtime.end_thread(thread);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return outcomes;
}

}  // namespace umbra::fakeclr
