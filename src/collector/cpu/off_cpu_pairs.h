// SPDX-License-Identifier: MIT
// OffCpuPairs: makes off-CPU intervals of context switches and hands them to the threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/collector/cpu/clock_line.h"
#include "src/collector/cpu/switch_ring.h"
#include "src/collector/state/profiled_thread.h"

namespace umbra::collector {

/// Records of one thread may come from several buffers, which are read one after the other, so that
/// a switch-in may be seen before the switch-out it ends. Threads switch before they are known
/// (their ring is opened later): the latest intervals of each are kept until then. Any input;
/// memory is bounded. One thread.
class OffCpuPairs {
  public:
    explicit OffCpuPairs(uint32_t pid) : pid_(pid) {}

    /// The thread had begun before switches were told: what it had used until then is not known.
    /// `off_at_ns`: it was seen off the processors at this time; 0: it was not.
    void note_older(uint32_t tid, uint64_t off_at_ns = 0);
    /// The records of all buffers since the last call, in any order: they are put into that of
    /// time. A thread that came back, left, and came back on another processor would else be taken
    /// for off all the while. `clock` turns times into ticks.
    void apply(std::vector<SwitchRecord>& records, const RawToTicks& clock);
    void apply(const SwitchRecord& record, const RawToTicks& clock);

    /// Hands `thread` what its OS thread has gone through and will go through.
    void open_thread(ProfiledThread& thread, const RawToTicks& clock);
    /// When a thread went off the processors, if it is off now; 0: it runs, or is not known.
    [[nodiscard]] uint64_t off_since_ns(uint32_t tid) const;
    /// The kernel says that the thread, which is off the processors, has had `cpu_ns` so far. What
    /// this differs from the switches is learned as the cost of one; see OsThread::switch_ns.
    void learn(uint32_t tid, uint64_t cpu_ns);
    /// It has ended. (Another may have its OS thread id by now.)
    void close_thread(const ProfiledThread& thread);

  private:
    struct Interval {
        uint64_t begin_ticks;
        uint64_t end_ticks;
    };
    struct OsThread {
        ProfiledThread* thread = nullptr;  ///< null: not known yet, or not of the session
        uint64_t out_ns = 0;  ///< off the processors since then; 0: on one, or not known
        uint64_t in_ns = 0;   ///< when it came back last
        /// A switch-in is told when it is done; the kernel charges the thread from the moment it
        /// was chosen, 1 to 20 us earlier when the processor was asleep. Off-CPU intervals end this
        /// much before the record; it makes up for what was not known earlier, too.
        double switch_ns = 0;
        double taken_ns = 0;         ///< by this, off all intervals since the first learning
        bool from_its_start = true;  ///< it began while switches were told already
        uint64_t on_ns = 0;          ///< on a processor, as the records say
        uint64_t switches = 0;       ///< intervals in it
        uint64_t learned_on_ns = 0;  ///< on_ns, switches and the kernel's figure when learned last
        uint64_t learned_switches = 0;
        uint64_t learned_cpu_ns = 0;
        uint64_t first_on_ns = 0;  ///< on_ns and the kernel's figure since when taken_ns counts
        uint64_t first_cpu_ns = 0;
        bool learned = false;
        std::vector<Interval> early;  ///< while it is not known; a ring once it is full
        size_t next_early = 0;
        uint64_t dropped_ticks = 0;  ///< in sum, of intervals the ring had no room for ...
        uint64_t dropped_end = 0;    ///< ... of which the last ended then
    };
    static constexpr size_t kMaxEarly = 64;
    static constexpr size_t kMaxUnknown = 16'384;
    /// Two records less than this apart tell of one switch: an inherited event and one of the
    /// thread's own both see it.
    static constexpr uint64_t kTwinNs = 2'000;
    static constexpr uint64_t kLeastSwitches = 16;  ///< to learn from
    static constexpr double kMostSwitchNs = 50e3;

    void begin(OsThread& thread, uint32_t tid) const;
    void add(OsThread& thread, uint64_t begin_ns, uint64_t end_ns, const RawToTicks& clock);
    void went_out(OsThread& thread, uint64_t time_ns, const RawToTicks& clock);
    void came_in(OsThread& thread, uint64_t time_ns, const RawToTicks& clock);
    void forget_unknown();

    uint32_t pid_;
    std::unordered_map<uint32_t, OsThread> threads_;  ///< by tid
    std::unordered_set<uint32_t> older_;              ///< tids; see note_older()
    double usual_switch_ns_ = 0;                      ///< of threads of which none is learned
    size_t unknown_ = 0;                              ///< of threads_: not known
};

}  // namespace umbra::collector
