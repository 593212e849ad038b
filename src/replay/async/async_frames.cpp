// SPDX-License-Identifier: MIT
// The frames of a thread, and whose what happens in them is.
#include <algorithm>

#include "src/replay/async/async_calls.h"

namespace umbra::replay {
namespace {

/// Of two addresses on one thread's stack.
bool above(uint32_t a, uint32_t b) {
    return static_cast<int32_t>(a - b) > 0;
}

}  // namespace

AsyncCalls::Frames& AsyncCalls::frames_of(uint32_t thread) {
    if (latest_ == nullptr || latest_->first != thread) {
        latest_ = &*threads_.try_emplace(thread).first;
    }
    return latest_->second;
}

AsyncCalls::Frame* AsyncCalls::innermost(Frames& frames) {
    const auto frame =
        std::ranges::find(frames.rbegin(), frames.rend(), Frame::kMethod, &Frame::kind);
    return frame == frames.rend() ? nullptr : &*frame;
}

AsyncCalls::Context AsyncCalls::outside(const Call& call) const {
    // What is not timed has no node of its own, but its parent's.
    const uint32_t node = call.function == 0 ? call.node : book_.node_above(call.node);
    if (node == 0) {
        return {call.parent, node, AsyncHow::kRoot};
    }
    // What it makes, or what goes on behind its end unknown to us, is its parent's, in the way in
    // which it is itself.
    return {call.parent, node,
            call.how == AsyncHow::kSpawned ? AsyncHow::kSpawned : AsyncHow::kCalled};
}

AsyncCalls::Context AsyncCalls::context(const Frames& frames) const {
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        if (frame->kind == Frame::kWork) {
            if (frame->context.node != 0 || book_.find(frame->context.call) != nullptr) {
                return {frame->context.call, frame->context.node, AsyncHow::kSpawned};
            }
            continue;
        }
        if (frame->done) {
            return frame->context;
        }
        const CallRef here = frame->stack != 0 ? innermost_of(frame->stack) : frame->call;
        const Call* call = book_.find(here);
        if (call != nullptr) {
            return call->function == 0 ? outside(*call)
                                       : Context{here, call->node, AsyncHow::kCalled};
        }
        if (frame->kind == Frame::kResume) {
            return {};  // of what was called before the session, or by too many
        }
    }
    return {};
}

void AsyncCalls::push(Frames& frames, const Frame& frame) {
    if (frames.size() < limits_.frames) {
        frames.push_back(frame);
    }
}

void AsyncCalls::runs(Frame* frame, CallRef by, uint64_t ticks) {
    Call* call =
        frame == nullptr || frame->suspended || frame->done ? nullptr : book_.find(frame->call);
    if (call == nullptr || call->state != Call::State::kOnThread) {
        return;
    }
    const Call* child = book_.find(by);
    const bool own = child != nullptr && child->parent == frame->call;
    book_.turn(*call, own ? AsyncPart::kChildren : AsyncPart::kRunning, ticks);
}

void AsyncCalls::note_before(Frames& frames, uint32_t key) {
    for (Frame& frame : frames) {
        if (key != 0 && frame.kind == Frame::kMethod && frame.unseen == key) {
            frame.unseen = 0;
            book_.began_before(frame.call);
        }
    }
}

void AsyncCalls::end(Frames& frames, CallRef ended, AsyncOutcome outcome, uint64_t ticks) {
    const Call* call = book_.find(ended);
    if (call == nullptr) {
        return;
    }
    // Who was about to wait for it may still do so, and tells that a moment later.
    if (call->function != 0 && call->key != 0 && !is_reused(call->key) &&
        !stacks_.contains(call->key)) {
        ended_tasks_[call->key] = {.function = call->function, .maker = call->parent};
    }
    const Context around = outside(*call);
    for (Frame& frame : frames) {
        if (frame.call == ended && frame.kind == Frame::kMethod) {
            frame.done = true;
            frame.context = around;
        }
    }
    book_.end(ended, outcome, ticks);
}

bool AsyncCalls::end_signalled(CallRef signalled) {
    const Call* call = book_.find(signalled);
    for (auto& [thread, frames] : threads_) {
        const auto frame = std::ranges::find_if(frames, [&](const Frame& one) {
            return one.kind == Frame::kMethod && one.call == signalled && !one.suspended &&
                   !one.done;
        });
        if (call != nullptr && frame != frames.end() && ends_by_signal(*frame, *call)) {
            const uint64_t ticks = frame->signal_ticks;
            book_.take_back(*book_.find(signalled), ticks);
            end(frames, signalled, frame->signalled, ticks);
            return true;
        }
    }
    return false;
}

void AsyncCalls::pop(Frames& frames, uint64_t ticks) {
    const Frame frame = frames.back();
    frames.pop_back();
    if (frame.stack != 0) {
        return frame.used ? void() : leave_stack(frame.stack, ticks);
    }
    Call* call = book_.find(frame.call);
    if (frame.kind == Frame::kResume && call != nullptr && !frame.used &&
        call->state == Call::State::kOnThread) {
        if (call->function == 0) {
            book_.end(frame.call, AsyncOutcome::kResult, ticks);  // an iterator, which has no other
        } else {
            book_.turn(*call, AsyncPart::kOutside, ticks);  // its probes are gone
        }
    }
    if (frame.kind == Frame::kMethod) {
        if (call != nullptr && !frame.suspended && !frame.done &&
            call->state == Call::State::kOnThread) {
            book_.end(frame.call, AsyncOutcome::kUnknown, ticks);
        }
        runs(innermost(frames), {}, ticks);
    }
}

void AsyncCalls::pop_to(Frames& frames, uint32_t sp, uint64_t ticks) {
    while (!frames.empty() && !above(frames.back().sp, sp)) {
        pop(frames, ticks);
    }
}

}  // namespace umbra::replay
