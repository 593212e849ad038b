// SPDX-License-Identifier: MIT
// Loads of any size that know their own calls: random call trees and recursive Fibonacci.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/fakeclr/script.h"

namespace umbra::fakeclr {

struct RandomLoad {
    uint64_t seed = 1;
    uint64_t calls = 1000;
    size_t max_depth = 40;
    /// Out of 1,000 steps, how many are a tail call or an exception instead of a call or return.
    uint32_t tailcalls_per_mille = 20;
    uint32_t exceptions_per_mille = 5;
};

/// Plays a random walk through `methods` until it has made at least `calls` calls and returned from
/// all. Equal loads on equal methods play equal sequences, on every machine. `exception_type` may
/// be null if exceptions_per_mille is 0.
void play_random(Player& player, const std::vector<FakeMethod*>& methods, FakeType* exception_type,
                 const RandomLoad& load);

/// fib(n) through the Player, one hooked call a step; the result is F(n).
uint64_t play_fib(Player& player, FakeMethod& method, uint32_t n);

/// fib(n) as machine code on the real stack of this thread: the fastest load there is.
uint64_t run_fib(FakeRuntime& runtime, FakeMethod& method, uint32_t n);

/// Calls that fib(n) makes: 2 F(n + 1) - 1.
[[nodiscard]] uint64_t fib_calls(uint32_t n);

}  // namespace umbra::fakeclr
