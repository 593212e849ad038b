// SPDX-License-Identifier: MIT
// Threads that are blocked until a task has ended: Task.Wait(), Task.Result, GetResult().
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "src/replay/async/async_fact.h"
#include "src/replay/async/async_sums.h"

namespace umbra::replay {

/// Adds up how long functions were blocked, by what they waited for. A thread that is blocked may
/// run the task itself, or others, and be blocked again in these: such waits are inside each other,
/// and each has its whole time. Any content is allowed. One thread.
class BlockedWaits {
  public:
    explicit BlockedWaits(const AsyncLimits& limits) : limits_(limits) {}

    /// `awaited_function`, `type`: as BlockedWait has them.
    void begin(const AsyncFact& fact, uint32_t awaited_function, uint64_t type);
    /// The wait in the frame ends, and so do those below it whose end nobody has told.
    void end(const AsyncFact& fact);

    /// With waits that go on at `now_ticks`, which last until then.
    [[nodiscard]] std::vector<BlockedWait> sums(uint64_t now_ticks) const;

  private:
    struct Open {
        uint32_t sp;
        uint32_t row;  ///< of rows_
        uint64_t begin_ticks;
    };
    using Stack = std::vector<Open>;

    uint32_t row(uint32_t function, uint32_t awaited_function, uint64_t type);
    static void add(const Open& wait, uint64_t ticks, std::vector<BlockedWait>& rows);
    /// Those at `sp` and deeper.
    void pop_to(Stack& stack, uint32_t sp, uint64_t ticks);

    const AsyncLimits limits_;
    std::vector<BlockedWait> rows_ = std::vector<BlockedWait>(1);
    std::map<std::tuple<uint32_t, uint32_t, uint64_t>, uint32_t> numbers_;
    std::unordered_map<uint32_t, Stack> threads_;
    size_t open_ = 0;
};

}  // namespace umbra::replay
