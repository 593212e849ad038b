// SPDX-License-Identifier: MIT
// WorkerBalance: which worker replays which thread, and when another worker is worth its processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace umbra::collector {

/// What one worker did in a window.
struct WorkerLoad {
    struct Ring {
        uint32_t slot;
        uint32_t chunks;  ///< taken from it
    };
    double busy = 0;  ///< part of the window in which it did not sleep
    std::vector<Ring> rings;

    [[nodiscard]] uint64_t chunks() const;
    /// Rings that it took anything from.
    [[nodiscard]] size_t active() const;
};

/// A thread that is to be replayed by another worker.
struct ThreadMove {
    size_t from;
    size_t to;
    uint32_t slot;
};

/// A worker without rest holds up the threads it replays. As long as another rests for half its
/// time, threads go there, those first that make the longer of the two loads shortest; when none
/// does, another worker is worth having, if a processor stands idle that the program does not use.
/// A worker with one busy thread cannot be helped. One thread.
class WorkerBalance {
  public:
    static constexpr double kSaturated = 0.9;  ///< busy: no rest
    static constexpr double kFree = 0.5;       ///< busy: room for another's threads
    /// A move has to shorten the longer load by this, or the threads would go to and fro.
    static constexpr double kWorthwhile = 0.1;
    static constexpr size_t kMostMoves = 16;  ///< in one window
    static constexpr int kWindowsBefore = 2;  ///< saturated, before a worker is added
    /// Of idle processors: one for the new worker, and not the last.
    static constexpr double kIdleProcessors = 1.5;

    /// The window's moves, in order. Looks at nothing before.
    [[nodiscard]] static std::vector<ThreadMove> moves(std::vector<WorkerLoad> loads);
    /// The next window; true: a worker is to be added.
    [[nodiscard]] bool wants_another(std::span<const WorkerLoad> loads, double idle_processors);

  private:
    int saturated_windows_ = 0;
};

}  // namespace umbra::collector
