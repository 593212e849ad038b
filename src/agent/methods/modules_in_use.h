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
/// that announces the end (Leaving) waits until it lets go. Requests hold up the end of every
/// module (Request).
///
/// Nobody keeps a module that has been announced: the wait ends when the work in hand is done. It
/// ends by time as well, since the callback stands in a thread of the program.
class ModulesInUse {
  public:
    /// Longer than any request of one Work may take on a busy machine.
    static constexpr std::chrono::milliseconds kTimeout{10'000};
    /// Longer than a module's memory mostly takes to be given back once its end has been told.
    static constexpr std::chrono::milliseconds kSettled{10};
    /// So long requests hold up ends, all together, until there has been none for kPause: what has
    /// ended in a program that unloads all the time would fill its memory.
    static constexpr std::chrono::milliseconds kPatience{500};
    static constexpr std::chrono::milliseconds kPause{1'000};

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

    /// Around a request for methods to be compiled anew, or its withdrawal: no module at all goes.
    /// The runtime looks for instantiations and inliners of these methods in all modules, in those
    /// that are going as well, and does not keep what it finds (docs/runtime_contract.md). The
    /// constructor waits for ends that are under way, until the thread that has told of the last
    /// one rests, or kSettled. One may live within another. The runtime must not be suspended: it
    /// may wait for the thread that tells of an end.
    class Request {
      public:
        explicit Request(ModulesInUse& modules) noexcept;
        Request(const Request&) = delete;
        Request& operator=(const Request&) = delete;
        ~Request();

      private:
        ModulesInUse& modules_;
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
        /// Until `is_let_go`, and no request runs or patience is over. False: not in time.
        template <typename Predicate>
        bool wait(std::unique_lock<std::mutex>& lock, std::chrono::milliseconds timeout,
                  const Predicate& is_let_go) noexcept;

        ModulesInUse& modules_;
        const clr::ModuleID module_;
        bool announced_ = false;  // false: there was no memory for it
        bool in_order_ = false;
    };

  private:
    /// Until the last module that was announced has gone. With `lock` held, and let go of
    /// meanwhile.
    void settle(std::unique_lock<std::mutex>& lock) noexcept;

    struct Use {
        uint32_t kept = 0;     ///< times
        uint32_t leaving = 0;  ///< the callback runs; twice if it ran out of timeout before
        bool left = false;     ///< announced since the oldest work in hand began
    };

    std::mutex mutex_;
    std::condition_variable let_go_;
    std::unordered_map<clr::ModuleID, Use> uses_;  // guarded by mutex_, like all that follows
    uint32_t works_ = 0;
    uint32_t requests_ = 0;
    uint32_t held_up_ = 0;  ///< ends that wait for requests alone
    uint32_t going_ = 0;    ///< the thread that has told of the last end; 0: none
    std::chrono::steady_clock::time_point last_request_{};
    std::chrono::steady_clock::duration patience_{};  ///< left
};

}  // namespace umbra::agent
