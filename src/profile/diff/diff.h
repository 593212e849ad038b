// SPDX-License-Identifier: MIT
// What changed between runs of two versions of a program, and what only differs as any runs do.
// docs/diff_reference.md gives the formulas.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/profile/diff/judged.h"
#include "src/profile/diff/measure.h"
#include "src/profile/diff/run.h"
#include "src/profile/profile.h"

namespace umbra::profile {

struct DiffOptions {
    bool absolute = false;     ///< true: the common shift is judged, too
    double min_percent = 0.1;  ///< smallest change, in percent of the self time of all functions
};

enum class Verdict {
    kSame,
    kSlower,  ///< by its own time, or by what its calls themselves await
    kFaster,
    kSlowerBelow,  ///< by what it calls: its inclusive time, or that of an async call
    kFasterBelow,
    kMoreCalls,  ///< a call takes as long as it did
    kFewerCalls,
    kNew,  ///< called in all runs of NEW and in none of OLD
    kGone,
};

/// "slower", "more calls", ...: as reports, JSON and the page say it.
[[nodiscard]] std::string_view verdict_name(Verdict verdict);

/// A time that changed or did not: how much, and how sure that is.
struct TimeChange {
    JudgedBy by = JudgedBy::kWall;
    double relative = 0;    ///< 0.1 is 10 % longer, beyond the common shift; by
                            ///< kAsyncWall of one call, with the common shift
    double error_ns = 0;    ///< standard error of the difference
    double deviations = 0;  ///< the difference in standard errors; below 0: shorter
    double chance = 1;      ///< probability of such a difference where there is none
    bool real = false;      ///< it is a change
};

/// What the probes' cost leaves in doubt of a method's times, see doubt_ns().
struct Doubts {
    double self_ns = 0;
    double total_ns = 0;
};

/// Calls of an async method from begin to result; all 0 where it has none.
struct AsyncMeans {
    uint64_t calls = 0;
    uint64_t wall_ns = 0;      ///< of one call
    uint64_t awaiting_ns = 0;  ///< of one call: see own_awaiting_ns()
};

/// A method of either side. Times are means of the side's runs; one that a run did not call took no
/// time in it.
struct FunctionChange {
    std::string name;
    std::string module;
    CallTimes before;
    CallTimes after;
    Doubts before_doubts;
    Doubts after_doubts;
    AsyncMeans before_async;
    AsyncMeans after_async;
    bool in_both = false;  ///< called in all runs
    TimeChange self;       ///< by CPU time or waiting (else wall time) or async wall, whichever
                           ///< tells more
    TimeChange total;      ///< by CPU time (else wall time) or async wall
    Verdict verdict = Verdict::kSame;
};

/// The smallest change that would have been found in the function that takes most time.
struct DetectableChange {
    std::string name;    ///< empty: nothing could be judged
    double time_ns = 0;  ///< its own, as it was judged
    double relative = 0;
};

struct Diff {
    /// Changed ones first: by own time, by calls, new and gone, by what they call; the greatest
    /// difference first.
    std::vector<FunctionChange> functions;
    std::size_t changed = 0;  ///< of these, all but kSame
    bool has_cpu = false;     ///< all runs have CPU times
    Sides sides;
    double common = 0;             ///< the common shift of all functions: 0.02 is 2 % longer
    std::size_t common_from = 0;   ///< functions it was measured on; 0: taken as none
    Noise noise;                   ///< of own CPU times where all have them, else of own wall times
    Noise waiting;                 ///< of own times with waits, where all have CPU times
    Noise awaiting;                ///< of what async calls themselves await
    std::size_t async_judged = 0;  ///< methods that were judged by that
    double slice_ns = 0;           ///< how long a loss of a processor to another thread is
    bool calls_judged = true;      ///< false: the calls of many functions differ, by chance
    DetectableChange detectable;
};

/// Both sides have at least one run. The more they have, the more is found, and the less by chance.
[[nodiscard]] Diff diff(const std::vector<Run>& before, const std::vector<Run>& after,
                        const DiffOptions& options);

/// The greatest relative increase of own or inclusive time among the functions called slower, or
/// called more often and slower; 0 where there are none.
[[nodiscard]] double worst_increase(const Diff& diff);

}  // namespace umbra::profile
