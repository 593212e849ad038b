// SPDX-License-Identifier: MIT
// What was recorded on threads of the pieces of async calls.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "src/replay/slowest/slow_call_table.h"

namespace umbra::collector {

/// Of each method the slowest pieces, found by the stretches on threads in which calls of it ran.
class AsyncPieces {
  public:
    /// `on_threads` must outlive this. `told`: functions, by index, whose calls are told as async
    /// ones.
    AsyncPieces(const replay::SlowCallSums& on_threads, std::vector<bool> told);

    /// What a piece did in a stretch of its async call. What is told as an async call is none here,
    /// but what was called in it.
    struct Stretch {
        std::vector<replay::Slice> slices;  ///< the first is the stretch
        uint64_t calls = 0;                 ///< that began in it
    };
    /// The stretch `running`, in which a call of `function` ran.
    [[nodiscard]] Stretch in(const replay::Slice& running, uint32_t function) const;

    /// What the runtime compiled in the pieces of a slow call itself, cut where it begins and ends;
    /// as many as have slices.
    [[nodiscard]] std::vector<replay::RuntimeInterval> compilations(
        const replay::SlowCall& call) const;

  private:
    /// The pieces of `function` that ran in a stretch.
    void for_each(const replay::Slice& running, uint32_t function, const auto& visit) const;
    /// As far as it is in the stretch.
    void add(const replay::SlowCall& piece, Stretch& stretch) const;

    std::vector<bool> told_;
    /// By function and thread, in order of time.
    std::map<std::pair<uint32_t, uint32_t>, std::vector<const replay::SlowCall*>> pieces_;
};

}  // namespace umbra::collector
