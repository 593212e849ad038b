// SPDX-License-Identifier: MIT
// Record streams to replay: a recursion, and a large program with many paths of calls.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "hotpath/record.h"
#include "hotpath/segment.h"

namespace umbra::bench {

/// Writes enter and leave records of one thread, as the stubs do.
class StreamWriter {
  public:
    void enter(uint32_t function, uint32_t caller_sp, uint64_t duration) {
        write(hotpath::Kind::kEnter, function, caller_sp, duration);
    }
    void leave(uint32_t function, uint32_t caller_sp, uint64_t duration) {
        write(hotpath::Kind::kLeave, function, caller_sp, duration);
    }
    [[nodiscard]] size_t events() const { return slots_.size() / 2; }
    [[nodiscard]] uint64_t ticks() const { return ticks_; }
    [[nodiscard]] std::vector<uint64_t> take() { return std::move(slots_); }

  private:
    void write(hotpath::Kind kind, uint32_t function, uint32_t caller_sp, uint64_t duration) {
        ticks_ += duration;
        slots_.push_back(hotpath::make_slot(kind, function, caller_sp));
        slots_.push_back(ticks_);
    }

    std::vector<uint64_t> slots_;
    uint64_t ticks_ = 1;
};

inline constexpr size_t kChunkSlots = hotpath::kChunkBytes / hotpath::kSlotBytes;

/// Chunk by chunk, as they come out of a ring.
template <typename Consume>
void for_each_chunk(const std::vector<uint64_t>& slots, Consume consume) {
    for (size_t begin = 0; begin < slots.size(); begin += kChunkSlots) {
        const size_t count = std::min(kChunkSlots, slots.size() - begin);
        consume(std::span(slots).subspan(begin, count));
    }
}

/// All ticks of a stream of calls and returns one run later.
inline void shift(std::vector<uint64_t>& slots, uint64_t ticks) {
    for (size_t index = 1; index < slots.size(); index += 2) {
        slots[index] += ticks;
    }
}

inline constexpr uint32_t kStackTop = 0x7fff'0000;

/// fib(n), every call recorded.
inline void write_fib(StreamWriter& out, uint32_t n, uint32_t caller_sp = kStackTop) {
    out.enter(1, caller_sp, 30 + n % 7);
    if (n > 1) {
        write_fib(out, n - 1, caller_sp - 64);
        write_fib(out, n - 2, caller_sp - 64);
    }
    out.leave(1, caller_sp, 25 + n % 5);
}

/// A program of `functions` functions that call each other as large programs do: each body is a
/// fixed list of call sites, most with one target and some with a few (virtual calls, skewed),
/// taken or not (skewed), some in loops; a few functions are called from everywhere.
class Program {
  public:
    Program(uint32_t functions, uint64_t seed) : random_(seed), bodies_(functions + 1) {
        for (uint32_t function = 1; function <= functions; ++function) {
            const size_t sites = below(7);
            for (size_t site = 0; site < sites; ++site) {
                bodies_[function].push_back(make_site(function, functions));
            }
        }
    }

    /// Runs until at least `events` records are written.
    void run(StreamWriter& out, size_t events) {
        const auto functions = static_cast<uint32_t>(bodies_.size() - 1);
        while (out.events() < events) {
            // One piece of work: a skewed choice of where, a bounded amount of what.
            const uint32_t start =
                1 + std::min({below(functions), below(functions), below(functions)}) / 16;
            call(out, start, kStackTop, 0, out.events() + 100 + below(8000));
        }
    }

  private:
    struct Site {
        std::array<uint32_t, 4> targets;
        uint32_t other_percent;  ///< how often not the first target
        uint32_t taken_percent;
        uint32_t max_repeats;
    };

    uint32_t below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }

    uint32_t pick(uint32_t caller, uint32_t functions) {
        if (below(100) < 35) {
            return functions - below(200);  // helpers that everybody calls
        }
        // The square of a uniform number: near callees are likelier than far ones.
        const double uniform = static_cast<double>(below(1 << 20)) / (1 << 20);
        const auto distance = static_cast<uint32_t>(uniform * uniform * 2000.0) + 1;
        return std::min(caller + distance, functions);
    }

    Site make_site(uint32_t caller, uint32_t functions) {
        Site site{.targets = {},
                  .other_percent = below(100) < 15 ? 20U : 0U,
                  .taken_percent = below(100) < 60 ? 99U : 2U,
                  .max_repeats = below(100) < 20 ? 40U : 1U};
        for (uint32_t& target : site.targets) {
            target = pick(caller, functions);
        }
        return site;
    }

    void call(StreamWriter& out, uint32_t function, uint32_t caller_sp, uint32_t depth,
              size_t events) {
        out.enter(function, caller_sp, 20 + (random_() & 63));
        if (depth < 40) {
            for (const Site& site : bodies_[function]) {
                if (out.events() >= events || below(100) >= site.taken_percent) {
                    continue;
                }
                const uint32_t repeats = 1 + below(site.max_repeats);
                for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
                    const size_t other = below(100) < site.other_percent ? 1 + below(3) : 0;
                    call(out, site.targets[other], caller_sp - 96, depth + 1, events);
                }
            }
        }
        out.leave(function, caller_sp, 20 + (random_() & 127));
    }

    std::mt19937_64 random_;
    std::vector<std::vector<Site>> bodies_;
};

}  // namespace umbra::bench
