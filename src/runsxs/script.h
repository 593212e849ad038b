// SPDX-License-Identifier: MIT
// Script: what instances of the runtime do in one process, step by step; a small text file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace umbra::runsxs {

/// A line: a word that says what to do, the instances it is about, and what else it says.
///
///   instance NAME VERSION [ids=N]  a runtime that is not there yet; its FunctionIDs count from N,
///                                  so that those of two instances may be equal
///   profiler NAME PATH [CLSID]     it loads this one, not that of the command line
///   blind NAME                     the profiler gets an info without interfaces
///   start NAME...                  the instance starts and loads its profiler
///   attach NAME... [data=HEX]      it has started without one, and is told to load it now, with
///                                  these bytes as client data
///   run NAME... [calls=N] [threads=N]
///   through NAME... [calls=N]      one thread calls from each instance into the next and back, and
///                                  exceptions go all the way
///   collect NAME...                a garbage collection
///   unload NAME...                 its module goes and is loaded again
///   detach NAME...                 if its profiler has asked to be let go
///   shutdown NAME...
///   end NAME...                    the instance is gone; `start` makes another of its name
///   expect NAME... profiled|refused
///   tell PATH                      makes this file, empty: the script has come so far
///   wait PATH                      until there is this file
///   repeat N ... done
///
/// With `together` at its end, a line is done for all its instances at the same time, each on a
/// thread of its own; otherwise in turn. # begins a comment.
struct Step {
    enum class What : uint8_t {
        kInstance,
        kProfiler,
        kBlind,
        kStart,
        kAttach,
        kRun,
        kThrough,
        kCollect,
        kUnload,
        kDetach,
        kShutdown,
        kEnd,
        kExpect,
        kTell,
        kWait,
        kRepeat,
        kDone,
    };

    What what = What::kRun;
    std::vector<std::string> words;  ///< behind the first, but for what follows
    bool together = false;
    uint64_t calls = 2'000;
    uint32_t threads = 1;
    uint64_t ids = 0;  ///< 0: as they come
    std::string data;  ///< client data, decoded
    uint32_t line = 0;
    std::string text;  ///< the line itself
};

/// An error names the line and what is wrong with it.
[[nodiscard]] Result<std::vector<Step>> parse_script(std::string_view text);

}  // namespace umbra::runsxs
