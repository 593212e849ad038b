// SPDX-License-Identifier: MIT
// The rare ways through the shadow stack: new arcs, recursion, repairs, growing, the depth limit.
#include "src/replay/shadow_stack.h"

#include <algorithm>
#include <utility>

namespace umbra::replay {
namespace {

constexpr size_t kFirstFrames = 63;
constexpr uint32_t kSpRoom = 1U << 30;  ///< half of what a signed difference can tell
constexpr size_t kMostOpen = 2048;      ///< frames from either end that open_calls() looks at

uint64_t bottom_key(uint32_t caller_sp, uint32_t function) {
    return hotpath::make_slot(hotpath::Kind::kEnter, function, caller_sp) | Frame::kBottom;
}

}  // namespace

ShadowStack::ShadowStack(CallTree& tree, FrameBudget& budget, uint32_t root, const Limits& limits,
                         CallLog* log, SlowCallRecorder* recorder)
    : tree_(&tree),
      budget_(&budget),
      log_(log),
      recorder_(recorder),
      listeners_((log == nullptr ? kNobody : kLog) | (recorder == nullptr ? kNobody : kRecorder)),
      max_depth_(std::max<size_t>(limits.max_depth, 1)) {
    frames_.resize(1);
    budget.resized(0, frames_.size());
    Frame& thread = frames_[0];
    thread.key = bottom_key(0, 0);
    thread.place_key = Arc::key_of(root, 0);
    thread.arc = &tree.at(0);
    thread.guess = &root_guess_;
    no_room_.outermost = kNever;
    top_ = resize(frames_.data(), std::min(kFirstFrames, max_depth_));
}

void ShadowStack::begin_inside(uint32_t function, uint64_t now) {
    Arc& arc = tree_->at(tree_->find_or_add(frames_[0].place(), function));
    top_ = push<kNobody>(frames_.data(), arc,
                         hotpath::make_slot(hotpath::Kind::kEnter, function, 0), lanes(now, 0));
    top_->key |= Frame::kBottom;
    bottom_ = 1;
}

size_t ShadowStack::alive_above(uint32_t sp) const {
    size_t alive = depth();
    while (alive > bottom_ && !above(frame(alive - 1).caller_sp(), sp)) {
        --alive;
    }
    return alive;
}

void ShadowStack::drop_to(size_t depth, Lanes now) {
    while (this->depth() > std::max(depth, bottom_)) {
        top_ = repair(top_, now);
    }
}

void ShadowStack::suspend_to(size_t depth, Lanes now) {
    while (this->depth() > std::max(depth, bottom_)) {
        top_ = close(top_, now);
    }
}

void ShadowStack::pop_unwound(Lanes now) {
    if (top_ != bottom()) {
        top_ = close(top_, AsyncThread::Ending::kUnwinds, now);
    }
}

Frame* ShadowStack::close(Frame* top, AsyncThread::Ending ending, Lanes now) {
    if (async_ != nullptr) {
        async_->set_ending(ending);
    }
    top = close(top, now);
    if (async_ != nullptr) {
        async_->set_ending(AsyncThread::Ending::kLeaves);
    }
    return top;
}

void ShadowStack::note_loss(uint64_t now_ticks) {
    lost_ = true;
    lost_ticks_ = now_ticks - ticks_of(stood_);
}

void ShadowStack::shrink() {
    const size_t needed = std::max<size_t>(depth(), 1);
    if (frames_.size() - 1 > needed) {
        top_ = resize(top_, needed);
    }
    functions_.pack([](const ThreadFunction& row) {
        return row.calls != 0 || row.outermost != 0 || ticks_of(row.total) != 0;
    });
    edge_frames_.pack([](uint32_t outermost) { return outermost != 0; });
}

Frame* ShadowStack::repair(Frame* top, Lanes now) {
    const bool resumption = top != bottom() && (top->key & Frame::kBottom) != 0;
    if (resumption || (lost_ && ticks_of(began(*top)) <= lost_ticks_)) {
        return close(top, now);
    }
    ++counts_.repairs;
    if (async_ == nullptr || !async_->may_enter_again(top->function())) {
        return close(top, now);
    }
    // The runtime may have suspended it, and be calling what is timed as well (--framework) before
    // it tells so.
    expand(top);
    async_->vanished(place_of(number(top) - 1), top->caller_sp());
    return close(top, AsyncThread::Ending::kVanishes, now);
}

bool ShadowStack::enters_again(Frame*& top, uint64_t slot, Lanes now) {
    if (async_ == nullptr || !async_->may_enter_again(hotpath::slot_index(slot))) {
        return false;
    }
    while (top != bottom() && above(hotpath::slot_operand(slot), top->caller_sp())) {
        top = repair(top, now);
    }
    return ((top->key ^ slot) & ~Frame::kFlags) == 0;
}

Frame* ShadowStack::make_room(Frame* top, uint32_t caller_sp, Lanes now) {
    while (top != bottom() && !above(top->caller_sp(), caller_sp)) {
        top = repair(top, now);
    }
    if (top == bottom()) {
        // It stays above whatever part of the stack the thread is running on.
        top->key = bottom_key(caller_sp + kSpRoom, top->function());
    }
    if (top == last_ && frames_.size() - 1 < max_depth_) {
        const size_t more = std::min(frames_.size() * 2 - 1, max_depth_);
        if (budget_->allows(frames_.size(), more + 1)) {
            top = resize(top, more);
        }
    }
    return top;
}

void ShadowStack::skip(Frame* top) {
    if ((top->key & Frame::kSkipping) == 0) {
        top->key |= Frame::kSkipping;
        skipped_ = 0;
    }
    ++skipped_;
    ++counts_.too_deep;
}

Frame* ShadowStack::leave(Frame* top, uint64_t slot, Lanes now) {
    const uint64_t key = slot & ~Frame::kFlags;
    if (!tree_->valid(hotpath::slot_index(slot))) {
        ++counts_.bad_functions;
        return top;
    }
    // Whoever leaves at this caller SP, nothing deeper is alive any more.
    const uint32_t caller_sp = hotpath::slot_operand(slot);
    const bool deeper = top != bottom() && above(top->caller_sp(), caller_sp);
    while (top != bottom() && above(caller_sp, top->caller_sp())) {
        top = repair(top, now);
    }
    if (top != bottom() && top->caller_sp() == caller_sp) {
        if ((top->key & ~Frame::kFlags) == key) {
            return close(top, now);
        }
        top = repair(top, now);  // another call had this place before: it is dead as well
    }
    if (deeper && skipping(*top)) {
        --skipped_;
    } else if (bottom_ == 0) {
        ++counts_.unmatched_leaves;
    }  // else it ends a call the thread was in before
    return top;
}

void ShadowStack::tell_entered(ThreadFunction& function, const Frame& caller, uint64_t slot,
                               Lanes now) {
    const uint32_t number = hotpath::slot_index(slot);
    const bool is_told = async_->is_told(number);
    const bool is_async = async_->entered(number, hotpath::slot_operand(slot), ticks_of(now),
                                          [&] { return callers_of(caller); });
    function.is_plain = is_told && !is_async && &function != &no_room_;
}

void ShadowStack::tell_left(uint64_t slot, Lanes now) {
    async_->left(hotpath::slot_index(slot), hotpath::slot_operand(slot), ticks_of(now));
}

uint64_t ShadowStack::callers_of(const Frame& frame) const {
    const auto function_of = [this](uint32_t place) {
        const uint32_t function = tree_->function_at(place);
        return function == CallTree::kNoFunction ? 0 : function;
    };
    const uint32_t caller = function_of(frame.place());
    if (caller == 0) {
        return hotpath::make_async_keys(0, 0);
    }
    if (frame.collapsed()) {
        return hotpath::make_async_keys(caller, function_of((&frame - 1)->place()));
    }
    // A call that has gone back to an ancestor was made from below it.
    return hotpath::make_async_keys(
        caller, function_of(frame.arc == tree_->base() ? tree_->place(frame.place()).parent
                                                       : frame.arc->source()));
}

void ShadowStack::set_arc(Frame& frame, uint32_t arc) {
    ThreadFunction& row = functions_[frame.function()];
    row.outermost = arc == 0 && row.outermost == number(&frame) ? 0 : row.outermost;
    frame.arc = &tree_->at(arc);
    frame.place_key = Arc::key_of(tree_->target(arc), 0);
    frame.guess = &frame.arc->first;
}

void ShadowStack::expand(Frame* top) {
    // Behind the frame that left the path all are collapsed, but for calls that found no room.
    Frame* first = top + 1;
    while (first - 1 > frames_.data() &&
           ((first - 1)->collapsed() || (first - 1)->arc == tree_->base())) {
        --first;
    }
    uint32_t last = 0;
    for (Frame* frame = first; frame <= top; ++frame) {
        if (!frame->collapsed()) {
            continue;
        }
        const uint32_t arc = CallTree::is_common(frame->arc->source())
                                 ? tree_->find_or_add((frame - 1)->place(), frame->function())
                                 : tree_->number(*frame->arc);
        tree_->expand(arc);
        // Calls of functions that were open here have ended where these are: not below all frames.
        last = last == 0 || !recursed_ ? arc : last;
        tree_->add_collapsed(last, frame->children);
        set_arc(*frame, arc);
    }
    recursed_ = false;
}

Arc* ShadowStack::called_again(Frame* top, Arc* arc, uint64_t slot) {
    if (arc == tree_->base()) {
        return arc;
    }
    const Frame* left = top;
    while ((left - 1)->collapsed()) {
        --left;
    }
    if (row(*arc, slot).outermost > number(left)) {
        recursed_ = true;  // nothing to the path, which holds functions that are open further out
        return arc;
    }
    expand(top);
    return &tree_->at(tree_->find_or_add(top->place(), hotpath::slot_index(slot)));
}

void ShadowStack::close_collapsed(Frame* top, Lanes length) {
    if (!(top - 1)->collapsed()) {
        tree_->add_collapsed(tree_->number(*top->arc), top->children);
        recursed_ = false;
    } else if (tree_->is_worth((top - 1)->children + length)) {
        expand(top);
    }
}

bool ShadowStack::look_up(uint64_t key, uint32_t& arc) {
    const auto function = static_cast<uint32_t>(key);
    if (!tree_->valid(function)) {
        ++counts_.bad_functions;
        return false;
    }
    // The functions on the path of a place are all open.
    const ThreadFunction* row = functions_.find(function);
    arc = tree_->find_or_add(static_cast<uint32_t>(key >> 32), function,
                             row != nullptr && row->outermost != 0);
    return true;
}

bool ShadowStack::opens_edge(const Arc& arc, const ThreadFunction& function) {
    const uint32_t edge = tree_->edge_of(arc);
    return tree_->edge_of(*frames_[function.outermost].arc) != edge && edge_frames_[edge] == 0;
}

void ShadowStack::enter_again(const Frame& frame, const ThreadFunction& function) {
    if (function.outermost != kNever && opens_edge(*frame.arc, function)) {
        edge_frames_[tree_->edge_of(*frame.arc)] = number(&frame);
    }
}

void ShadowStack::close_nested(Frame& frame, const ThreadFunction& function, Lanes length) {
    if (function.outermost == kNever) {
        // It found no room in the tree: its time is its caller's.
        (&frame - 1)->children -= length;
        return;
    }
    uint32_t& edge_frame = edge_frames_[tree_->edge_of(*frame.arc)];
    if (edge_frame == number(&frame)) {
        edge_frame = 0;
        frame.arc->total += length;
    }
}

void ShadowStack::book_nested_leaf(Frame& top, Arc& arc, const ThreadFunction& function,
                                   Lanes length) {
    if (function.outermost == kNever) {
        top.children -= length;
    } else if (opens_edge(arc, function)) {
        arc.total += length;
    }
}

bool ShadowStack::is_outermost(size_t index) const {
    const Frame& call = frame(index);
    const ThreadFunction* row =
        call.arc == tree_->base() ? nullptr : functions_.find(call.function());
    return row != nullptr &&
           (row->outermost == index + 1 || is_marked(call.function(), index, false));
}

bool ShadowStack::is_outermost_of_edge(size_t index) const {
    if (is_outermost(index)) {
        return true;
    }
    const uint32_t edge = tree_->edge_of(*frame(index).arc);
    const uint32_t* outermost = edge_frames_.find(edge);
    return outermost != nullptr && (*outermost == index + 1 || is_marked(edge, index, true));
}

void ShadowStack::mark_places(std::vector<bool>& needed) const {
    for (size_t index = 0; index <= depth(); ++index) {
        needed[frames_[index].place()] = true;
    }
}

void ShadowStack::renumber(const Pruned& pruned) {
    root_guess_ = 0;
    for (size_t index = 0; index <= depth(); ++index) {
        Frame& frame = frames_[index];
        frame.arc = &tree_->at(pruned.arcs[tree_->number(*frame.arc)]);
        frame.place_key = Arc::key_of(pruned.places[frame.place()], 0);
        frame.guess = index == 0 ? &root_guess_ : &frame.arc->first;
    }
}

void ShadowStack::move_to(CallTree& tree, FrameBudget& budget, uint32_t root) {
    budget_->resized(frames_.size(), 0);
    budget_ = &budget;
    budget.resized(0, frames_.size());
    CallTree& before = *std::exchange(tree_, &tree);
    const PagedArray<uint32_t, 1024> edge_frames = std::exchange(edge_frames_, {});
    root_guess_ = 0;
    frames_[0].place_key = Arc::key_of(root, 0);
    frames_[0].arc = &tree.at(0);
    frames_[0].guess = &root_guess_;
    for (uint32_t index = 1; index <= depth(); ++index) {
        Frame& frame = frames_[index];
        const uint32_t* opens = edge_frames.find(before.edge_of(*frame.arc));
        const bool opens_edge = opens != nullptr && *opens == index;
        uint32_t arc = 0;
        if (before.number(*frame.arc) != 0) {
            arc = tree.find_or_add(frames_[index - 1].place(), frame.function());
        }
        set_arc(frame, arc);
        if (opens_edge && arc != 0) {
            edge_frames_[tree.edge_of(arc)] = index;
        }
    }
}

OpenCalls ShadowStack::open_calls() const {
    OpenCalls calls;
    const size_t deep = depth();
    const size_t first = resumptions_.empty() ? 0 : resumptions_.back().frame;
    if (first != 0) {
        for_each_resumed(first - 1, [&](uint32_t arc, bool outermost) {
            if (outermost) {
                calls.functions.push_back(tree_->at(arc).function());
            }
            calls.edges.push_back(tree_->edge_of(arc));
        });
    }
    // What found no room in the tree leaves its time to its caller.
    for (size_t index = deep; calls.arc == 0 && index-- > first && deep - index <= kMostOpen;) {
        calls.arc = tree_->number(*frame(index).arc);
        calls.function = calls.arc == 0 ? 0 : frame(index).function();
    }
    for (size_t index = first; index < deep; ++index) {
        if (index == first + kMostOpen && deep > first + 2 * kMostOpen) {
            index = deep - kMostOpen;
        }
        if (is_outermost(index)) {
            calls.functions.push_back(frame(index).function());
        }
        if (is_outermost_of_edge(index)) {
            calls.edges.push_back(tree_->edge_of(*frame(index).arc));
        }
    }
    return calls;
}

Frame* ShadowStack::resize(Frame* top, size_t frames) {
    const auto depth = static_cast<size_t>(top - frames_.data());
    std::vector<Frame> resized(frames + 1);
    std::copy_n(frames_.begin(), depth + 1, resized.begin());
    budget_->resized(frames_.size(), resized.size());
    frames_.swap(resized);
    last_ = frames_.data() + frames;
    return frames_.data() + depth;
}

}  // namespace umbra::replay
