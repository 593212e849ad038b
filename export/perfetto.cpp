// SPDX-License-Identifier: MIT
// https://perfetto.dev/docs/reference/trace-packet-proto: slices that begin and end, names
// interned. Where the profile has a time line these are its calls; else each path is one slice as
// long as all its calls. Each slow call has tracks of its own, at its time.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "export/formats.h"
#include "export/paths.h"
#include "export/protobuf.h"
#include "export/timeline.h"
#include "src/profile/slow_view.h"

namespace umbra::formats {
namespace {

using profile::Row;

// Field numbers of the messages.
namespace trace {
constexpr uint32_t kPacket = 1;
}
namespace packet {
constexpr uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInterned = 12, kFlags = 13,
                   kTrack = 60;
constexpr uint64_t kIncrementalStateCleared = 1, kNeedsIncrementalState = 2;
}  // namespace packet
namespace interned {
constexpr uint32_t kEventNames = 2, kSourceLocations = 4;
}
namespace event_name {
constexpr uint32_t kId = 1, kName = 2;
}
namespace source_location {
constexpr uint32_t kId = 1, kFile = 2, kFunction = 3, kLine = 4;
}
namespace track {
constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5;
}
namespace process {
constexpr uint32_t kPid = 1, kName = 6, kLabels = 8;
}
namespace thread {
constexpr uint32_t kPid = 1, kTid = 2, kName = 5;
}
namespace event {
constexpr uint32_t kAnnotations = 4, kType = 9, kNameId = 10, kTrack = 11, kName = 23,
                   kSourceLocationId = 34, kFlow = 47;
constexpr uint64_t kBegin = 1, kEnd = 2, kInstant = 3;
}  // namespace event
namespace annotation {
constexpr uint32_t kUint = 3, kText = 6, kName = 10;
}

constexpr uint64_t kOurSequence = 1;
constexpr uint64_t kProcessTrack = 1;

class PerfettoWriter {
  public:
    PerfettoWriter(const profile::Profile& profile, Sink& out) : profile_(profile), out_(out) {}

    void run(const Notes& notes) {
        put_names();
        put_process(notes);
        put_notes(notes);
        for (Row row = 0; row < profile_.threads.size(); ++row) {
            put_thread(row);
        }
        if (profile::threads_share_paths(profile_)) {
            put_shared_track();
        }
        profile_.timeline.empty() ? put_paths() : put_calls();
        put_slow_calls();
    }

  private:
    /// Behind the last thread: of all threads together.
    static uint64_t track_of(size_t thread) { return thread + kProcessTrack + 1; }

    void put(const ProtobufMessage& message) {
        field_.clear();
        field_.add(trace::kPacket, message);
        out_.put(field_.bytes());
    }

    static ProtobufMessage name_message(Row number, std::string_view name) {
        return ProtobufMessage()
            .add(event_name::kId, uint64_t{number} + 1)
            .add(event_name::kName, name);
    }

    void put_names() {
        ProtobufMessage names;
        for (Row row = 0; row < profile_.functions.size(); ++row) {
            names.add(interned::kEventNames, name_message(row, profile_.functions[row].name));
            put_place(row, names);
        }
        put(ProtobufMessage()
                .add(packet::kSequence, kOurSequence)
                .add(packet::kFlags, packet::kIncrementalStateCleared)
                .add(packet::kInterned, names));
    }

    void put_place(Row row, ProtobufMessage& names) const {
        const profile::Function& function = profile_.functions[row];
        if (function.line != 0) {
            names.add(interned::kSourceLocations,
                      ProtobufMessage()
                          .add(source_location::kId, uint64_t{row} + 1)
                          .add(source_location::kFile, std::string_view(function.file))
                          .add(source_location::kFunction, std::string_view(function.name))
                          .add(source_location::kLine, function.line));
        }
    }

    void put_process(const Notes& notes) {
        ProtobufMessage process;
        process.add(process::kPid, profile_.session.pid)
            .add(process::kName, std::string_view(profile_.session.program));
        for (const std::string& note : notes) {
            process.add(process::kLabels, std::string_view(one_line(note)));
        }
        put(ProtobufMessage()
                .add(packet::kSequence, kOurSequence)
                .add(packet::kTrack, ProtobufMessage()
                                         .add(track::kUuid, kProcessTrack)
                                         .add(track::kProcess, process)));
    }

    /// An instant of the process at the beginning, named by the first note: labels of a process are
    /// shown in few places, events in all.
    void put_notes(const Notes& notes) {
        if (notes.empty()) {
            return;
        }
        ProtobufMessage instant;
        instant.add(event::kType, event::kInstant)
            .add(event::kTrack, kProcessTrack)
            .add(event::kName, std::string_view(one_line(notes.front())));
        for (const std::string& note : notes) {
            const std::string text = one_line(note);
            const size_t colon = std::min(text.find(": "), text.size());
            const std::string_view value = std::string_view(text).substr(colon);
            instant.add(
                event::kAnnotations,
                ProtobufMessage()
                    .add(annotation::kName, std::string_view(text).substr(0, colon))
                    .add(annotation::kText, value.substr(std::min<size_t>(2, value.size()))));
        }
        put(ProtobufMessage()
                .add(packet::kTimestamp, 0)
                .add(packet::kSequence, kOurSequence)
                .add(packet::kFlags, packet::kNeedsIncrementalState)
                .add(packet::kTrackEvent, instant));
    }

