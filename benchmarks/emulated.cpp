// SPDX-License-Identifier: MIT
// Part of every benchmark built for another processor than this machine's: its output says that it
// ran in an emulator, so that no figure of it is taken for the processor's.
#include <benchmark/benchmark.h>

namespace {

[[maybe_unused]] const bool kSaid = [] {
    benchmark::AddCustomContext("emulated", UMBRA_EMULATOR);
    return true;
}();

}  // namespace
