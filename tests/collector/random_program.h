// SPDX-License-Identifier: MIT
// Made-up programs with exceptions, tail calls and recursion, and their records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "tests/collector/record_stream.h"

namespace umbra::collector::testing {

/// Calls and times by path, as the program that made the stream knows them.
struct Expected {
    uint64_t calls = 0;
    uint64_t total = 0;
};
using Path = std::vector<char>;

/// Runs a made-up program: writes its records and notes what really happened.
class RandomProgram {
  public:
    explicit RandomProgram(uint64_t seed) : random_(seed) {}

    void run(int calls) {
        for (int call = 0; call < calls; ++call) {
            if (this->call(kStackTop)) {
                // Caught by something without hooks.
                stream.caught(0, kStackTop + 8, tick());
            }
        }
    }

    RecordStream stream;
    std::map<Path, Expected> expected;
    uint64_t thrown = 0;
    uint64_t now = 1;

  private:
    static constexpr uint32_t kStackTop = 0x1000'0000;

    uint32_t below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }
    uint64_t tick() { return now += below(50); }

    void end(uint64_t began) {
        ++expected[path_].calls;
        expected[path_].total += now - began;
        path_.pop_back();
    }

    /// Begins a call, maybe throws; true: an exception is on its way through the caller. Frames
    /// are removed (second pass) as the recursion returns, as the runtime does.
    bool call(uint32_t sp) {
        const char function = static_cast<char>('A' + below(6));
        const bool hooked = below(10) != 0;
        const uint64_t began = tick();
        if (hooked) {
            path_.push_back(function);
            stream.enter(function, sp, began);
        }
        uint32_t inner = sp - 16 - below(200);
        const uint32_t steps = below(path_.size() > 12 ? 1 : 4);
        const bool catches = below(3) == 0;
        const bool has_finally = below(3) == 0;
        for (uint32_t step = 0; step < steps; ++step) {
            const bool threw = below(12) == 0 ? raise() : call(inner);
            if (!threw) {
                continue;
            }
            const char told = hooked ? function : char{0};
            stream.unwind_enter(told, tick());
            if (catches) {
                stream.block(ControlType::kCatcherEnter, told, inner, tick());
                // Handlers run below everything that was on the stack at the throw.
                const bool again = below(4) == 0 ? raise() : handler(inner);
                if (again) {
                    stream.unwind_enter(told, tick());
                    return removed(hooked, began);
                }
                stream.catcher_leave(tick());
                continue;
            }
            if (has_finally) {
                stream.block(ControlType::kUnwindFinallyEnter, told, inner, tick());
                if (handler(inner)) {
                    // The new exception takes the place of the old and removes this frame.
                    stream.unwind_enter(told, tick());
                    return removed(hooked, began);
                }
                stream.finally_leave(tick());
            }
            return removed(hooked, began);
        }
        if (hooked) {
            if (below(8) == 0) {
                stream.tailcall(function, sp, tick());
            } else {
                stream.leave(function, sp, tick());
            }
            end(began);
        }
        return false;
    }

    bool raise() {
        stream.thrown(1, tick());
        ++thrown;
        return true;
    }

    bool removed(bool hooked, uint64_t began) {
        stream.unwind_leave(tick());
        if (hooked) {
            end(began);
        }
        return true;
    }

    bool handler(uint32_t sp) { return below(2) == 0 && call(sp - 100'000); }

    std::mt19937_64 random_;
    Path path_;
};

/// Slots of the records that begin in the first `slots`.
inline size_t whole_records(std::span<const uint64_t> stream, size_t slots) {
    size_t at = 0;
    while (at < stream.size() && at < slots) {
        at += hotpath::record_slots(stream[at]);
    }
    return std::min(at, stream.size());
}

/// So many workers, which the threads 1 .. `threads` go to in turn.
inline void add_workers(SessionState& state, size_t workers, uint32_t threads) {
    while (state.shards().size() < workers) {
        state.add_shard();
    }
    for (uint32_t thread = 0; thread < threads; ++thread) {
        state.add_thread(thread + 1, 0, false, &state.shards()[thread % state.shards().size()]);
    }
}

/// Each thread replays its stream in pieces, now this thread, now that; now and then one changes
/// its worker. `between` is called before that; `next_piece` after it, with the thread and what is
/// left of its stream, and answers the slots of the piece.
void replay_by(size_t workers, const std::vector<std::vector<uint64_t>>& streams,
               SessionState& state, std::mt19937_64& random, const auto& next_piece,
               const auto& between) {
    std::vector<size_t> done(streams.size());
    for (size_t left = streams.size(); left != 0;) {
        const auto number = static_cast<uint32_t>(random() % streams.size());
        ProfiledThread& thread = state.threads().at(number);
        const std::span<const uint64_t> rest = std::span(streams[number]).subspan(done[number]);
        if (rest.empty()) {
            continue;
        }
        between();
        if (workers > 1 && random() % 3 == 0) {
            const SessionState::AllGates gates = state.lock_all();
            state.move(thread, state.shards()[random() % state.shards().size()]);
        }
        const size_t piece = next_piece(thread, rest);
        done[number] += thread.consume(rest.first(piece), piece == rest.size());
        left -= piece == rest.size() ? 1U : 0U;
    }
}

}  // namespace umbra::collector::testing