    void put_thread(Row row) {
        const profile::Thread& thread = profile_.threads[row];
        const std::string name = thread_label(profile_, row);
        const ProtobufMessage descriptor = ProtobufMessage()
                                               .add(thread::kPid, profile_.session.pid)
                                               .add(thread::kTid, thread.os_tid)
                                               .add(thread::kName, std::string_view(name));
        put(ProtobufMessage()
                .add(packet::kSequence, kOurSequence)
                .add(packet::kTrack, ProtobufMessage()
                                         .add(track::kUuid, track_of(row))
                                         .add(track::kParent, kProcessTrack)
                                         .add(track::kThread, descriptor)));
    }

    void put_shared_track() {
        put_track(track_of(profile_.threads.size()), kProcessTrack,
                  thread_label(profile_, profile::kNone));
    }

    void put_track(uint64_t number, uint64_t parent, const std::string& name) {
        put(ProtobufMessage()
                .add(packet::kSequence, kOurSequence)
                .add(packet::kTrack, ProtobufMessage()
                                         .add(track::kUuid, number)
                                         .add(track::kName, std::string_view(name))
                                         .add(track::kParent, parent)));
    }

    /// A track for each slow call, below that of its thread, and one for what the runtime did
    /// meanwhile.
    void put_slow_calls() {
        profile::View view;
        view.top = std::numeric_limits<std::size_t>::max();
        uint64_t track = track_of(profile_.threads.size());
        const auto methods =
            profile::slow_view(profile_, view, std::numeric_limits<std::size_t>::max());
        for (const profile::SlowMethodCalls& method : methods) {
            for (std::size_t rank = 0; rank < method.calls.size(); ++rank) {
                const profile::SlowCallRows& call = method.calls[rank];
                const std::string name =
                    "slowest " + std::to_string(rank + 1) + ": " + one_line(method.name);
                put_track(++track, track_of(call.call->thread), name);
                if (call.call->is_async()) {
                    track = put_async_slices(call, track);
                } else {
                    put_slow_slices(call, track, false);
                }
                if (call.call->paused_ns != 0 || call.call->compiling_ns != 0) {
                    put_track(++track, track_of(call.call->thread), name + ", runtime");
                    put_slow_slices(call, track, true);
                }
            }
        }
    }

    /// An async call on `track`; those made in it on tracks below that, which calls share that are
    /// not alive at once; an arrow leads to each. Returns the last number of a track.
    uint64_t put_async_slices(const profile::SlowCallRows& call, const uint64_t track) {
        struct Open {
            const profile::SlowRow* row;
            uint64_t track;
        };
        struct Lane {
            uint64_t track;
            uint64_t end_ns;
        };
        uint64_t last = track;
        std::vector<Open> open;
        std::map<uint64_t, std::vector<Lane>> lanes;  // by the track above
        const auto lane_of = [&](uint64_t above, const profile::SlowSlice& slice) {
            std::vector<Lane>& below = lanes[above];
            auto lane = std::ranges::find_if(
                below, [&](const Lane& one) { return one.end_ns <= slice.start_ns; });
            if (lane == below.end()) {
                put_track(++last, above, "calls");
                lane = below.insert(below.end(), {.track = last, .end_ns = 0});
            }
            lane->end_ns = slice.start_ns + slice.duration_ns;
            return lane->track;
        };
        const auto end_to = [&](std::size_t depth) {
            for (; !open.empty() && open.back().row->depth >= depth; open.pop_back()) {
                const profile::SlowSlice& slice = *open.back().row->slice;
                put_event(slice.start_ns + slice.duration_ns, open.back().track, event::kEnd,
                          slice.function);
            }
        };
        for (const profile::SlowRow& row : call.rows) {
            const profile::SlowSlice& slice = *row.slice;
            if (slice.kind == profile::SlowSlice::kPaused) {
                continue;
            }
            end_to(row.depth);
            uint64_t at = open.empty() ? track : open.back().track;
            uint64_t flow = 0;
            if (!open.empty() && slice.kind == profile::SlowSlice::kCall &&
                open.back().row->slice->kind == profile::SlowSlice::kCall) {
                flow = ++flows_;
                put_event(slice.start_ns, at, event::kInstant, slice.function, 1, flow);
                at = lane_of(at, slice);
            }
            put_event(slice.start_ns, at, event::kBegin, name_of(row), slice.calls, flow);
            open.push_back({&row, at});
        }
        end_to(0);
        return last;
    }

