// SPDX-License-Identifier: MIT
// Made-up programs for the stand-in runtime: everything that makes stacks grow and shrink, at
// random, with counts of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/fakeclr/fake_runtime.h"
#include "src/fakeclr/script.h"

namespace umbra::fakeclr {

/// One program: 2 to 12 methods, up to three of them "Hidden..." (meant to be excluded, and so
/// without hooks), and 1 to 4 threads that call them at random. Recursion and cycles come of the
/// small number. Exceptions are thrown in calls and in filter, finally and catch blocks, caught
/// near and far, leave blocks and filters; calls end in tail calls. Equal seeds play equal
/// programs.
class RandomProgram {
  public:
    RandomProgram(FakeRuntime& runtime, FakeModule& module, uint64_t seed);

    /// Its threads, named "SEED.NUMBER". The program must outlive them.
    [[nodiscard]] std::vector<ThreadPlan> threads() const;

  private:
    uint64_t seed_;
    FakeType* exception_ = nullptr;
    std::vector<FakeMethod*> methods_;
};

}  // namespace umbra::fakeclr
