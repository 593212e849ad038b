// SPDX-License-Identifier: MIT
// ModulesInUse: keeps the runtime from taking a module away from under a thread of ours.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "src/clr/types.h"

namespace umbra::agent {

/// A ModuleID is a pointer that the runtime checks nowhere. In a callback about a module it is
/// good; a thread of ours that asks for methods compiled anew, or reads metadata, may be overtaken
/// by the module's end at any moment. So such a thread keeps the module (Work), and the callback
/// that announces the end (Leaving) waits until it lets go.
///
/// Nobody keeps a module that has been announced: the wait ends when the work in hand is done. It
/// ends by time as well, since the callback stands in a thread of the program.
class ModulesInUse {
  public:
    /// Longer than any request of one Work may take on a busy machine.
    static constexpr std::chrono::milliseconds kTimeout{10'000};

    /// One piece of work of one thread, on modules it does not know to be loaded. It begins before
    /// these are listed: whatever is announced from then on is refused.
    class Work {
      public:
        explicit Work(ModulesInUse& modules);
        Work(const Work&) = delete;
        Work& operator=(const Work&) = delete;
        ~Work();
        /// The module stays loaded until let_go(). False: it is going, or gone.
        [[nodiscard]] bool keep(clr::ModuleID module);
        /// Of all that are kept.
        void let_go() noexcept;

      private:
        ModulesInUse& modules_;
        std::vector<clr::ModuleID> kept_;
    };

    /// As long as the runtime is told nothing: in ModuleUnloadStarted. The constructor waits.
    class Leaving {
      public:
        Leaving(ModulesInUse& modules, clr::ModuleID module,
                std::chrono::milliseconds timeout = kTimeout) noexcept;
        Leaving(const Leaving&) = delete;
        Leaving& operator=(const Leaving&) = delete;
        ~Leaving();
        /// False: somebody still keeps it.
        [[nodiscard]] bool in_order() const { return in_order_; }

      private:
        ModulesInUse& modules_;
        const clr::ModuleID module_;
        bool announced_ = false;  // false: there was no memory for it
        bool in_order_ = false;
    };

  private:
    struct Use {
        uint32_t kept = 0;     ///< times
        uint32_t leaving = 0;  ///< the callback runs; twice if it ran out of timeout before
        bool left = false;     ///< announced since the oldest work in hand began
    };

    std::mutex mutex_;
    std::condition_variable let_go_;
    std::unordered_map<clr::ModuleID, Use> uses_;  // guarded by mutex_, like all that follows
    uint32_t works_ = 0;
};

}  // namespace umbra::agent
