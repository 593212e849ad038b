// SPDX-License-Identifier: MIT
// What changed between two profiles of a program, and what only differs as any two runs do.
// docs/diff.md gives the formulas.
#pragma once

#include <cstddef>
#include <vector>

#include "src/profile/filter.h"
#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::profile {

struct DiffOptions {
    bool pauses = false;       ///< true: pauses and compilation are left in the times
    bool absolute = false;     ///< true: what all functions have in common is judged, too
    double min_percent = 0.1;  ///< smallest change, in percent of the self time of all functions
    Filter filter = {};
};

enum class Verdict {
    kSame,
    kSlower,  ///< by its own time
    kFaster,
    kSlowerBelow,  ///< by what it calls: its inclusive time
    kFasterBelow,
    kMoreCalls,  ///< a call takes as long as it did
    kFewerCalls,
    kNew,  ///< called in the new profile only
    kGone,
};

/// How times of unchanged functions differ between the two runs, as parts of the time.
struct RunNoise {
    double often = 0;      ///< of functions with many calls
    double seldom = 0;     ///< of functions with few
    double common = 0;     ///< what all have in common: 0.02 is 2 % longer
    std::size_t from = 0;  ///< functions it was measured on; 0: assumed
};

/// How time off the processors differs. A thread loses its processor for a slice of time now and
/// then, in whatever method it is, more often on a busy machine.
struct WaitNoise {
    double lost_before = 0;  ///< time lost so for each second of CPU time
    double lost_after = 0;
    double slice_ns = 0;  ///< how long one such loss is
    double relative = 0;  ///< of methods that wait, as a part of the wait
};

enum class JudgedBy { kWall, kCpu, kWaiting };

/// A time that changed: how much, and how sure that is.
struct TimeChange {
    JudgedBy by = JudgedBy::kWall;
    double relative = 0;    ///< beyond what all functions have in common; 0.1 is 10 % longer
    double error_ns = 0;    ///< standard error of the difference, noise of the runs included
    double deviations = 0;  ///< the difference in standard errors; below 0: shorter
};

/// A method in both profiles. Where it is in one only, the other side has no calls.
struct FunctionChange {
    HotFunction before;
    HotFunction after;
    TimeChange self;  ///< by CPU time or waiting, whichever tells more; else by wall time
    TimeChange total;
    Verdict verdict = Verdict::kSame;
};

struct Diff {
    /// Changed ones first: by own time, by what they call, by calls, then new and gone; the
    /// greatest difference first. Functions point into the two profiles.
    std::vector<FunctionChange> functions;
    std::size_t changed = 0;   ///< of these, all but kSame
    bool has_cpu = false;      ///< both profiles have CPU times
    RunNoise noise;            ///< of CPU time where both have it, else of wall time
    WaitNoise waiting;         ///< where both have CPU times
    bool calls_judged = true;  ///< false: the calls of many functions differ, by chance
    double deviations = 3;     ///< a difference is a change from so many standard errors upwards
};

[[nodiscard]] Diff diff(const Profile& before, const Profile& after, const DiffOptions& options);

/// The greatest relative increase of own or inclusive time among the functions called slower, or
/// called more often; 0 where there are none.
[[nodiscard]] double worst_increase(const Diff& diff);

}  // namespace umbra::profile
