// SPDX-License-Identifier: MIT
// The third pass over a batch of events: calls begin and end.
#include "hotpath/record.h"
#include "src/replay/thread_replay.h"

namespace umbra::replay {

using hotpath::Kind;

bool ThreadReplay::replay_batch(RecordCursor& cursor) {
    if (estimated_ || stalled_until_ > cursor.ticks()) {
        return false;
    }
    EventBatch& batch = shared_->batch;
    batch.begin(before_, cursor.ticks());
    batch.gather(cursor.rest(), shared_->intervals);
    batch.set_times(overlays_.next_ticks(), shared_->estimator, shared_->residuals);
    if (batch.size() == 0) {
        return false;
    }
    walk();
    const BatchEvent& last = *batch.event(batch.size());
    counts_.events += batch.size();
    counts_.timed_events += batch.timed();
    counts_.decode_errors += batch.errors();
    before_ = event_code(last.slot);
    cursor.skip(batch.slots());
    cursor.set_ticks(last.ticks);
    return true;
}

void ThreadReplay::walk() {
    with_constant(stack_.listeners(), [this](auto told) { walk_batch<told()>(); });
}

void ThreadReplay::learn(uint32_t top, uint32_t before, uint32_t code, uint64_t ticks) {
    IntervalModel& model = shared_->intervals;
    model.learn(model.kind(IntervalModel::pair(before, code)), ticks, top);
}

template <Listeners kListeners>
void ThreadReplay::walk_batch() {
    const EventBatch& batch = shared_->batch;
    const ShadowStack::Hot hot = stack_.hot();
    const EventCosts& costs = shared_->costs;
    EstimatedEvents* const estimated = shared_->estimated.data();
    const bool learns = !shared_->every_event;
    Frame* top = stack_.top();
    uint64_t cost = cost_;
    uint64_t next_overlay = this->next_overlay();
    const BatchEvent* event = batch.event(1);
    const BatchEvent* const end = event + batch.size();
    for (; event != end; ++event) {
        const uint64_t slot = event->slot;
        const uint64_t ticks = event->ticks;
        bool usual = learns;
        if (ticks > next_overlay) [[unlikely]] {
            stack_.set_top(top);
            next_overlay = book_overlays(event[-1].ticks, ticks);
            usual = false;
        }
        const bool timed = event->timed();
        if (!timed || !event[-1].timed()) {
            estimated[top->function()].ticks += ticks - event[-1].ticks;
        } else if (usual) {
            learn(top->function(), event_code(event[-1].slot), event_code(slot),
                  ticks - event[-1].ticks);
        }
        cost += costs.before(slot);
        const Lanes now = lanes(ticks, cost);
        cost += costs.behind(slot);
        if (hotpath::slot_kind(slot) == Kind::kEnter) {
            Arc* arc = stack_.callee(top, slot, now, hot);
            if (arc == nullptr) [[unlikely]] {
                continue;
            }
            // Most calls call nothing: they need no frame.
            const BatchEvent& next = event[1];
            if (ShadowStack::ends_call_of(slot, next.slot) && next.ticks <= next_overlay) {
                const uint64_t untimed = (timed ? 0U : 1U) + (next.timed() ? 0U : 1U);
                cost += costs.before(next.slot);
                stack_.book_leaf<kListeners>(*top, *arc, slot, now, lanes(next.ticks, cost), hot,
                                             untimed);
                cost += costs.behind(next.slot);
                ++event;
                const uint32_t function = hotpath::slot_index(slot);
                if (untimed != 0) {
                    estimated[function].untimed += untimed;
                    estimated[function].ticks += next.ticks - ticks;
                } else if (learns) {
                    learn(function, event_code(slot), event_code(next.slot), next.ticks - ticks);
                }
                continue;
            }
            top = stack_.push<kListeners>(top, *arc, slot, now);
            estimated[top->function()].untimed += timed ? 0U : 1U;
            note_untimed<kListeners>(timed);
        } else {
            estimated[top->function()].untimed += timed ? 0U : 1U;
            note_untimed<kListeners>(timed);
            top = ShadowStack::ends(top->key, slot) ? stack_.close<kListeners>(top, now, hot)
                                                    : stack_.leave(top, slot, now);
        }
    }
    stack_.set_top(top);
    cost_ = cost;
}

}  // namespace umbra::replay
