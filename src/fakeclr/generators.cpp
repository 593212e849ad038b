// SPDX-License-Identifier: MIT
// Random walks and recursion over the Player and over the machine-code stubs.
#include "src/fakeclr/generators.h"

#include <algorithm>
#include <random>
#include <utility>

namespace umbra::fakeclr {
namespace {

/// mt19937_64 and plain remainders: the same sequence with every standard library.
class Dice {
  public:
    explicit Dice(uint64_t seed) : engine_(seed) {}
    uint64_t below(uint64_t bound) { return engine_() % bound; }

  private:
    std::mt19937_64 engine_;
};

/// Thrown by the top frame and caught in one of the uppermost `frames`.
Exception random_exception(Dice& dice, const std::vector<FakeMethod*>& methods, FakeType* type,
                           size_t frames) {
    const auto call_one = [&dice, &methods](Player& inside) {
        inside.call(*methods[dice.below(methods.size())]);
    };
    Exception exception;
    exception.type = type;
    exception.caught_in = dice.below(frames);
    for (size_t frame = 0; frame < exception.caught_in; ++frame) {
        if (dice.below(3) == 0) {
            exception.finallys.push_back({frame, call_one});
        }
    }
    if (dice.below(3) == 0) {
        exception.filters.push_back({exception.caught_in, call_one});
    }
    if (dice.below(2) == 0) {
        exception.handler = call_one;
    }
    return exception;
}

}  // namespace

void play_random(Player& player, const std::vector<FakeMethod*>& methods, FakeType* exception_type,
                 const RandomLoad& load) {
    Dice dice(load.seed);
    const size_t floor = player.depth();
    const auto depth = [&] { return player.depth() - floor; };
    const auto any_method = [&]() -> FakeMethod& { return *methods[dice.below(methods.size())]; };
    uint64_t calls = 0;
    while (calls < load.calls) {
        const uint64_t step = dice.below(1000);
        if (depth() > 0 && step < load.exceptions_per_mille) {
            constexpr size_t kMostFrames = 8;
            player.raise(
                random_exception(dice, methods, exception_type, std::min(depth(), kMostFrames)));
        } else if (depth() > 0 && step < load.exceptions_per_mille + load.tailcalls_per_mille) {
            player.tailcall(any_method());
            ++calls;
        } else if (depth() == 0 || (depth() < load.max_depth && dice.below(2) == 0)) {
            player.enter(any_method());
            ++calls;
        } else {
            player.leave();
        }
    }
    while (depth() > 0) {
        player.leave();
    }
}

uint64_t play_fib(Player& player, FakeMethod& method, uint32_t n) {
    player.enter(method);
    const uint64_t result =
        n < 2 ? n : play_fib(player, method, n - 1) + play_fib(player, method, n - 2);
    player.leave();
    return result;
}

uint64_t run_fib(FakeRuntime& runtime, FakeMethod& method, uint32_t n) {
    const CompiledBody& body = runtime.body(method);
    constexpr HookSlots kNoHooks{umbra_fakeclr_no_hook, umbra_fakeclr_no_hook,
                                 umbra_fakeclr_no_hook};
    return umbra_fakeclr_fib(body.hooked ? &runtime.slots() : &kNoHooks, body.client_id, n);
}

uint64_t fib_calls(uint32_t n) {
    uint64_t now = 0;
    uint64_t next = 1;
    for (uint32_t i = 0; i <= n; ++i) {
        now = std::exchange(next, now + next);
    }
    return 2 * now - 1;
}

}  // namespace umbra::fakeclr
