// SPDX-License-Identifier: MIT
#include "src/collector/cpu/off_cpu_pairs.h"

#include <algorithm>

namespace umbra::collector {
namespace {

double difference(uint64_t later, uint64_t earlier) {
    return static_cast<double>(later) - static_cast<double>(earlier);
}

}  // namespace

void OffCpuPairs::note_older(uint32_t tid, uint64_t off_at_ns) {
    if (older_.size() >= kMaxUnknown) {
        return;
    }
    older_.insert(tid);
    if (off_at_ns == 0) {
        return;
    }
    const auto [place, is_new] = threads_.try_emplace(tid);
    if (is_new) {
        ++unknown_;
        begin(place->second, tid);
        place->second.out_ns = off_at_ns;
    }
}

void OffCpuPairs::begin(OsThread& thread, uint32_t tid) const {
    thread.switch_ns = usual_switch_ns_;
    thread.from_its_start = !older_.contains(tid);
}

void OffCpuPairs::apply(std::vector<SwitchRecord>& records, const RawToTicks& clock) {
    std::ranges::stable_sort(records, {}, &SwitchRecord::time_ns);
    for (const SwitchRecord& record : records) {
        apply(record, clock);
    }
}

void OffCpuPairs::apply(const SwitchRecord& record, const RawToTicks& clock) {
    if (record.pid != pid_) {
        return;  // a child's, on kernels that cannot leave them out
    }
    const auto [place, is_new] = threads_.try_emplace(record.tid);
    OsThread& thread = place->second;
    if (is_new) {
        ++unknown_;
        begin(thread, record.tid);
    }
    switch (record.kind) {
        case SwitchRecord::Kind::kOut:
            return went_out(thread, record.time_ns, clock);
        case SwitchRecord::Kind::kIn:
            came_in(thread, record.time_ns, clock);
            break;
        case SwitchRecord::Kind::kExit:
            older_.erase(record.tid);
            if (thread.thread == nullptr) {
                threads_.erase(place);
                --unknown_;
                return;
            }
            went_out(thread, record.time_ns, clock);
            break;
    }
    if (unknown_ > kMaxUnknown) {
        forget_unknown();
    }
}

void OffCpuPairs::went_out(OsThread& thread, uint64_t time_ns, const RawToTicks& clock) {
    if (time_ns <= thread.in_ns) {
        add(thread, time_ns, thread.in_ns, clock);  // its end was seen first
        return;
    }
    if (thread.out_ns != 0 && time_ns - thread.out_ns < kTwinNs) {
        return;
    }
    if (thread.in_ns != 0 && thread.out_ns == 0) {
        thread.on_ns += time_ns - thread.in_ns;
        ++thread.switches;
    }
    thread.out_ns = time_ns;  // one not ended before: its end was lost, and how long it was
    if (thread.thread != nullptr) {
        thread.thread->tell_off_since(clock.ticks(time_ns));
    }
}

void OffCpuPairs::came_in(OsThread& thread, uint64_t time_ns, const RawToTicks& clock) {
    thread.in_ns = time_ns;
    if (thread.out_ns == 0 || thread.out_ns > time_ns) {
        return;
    }
    add(thread, thread.out_ns, time_ns, clock);
    thread.out_ns = 0;
    if (thread.thread != nullptr) {
        thread.thread->tell_off_since(UINT64_MAX);
    }
}

void OffCpuPairs::add(OsThread& thread, uint64_t begin_ns, uint64_t end_ns,
                      const RawToTicks& clock) {
    const uint64_t taken = std::min(static_cast<uint64_t>(thread.switch_ns), end_ns - begin_ns);
    thread.taken_ns += static_cast<double>(taken);
    end_ns -= taken;
    const Interval interval{clock.ticks(begin_ns), clock.ticks(end_ns)};
    if (thread.thread != nullptr) {
        thread.thread->tell_off_cpu(interval.begin_ticks, interval.end_ticks);
    } else if (thread.early.size() < kMaxEarly) {
        thread.early.push_back(interval);
    } else {
        Interval& oldest = thread.early[thread.next_early];
        thread.dropped_ticks += oldest.end_ticks - oldest.begin_ticks;
        thread.dropped_end = oldest.end_ticks;
        oldest = interval;
        thread.next_early = (thread.next_early + 1) % kMaxEarly;
    }
}

void OffCpuPairs::open_thread(ProfiledThread& thread, const RawToTicks& clock) {
    const auto [place, is_new] = threads_.try_emplace(thread.os_tid());
    OsThread& known = place->second;
    if (is_new) {
        begin(known, thread.os_tid());
    } else if (known.thread == nullptr) {
        --unknown_;
    }
    known.thread = &thread;
    if (known.dropped_ticks != 0) {
        // Where they lay does not matter: it had no call of ours to be in.
        thread.tell_off_cpu(known.dropped_end - known.dropped_ticks, known.dropped_end);
        known.dropped_ticks = 0;
    }
    for (size_t i = 0; i < known.early.size(); ++i) {
        const Interval& interval = known.early[(known.next_early + i) % known.early.size()];
        thread.tell_off_cpu(interval.begin_ticks, interval.end_ticks);
    }
    known.early = {};
    known.next_early = 0;
    if (known.out_ns != 0) {
        thread.tell_off_since(clock.ticks(known.out_ns));
    }
}

uint64_t OffCpuPairs::off_since_ns(uint32_t tid) const {
    const auto place = threads_.find(tid);
    return place == threads_.end() ? 0 : place->second.out_ns;
}

void OffCpuPairs::learn(uint32_t tid, uint64_t cpu_ns) {
    const auto place = threads_.find(tid);
    if (place == threads_.end() || place->second.out_ns == 0) {
        return;
    }
    OsThread& thread = place->second;
    const uint64_t switches = thread.switches - thread.learned_switches;
    // The figure of a thread never falls: this is another one that has its tid.
    const bool known = (thread.learned || thread.from_its_start) && cpu_ns >= thread.learned_cpu_ns;
    if (known && switches < kLeastSwitches) {
        return;
    }
    if (known) {
        const double missing = difference(cpu_ns, thread.learned_cpu_ns) -
                               difference(thread.on_ns, thread.learned_on_ns);
        const double in_all =
            difference(cpu_ns, thread.first_cpu_ns) - difference(thread.on_ns, thread.first_on_ns);
        const auto count = static_cast<double>(switches);
        const double usual = std::clamp(missing / count, 0.0, kMostSwitchNs);
        thread.switch_ns = std::clamp(usual + (in_all - thread.taken_ns) / count, 0.0, 2 * usual);
        usual_switch_ns_ += (usual - usual_switch_ns_) / 4;
    } else {
        thread.first_on_ns = thread.on_ns;
        thread.first_cpu_ns = cpu_ns;
        thread.taken_ns = 0;
    }
    thread.learned = true;
    thread.learned_on_ns = thread.on_ns;
    thread.learned_switches = thread.switches;
    thread.learned_cpu_ns = cpu_ns;
}

void OffCpuPairs::close_thread(const ProfiledThread& thread) {
    const auto place = threads_.find(thread.os_tid());
    if (place != threads_.end() && place->second.thread == &thread) {
        threads_.erase(place);
    }
}

void OffCpuPairs::forget_unknown() {
    std::erase_if(threads_, [](const auto& entry) { return entry.second.thread == nullptr; });
    unknown_ = 0;
}

}  // namespace umbra::collector
