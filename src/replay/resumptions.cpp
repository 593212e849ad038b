// SPDX-License-Identifier: MIT
// The shadow stack while async calls go on: each brings the path it was called on. What goes on is
// in the inclusive time of the async methods on it; a method that is not async is as long as its
// frame.
#include <algorithm>

#include "src/replay/shadow_stack.h"

namespace umbra::replay {

/// Calls `book` with each arc of an async method from the place of a resumption up to its root.
template <typename Book>
void ShadowStack::walk_path(const Frame& resumption, const Book& book) const {
    uint32_t place = resumption.place();
    while (tree_->place(place).function != CallTree::kNoFunction) {
        const Place& row = tree_->place(place);
        if (async_ != nullptr && async_->is_async(row.function)) {
            if (const uint32_t arc = tree_->find(row.parent, row.function); arc != 0) {
                book(arc, row.function);
            }
        }
        place = row.parent;
    }
}

void ShadowStack::resume(uint32_t place, uint32_t sp, Lanes now) {
    top_ = make_room(top_, sp, now);
    if (top_ == last_) {
        return;
    }
    expand();
    const size_t first_mark = marks_.size();
    hide_open();
    ++top_;
    top_->key = hotpath::make_slot(hotpath::Kind::kEnter, 0, sp);
    top_->key = (top_->key & ~Frame::kFlags) | Frame::kBottom;
    top_->place_key = Arc::key_of(place, 0);
    top_->enter = now;
    top_->children = Lanes{};
    top_->arc = &tree_->at(0);
    top_->guess = &top_->arc->first;
    resumptions_.push_back({.frame = number(top_), .first_mark = first_mark});
    open_path(number(top_));
}

void ShadowStack::move_resumption(uint32_t place) {
    close_path(number(top_), top_->children);
    top_->children = Lanes{};
    top_->place_key = Arc::key_of(place, 0);
    top_->guess = &top_->arc->first;
    open_path(number(top_));
}

void ShadowStack::resume_ends(uint32_t sp, Lanes now) {
    while (top_ != bottom() && !above(top_->caller_sp(), sp)) {
        top_ = repair(top_, now);
    }
}

void ShadowStack::hide_open() {
    const auto hide = [&](uint32_t& outermost, uint32_t number, uint32_t frame, bool is_edge) {
        if (outermost == frame) {
            marks_.push_back({.number = number, .frame = frame, .is_edge = is_edge});
            outermost = 0;
        }
    };
    const auto hide_call = [&](uint32_t function, uint32_t edge, uint32_t frame) {
        hide(functions_[function].outermost, function, frame, false);
        if (edge_frames_.find(edge) != nullptr) {
            hide(edge_frames_[edge], edge, frame, true);
        }
    };
    const uint32_t outer = resumptions_.empty() ? 0 : resumptions_.back().frame;
    if (outer != 0) {
        walk_path(frames_[outer], [&](uint32_t arc, uint32_t function) {
            hide_call(function, tree_->edge_of(arc), outer);
        });
    }
    for (uint32_t index = outer + 1; index <= number(top_); ++index) {
        const Frame& frame = frames_[index];
        if (frame.arc != tree_->base()) {
            hide_call(frame.function(), tree_->edge_of(*frame.arc), index);
        }
    }
}

void ShadowStack::show_open(size_t first_mark) {
    for (size_t index = first_mark; index < marks_.size(); ++index) {
        const Mark& mark = marks_[index];
        (mark.is_edge ? edge_frames_[mark.number] : functions_[mark.number].outermost) = mark.frame;
    }
    marks_.resize(first_mark);
}

bool ShadowStack::is_marked(uint32_t number, size_t index, bool is_edge) const {
    // Those of a resumption are of the frames below it, in their order: see hide_open().
    auto mark = std::ranges::lower_bound(marks_, index + 1, {}, &Mark::frame);
    for (; mark != marks_.end() && mark->frame == index + 1; ++mark) {
        if (mark->number == number && mark->is_edge == is_edge) {
            return true;
        }
    }
    return false;
}

void ShadowStack::open_path(uint32_t opener) {
    walk_path(frames_[opener], [&](uint32_t arc, uint32_t function) {
        ThreadFunction& row = functions_[function];
        row.outermost = row.outermost == 0 ? opener : row.outermost;
        uint32_t& edge_frame = edge_frames_[tree_->edge_of(arc)];
        edge_frame = edge_frame == 0 ? opener : edge_frame;
    });
}

void ShadowStack::close_path(uint32_t opener, Lanes took) {
    walk_path(frames_[opener], [&](uint32_t arc, uint32_t function) {
        ThreadFunction& row = functions_[function];
        if (row.outermost == opener) {
            row.outermost = 0;
            row.total += took;
        }
        uint32_t& edge_frame = edge_frames_[tree_->edge_of(arc)];
        if (edge_frame == opener) {
            edge_frame = 0;
            tree_->at(arc).total += took;
        }
    });
}

void ShadowStack::for_each_resumed(size_t index,
                                   const std::function<void(uint32_t, bool)>& book) const {
    const auto opener = static_cast<uint32_t>(index + 1);
    walk_path(frames_[opener], [&](uint32_t arc, uint32_t function) {
        const ThreadFunction* row = functions_.find(function);
        const uint32_t* edge_frame = edge_frames_.find(tree_->edge_of(arc));
        const bool opens = edge_frame != nullptr && *edge_frame == opener;
        if (opens || is_marked(tree_->edge_of(arc), index, true)) {
            book(arc,
                 (row != nullptr && row->outermost == opener) || is_marked(function, index, false));
        }
    });
}

Frame* ShadowStack::end_resumption(Frame* top, Lanes now) {
    const Resumption ended = resumptions_.back();
    resumptions_.pop_back();
    close_path(ended.frame, top->children);
    show_open(ended.first_mark);
    const Lanes stood = now - top->enter;
    stood_ += stood;
    for (uint32_t index = 1; index < ended.frame; ++index) {
        frames_[index].enter += stood;
    }
    return top - 1;
}

}  // namespace umbra::replay