    void put_slow_slices(const profile::SlowCallRows& call, uint64_t track, bool of_runtime) {
        std::vector<const profile::SlowRow*> open;
        const auto end_last = [&] {
            const profile::SlowSlice& slice = *open.back()->slice;
            put_event(slice.start_ns + slice.duration_ns, track, event::kEnd, slice.function);
            open.pop_back();
        };
        for (const profile::SlowRow& row : call.rows) {
            const bool is_runtime = row.slice->kind == profile::SlowSlice::kPaused ||
                                    row.slice->kind == profile::SlowSlice::kCompiling;
            if (is_runtime != of_runtime) {
                continue;
            }
            // The runtime's stand beside each other.
            while (!open.empty() && (of_runtime || open.back()->depth >= row.depth)) {
                end_last();
            }
            put_event(row.slice->start_ns, track, event::kBegin, name_of(row), row.slice->calls);
            open.push_back(&row);
        }
        while (!open.empty()) {
            end_last();
        }
    }

    /// Row of functions of a call. Intervals have names as a report shows them, which are told the
    /// first time: their numbers are behind those of the functions.
    [[nodiscard]] Row name_of(const profile::SlowRow& row) {
        // A call of an async method has the name of that, and not of its state machine.
        if (row.slice->kind == profile::SlowSlice::kCall &&
            row.name == profile_.functions[row.slice->function].name) {
            return row.slice->function;
        }
        const auto behind = static_cast<Row>(profile_.functions.size() + intervals_.size());
        const auto [interval, is_new] = intervals_.try_emplace(row.name, behind);
        if (is_new) {
            put(ProtobufMessage()
                    .add(packet::kSequence, kOurSequence)
                    .add(packet::kFlags, packet::kNeedsIncrementalState)
                    .add(packet::kInterned, ProtobufMessage().add(interned::kEventNames,
                                                                  name_message(behind, row.name))));
        }
        return interval->second;
    }

    void put_paths() {
        const profile::TreeLinks links(profile_.calltree);
        const std::vector<uint64_t> inclusive = inclusive_ns(profile_, Measure::kWall);
        const std::vector<std::vector<Row>> roots = roots_by_thread(profile_, links);
        for (Row row = 0; row < roots.size(); ++row) {
            put_slices(roots[row], links, inclusive, track_of(row));
        }
    }

    /// From time 0 on; a path's callees first, its own time behind them.
    void put_slices(const std::vector<Row>& roots, const profile::TreeLinks& links,
                    const std::vector<uint64_t>& inclusive, uint64_t track) {
        uint64_t now = 0;
        for (const Row root : roots) {
            profile::walk_below(
                profile_.calltree, links, root,
                [&](Row row) {
                    if (inclusive[row] == 0) {
                        return false;
                    }
                    put_event(now, track, event::kBegin, profile_.calltree[row].function);
                    return true;
                },
                [&](Row row) {
                    now += profile_.calltree[row].times.self_ns;
                    put_event(now, track, event::kEnd, profile_.calltree[row].function);
                });
        }
    }

    void put_calls() {
        for (const TimelineEdge& edge : timeline_edges(profile_)) {
            const profile::TimedCall& call = profile_.timeline[edge.call];
            const profile::CallNode& node = profile_.calltree[call.node];
            put_event(call.start_ns + (edge.ends ? call.duration_ns : 0), track_of(node.thread),
                      edge.ends ? event::kEnd : event::kBegin, node.function);
        }
    }

    /// `calls`: that share the slice which begins. `flow`: an arrow leads from one event to the
    /// next of the same number; 0: none.
    void put_event(uint64_t now, uint64_t track, uint64_t type, Row function, uint64_t calls = 1,
                   uint64_t flow = 0) {
        event_.clear();
        event_.add(event::kType, type).add(event::kTrack, track);
        if (flow != 0) {
            event_.add_fixed(event::kFlow, flow);
        }
        if (type != event::kEnd) {
            event_.add(event::kNameId, uint64_t{function} + 1);
            if (function < profile_.functions.size() && profile_.functions[function].line != 0) {
                event_.add(event::kSourceLocationId, uint64_t{function} + 1);
            }
            if (calls != 1) {
                event_.add(event::kAnnotations,
                           ProtobufMessage()
                               .add(annotation::kName, std::string_view("merged calls"))
                               .add(annotation::kUint, calls));
            }
        }
        packet_.clear();
        packet_.add(packet::kTimestamp, now)
            .add(packet::kSequence, kOurSequence)
            .add(packet::kFlags, packet::kNeedsIncrementalState)
            .add(packet::kTrackEvent, event_);
        put(packet_);
    }

    const profile::Profile& profile_;
    Sink& out_;
    uint64_t flows_ = 0;
    std::map<std::string, Row, std::less<>> intervals_;  ///< names of slow calls' intervals
    // Kept for their memory.
    ProtobufMessage event_;
    ProtobufMessage packet_;
    ProtobufMessage field_;
};

}  // namespace

void write_perfetto(const profile::Profile& profile, const Notes& notes, Sink& out) {
    PerfettoWriter(profile, out).run(notes);
}

}  // namespace umbra::formats
