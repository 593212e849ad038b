// SPDX-License-Identifier: MIT
// EndedThreads: what is left of threads that have ended: the heaviest by themselves, sums of the
// others by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/collector/state/snapshot.h"
#include "src/replay/deductions.h"
#include "src/replay/thread_replay.h"
#include "src/replay/tree/limits.h"

namespace umbra::collector {

/// One function in one thread, or in many.
struct EndedFunction {
    replay::ThreadFunction times{};
    uint64_t unfinished = 0;
    replay::Deduction self{};   ///< of its self time
    replay::Deduction total{};  ///< of its inclusive time

    EndedFunction& operator+=(const EndedFunction& other);
};

/// A thread that has ended, or the sum of many.
struct EndedThread {
    Snapshot::Thread row;  ///< all but what is known by function
    std::unordered_map<uint32_t, EndedFunction> functions;

    /// Takes over a row, without deductions.
    static EndedThread of(Snapshot::Thread row);
    /// Ticks on a processor inside calls, as far as is known.
    [[nodiscard]] uint64_t weight() const;
    void add(const EndedThread& other);
    /// The row as a snapshot has it, its deductions added to `deductions`.
    void copy_out(std::vector<Snapshot::Thread>& rows, replay::CallDeductions& deductions) const;
};

/// In memory that does not grow with the number of threads: a service has millions in a day. Sums
/// are by name, in which numbers do not count: "worker 7" and "worker 8" are one "worker *";
/// threads without timed calls (the runtime's compilers) are apart. Where there are too many names,
/// the others share a sum. One thread.
class EndedThreads {
  public:
    /// Numbers of sums; those of threads lie below.
    static constexpr uint32_t kFirstSum = 0xffff'0000;

    explicit EndedThreads(const replay::Limits& limits) : limits_(limits) {}

    /// `mentioned`: other tables may tell of the thread by its number.
    void add(EndedThread thread, bool mentioned);
    /// Adds a thread that shares its paths with all others beyond Limits::own_trees to their sum.
    /// They have one number (CallTree::kLaterThreads), by which is known what is deducted from
    /// their times.
    void add_later(const EndedThread& thread);
    /// Their sum without any.
    [[nodiscard]] static EndedThread no_later_threads();
    /// Whose row a thread's number stands for, if not for its own: numbers of sums by those of
    /// threads that were mentioned.
    using Owners = std::unordered_map<uint32_t, uint32_t>;
    [[nodiscard]] const Owners& owners() const { return owners_; }
    /// Forgets threads that nobody tells of any more.
    template <typename Keep>
    void forget_owners(const Keep& keep) {
        std::erase_if(owners_, [&](const auto& owner) { return !keep(owner.first); });
    }

    /// Rows and what belongs to them. `later`: those that share their paths and have not ended.
    void copy_out(Snapshot& snapshot, EndedThread later) const;

    [[nodiscard]] uint64_t threads() const { return threads_; }
    /// Of all of them.
    [[nodiscard]] const replay::ThreadCounts& counts() const { return counts_; }
    /// Of all of them, by function index.
    [[nodiscard]] std::span<const EndedFunction> functions() const { return functions_; }

  private:
    struct Kept {
        EndedThread thread;
        bool mentioned;
    };

    void add_up(const EndedThread& thread);
    void drop_lightest();
    EndedThread& sum_for(const EndedThread& thread);

    const replay::Limits limits_;
    std::map<std::pair<uint64_t, uint32_t>, Kept> heaviest_;    ///< by weight and number
    size_t kept_functions_ = 0;                                 ///< of these
    std::map<std::pair<std::string, bool>, EndedThread> sums_;  ///< by name; with calls or without
    EndedThread later_ = no_later_threads();
    Owners owners_;
    uint64_t threads_ = 0;
    replay::ThreadCounts counts_;
    std::vector<EndedFunction> functions_;
};

/// "worker *" for "worker 12".
[[nodiscard]] std::string name_of_many(const std::string& name);

}  // namespace umbra::collector
