// SPDX-License-Identifier: MIT
// What an umbra that records tells another one that watches: figures of the moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace umbra::protocol {

/// Rows of one LiveFigures, and bytes of the names in one: so few that the message stays below
/// kMaxMessageBytes.
inline constexpr size_t kMaxLiveRows = 512;
inline constexpr size_t kMaxLiveNameBytes = 1024;
inline constexpr size_t kMaxLiveModuleBytes = 256;
/// Processes of one Recorder, and bytes of the name of each.
inline constexpr size_t kMaxRecordedProcesses = 1024;
inline constexpr size_t kMaxRecordedNameBytes = 256;

/// A process that is being recorded.
struct RecordedProcess {
    uint32_t pid = 0;     ///< as the recording umbra sees it
    std::string program;  ///< "shop.dll"
    bool operator==(const RecordedProcess&) const = default;
};

/// An umbra that records, and what it records.
struct Recorder {
    uint32_t pid = 0;     ///< its own, as it sees it
    std::string command;  ///< "umbra run", "umbra start", "umbra attach"
    std::vector<RecordedProcess> processes;
    bool operator==(const Recorder&) const = default;
};

/// One method. Times are without what the probes cost.
struct LiveRow {
    std::string name;    ///< kMaxLiveNameBytes at most
    std::string module;  ///< file name; kMaxLiveModuleBytes at most
    uint64_t calls = 0;  ///< begun; of a sampled process: samples with the method on top
    uint64_t total_ns = 0;
    uint64_t self_ns = 0;
    uint64_t cpu_ns = 0;          ///< of self_ns, on a processor
    uint64_t recent_calls = 0;    ///< of these, in the window
    uint64_t recent_busy_ns = 0;  ///< self time in the window in which no thread slept there
    bool deinstrumented = false;  ///< the budget has taken its hooks out
    bool operator==(const LiveRow&) const = default;
};

/// One process at one moment: sums since its recording began, and what has happened in the window
/// before (recent_*), which is about a second long. Sums are of all methods, in `rows` or not.
// Fields: a message is the list of what it tells.
struct LiveFigures {
    enum Kind : uint8_t { kCalls = 0, kSamples = 1 };
    uint32_t pid = 0;
    std::string program;
    std::string runtime;  ///< ".NET 10.0.12"
    std::string ended;    ///< how the recording has ended: these are the last; empty: it goes on
    uint8_t kind = kCalls;
    bool has_cpu = false;    ///< CPU times are known
    bool has_total = false;  ///< inclusive times are known
    uint64_t time_ns = 0;    ///< since the recording began
    uint64_t window_ns = 0;  ///< 0: nothing is known of recent_* yet
    uint64_t events = 0;     ///< records; samples
    uint64_t recent_events = 0;
    uint64_t calls = 0;
    uint64_t recent_calls = 0;
    uint64_t self_ns = 0;
    uint64_t cpu_ns = 0;
    uint64_t recent_busy_ns = 0;
    uint64_t probe_ns = 0;  ///< taken out of self times; of a sampled process: it stood still
    uint64_t waits = 0;     ///< for the collector
    uint64_t wait_ns = 0;
    // Events by the reason of their loss, see profile::Losses.
    uint64_t lost_ring_full = 0;
    uint64_t lost_no_thread_slot = 0;
    uint64_t lost_depth = 0;
    uint64_t lost_nodes = 0;
    uint64_t lost_decode_errors = 0;
    uint32_t threads = 0;    ///< that have not ended
    uint32_t functions = 0;  ///< that were called
    /// For each of the orders (recent, self, total, CPU time, calls) the first hundred; in no
    /// order.
    std::vector<LiveRow> rows;
    bool operator==(const LiveFigures&) const = default;
};

/// Events lost, whatever the reason.
[[nodiscard]] inline uint64_t lost_events(const LiveFigures& figures) {
    return figures.lost_ring_full + figures.lost_no_thread_slot + figures.lost_depth +
           figures.lost_nodes + figures.lost_decode_errors;
}

}  // namespace umbra::protocol
