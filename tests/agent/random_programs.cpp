// SPDX-License-Identifier: MIT
#include "tests/agent/random_programs.h"

#include <algorithm>
#include <random>
#include <string>

namespace umbra::fakeclr {
namespace {

constexpr int kMostNested = 3;      // blocks of exceptions within each other
constexpr size_t kMostFrames = 12;  // that an exception removes, most often

/// One thread of a program.
class Walk {
  public:
    Walk(Player& player, const std::vector<FakeMethod*>& methods, FakeType* exception,
         uint64_t seed)
        : player_(player), methods_(methods), exception_(exception), engine_(seed) {
        max_depth_ = 3 + below(40);
        exceptions_per_mille_ = below(80);
        tailcalls_per_mille_ = below(120);
        calls_left_ = 20 + below(150);
    }

    void run() {
        while (calls_left_ > 0) {
            play({.floor = 0, .least_catcher = 0}, 50);
        }
    }

  private:
    /// What may happen in a block of an exception, or in the thread itself.
    struct Block {
        size_t floor;          ///< frames below are not its own
        size_t least_catcher;  ///< no exception passes this frame
        bool filter = false;
        int nested = 0;
    };

    uint64_t below(uint64_t bound) { return engine_() % bound; }

    /// Leaves nothing of its own, unless an exception removes it.
    void play(const Block& block, uint64_t steps) {
        for (; steps > 0 && calls_left_ > 0; --steps) {
            const size_t depth = player_.depth();
            const uint64_t dice = below(1000);
            FakeMethod& method = *methods_[below(methods_.size())];
            if (dice < exceptions_per_mille_) {
                if (!raise(block)) {
                    return;
                }
            } else if (dice < exceptions_per_mille_ + tailcalls_per_mille_ && depth > block.floor) {
                player_.tailcall(method);
                --calls_left_;
            } else if (depth == block.floor || (depth < max_depth_ && below(2) == 0)) {
                player_.enter(method);
                --calls_left_;
            } else {
                player_.leave();
            }
        }
        while (player_.depth() > block.floor) {
            player_.leave();
        }
    }

    /// False: the block is gone.
    bool raise(const Block& block) {
        const size_t frames = player_.depth();
        // What a filter throws itself has no frame here; and somebody must catch it.
        if (frames <= (block.filter ? block.floor : block.least_catcher) || frames == 0) {
            return true;
        }
        const bool leaves_filter = block.filter && below(3) == 0;
        const size_t last = leaves_filter
                                ? block.floor
                                : frames - 1 -
                                      below(std::min(frames - block.least_catcher,
                                                     below(8) == 0 ? frames : kMostFrames));
        Exception exception;
        exception.type = exception_;
        exception.caught_in = leaves_filter ? Exception::kLeavesFilter : frames - 1 - last;
        if (block.nested < kMostNested) {
            add_blocks(block, frames, last, exception);
        }
        player_.raise(exception);
        // An exception out of a finally block may have taken its place, and be caught here.
        return player_.depth() >= block.floor + (leaves_filter ? 1U : 0U);
    }

    void add_blocks(const Block& block, size_t frames, size_t last, Exception& exception) {
        const int nested = block.nested + 1;
        for (size_t frame = frames; frame-- > last;) {
            if (below(5) == 0) {
                exception.filters.push_back({frames - 1 - frame, piece({.floor = frames,
                                                                        .least_catcher = frames,
                                                                        .filter = true,
                                                                        .nested = nested})});
            }
            if (below(4) == 0) {
                exception.finallys.push_back(
                    {frames - 1 - frame, piece({.floor = frame + 1,
                                                .least_catcher = block.least_catcher,
                                                .nested = nested})});
            }
        }
        if (below(2) == 0) {
            exception.handler =
                piece({.floor = last + 1, .least_catcher = block.least_catcher, .nested = nested});
        }
    }

    Piece piece(const Block& block) {
        return [this, block, steps = 1 + below(10)](Player&) { play(block, steps); };
    }

    Player& player_;
    const std::vector<FakeMethod*>& methods_;
    FakeType* exception_;
    std::mt19937_64 engine_;
    size_t max_depth_;
    uint64_t exceptions_per_mille_;
    uint64_t tailcalls_per_mille_;
    uint64_t calls_left_;
};

}  // namespace

RandomProgram::RandomProgram(FakeRuntime& runtime, FakeModule& module, uint64_t seed)
    : seed_(seed) {
    std::mt19937_64 random(seed);
    FakeModel& model = runtime.model();
    const std::string type_name = "R.P" + std::to_string(seed);
    FakeType& type = model.add_type(module, {.name = type_name});
    exception_ = &model.add_type(module, {.name = type_name + "Exception"});
    const size_t hooked = 2 + random() % 10;
    const size_t all = hooked + random() % 4;
    for (size_t i = 0; i < all; ++i) {
        const std::string name = (i < hooked ? "M" : "Hidden") + std::to_string(i);
        methods_.push_back(&model.add_method(type, {.name = name}));
        if (random() % 2 == 0) {
            runtime.compile(*methods_.back());  // else at its first call
        }
    }
}

std::vector<ThreadPlan> RandomProgram::threads() const {
    std::vector<ThreadPlan> plans;
    const uint64_t count = 1 + seed_ % 4;
    for (uint64_t number = 0; number < count; ++number) {
        plans.push_back({.name = std::to_string(seed_) + '.' + std::to_string(number),
                         .program =
                             [this, number](Player& player) {
                                 Walk(player, methods_, exception_, 4 * seed_ + number).run();
                             },
                         .foreign = (seed_ + number) % 7 == 0});
    }
    return plans;
}

}  // namespace umbra::fakeclr
