// SPDX-License-Identifier: MIT
// AgentWorker: tells the collector of functions, types and modules, off every critical path.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>

#include "src/agent/async_types.h"
#include "src/agent/link/channel.h"
#include "src/agent/methods/deinstrumented_methods.h"
#include "src/agent/methods/registry.h"
#include "src/base/result.h"
#include "src/clr/info.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

class Profiler;

/// Owns the thread `umbra-worker`, which resolves names, asks the runtime to compile methods again,
/// and sends every message but the first. Functions keep their index from one recording to the
/// next; types and modules are numbered anew in each. All public functions but start(), end() and
/// forget_told() may be called from any thread; none waits for the socket but flush() and send().
class AgentWorker {
  public:
    /// The tables are those of the process, and outlive the worker.
    AgentWorker(Registry& registry, DeinstrumentedMethods& deinstrumented)
        : registry_(registry), deinstrumented_(deinstrumented) {}
    AgentWorker(const AgentWorker&) = delete;
    AgentWorker& operator=(const AgentWorker&) = delete;
    ~AgentWorker() = default;

    /// From now on messages go to `channel`, until disconnect().
    void connect(Channel& channel);
    void disconnect() { channel_.store(nullptr); }
    [[nodiscard]] bool connected() const { return channel_.load() != nullptr; }

    /// Starts the thread. `joinable`: end() will end it; else it runs until the process ends.
    Status start(bool joinable);
    /// Everything known is named and sent; then the thread is gone.
    void end() noexcept;
    /// The collector of the next recording knows nothing of those before. Between end() and
    /// start().
    void forget_told();

    /// Everything known is named and sent, two seconds at most.
    void flush() noexcept;
    /// Sends at once, on this thread.
    void send(const protocol::Message& message);
    /// Puts a message behind those that wait.
    void post(protocol::Message message);

    /// The registry has a new function.
    void function_added();
    /// A function known from an earlier recording takes part in this one.
    void name_again(uint32_t index);
    /// Names all functions and types of a runtime known by now, on this thread, which is in one of
    /// its callbacks: the others are not asked there.
    void name_all_of(const Profiler* owner) noexcept;
    /// Number of an exception's type, from 1.
    uint32_t type_index(clr::ClassID type, clr::ModuleID module, Profiler* owner);
    /// Types that records of async calls carry are to be named in this recording.
    void name_async_types();
    /// A runtime begins whose types they may be; its number is one more than that of the one
    /// before.
    void add_runtime(Profiler* runtime) { async_types_.add_runtime(runtime); }
    /// Number of a module by which functions refer to it, from 1. `runtime`: which has loaded it.
    uint32_t module_index(const std::string& path, bool framework, uint32_t runtime);
    /// The module goes, and its functions are retired: nothing is asked of it any more.
    void forget_module(clr::ModuleID module, const Profiler* owner);

    /// Has a registered function's method compiled again. Nothing if the function has been retired.
    void recompile(uint32_t index);
    /// Has a selected function's method compiled again without hooks, once for each method. Nothing
    /// if the function has been retired.
    void take_hooks_out(uint32_t index);

  private:
    struct TypeRequest {
        uint32_t index;
        clr::ClassID type;
        clr::ModuleID module;
        Profiler* owner;
    };
    struct Recompilation {
        clr::ModuleID module;
        clr::mdToken token;
        Profiler* owner;
    };
    struct KnownType {
        uint32_t index;
        clr::ModuleID module;
    };
    struct Pending {
        std::deque<protocol::Message> outbox;
        std::deque<TypeRequest> types;
        std::deque<Recompilation> recompilations;
        std::deque<uint32_t> again;  ///< functions of earlier recordings to be named

        [[nodiscard]] bool empty() const {
            return outbox.empty() && types.empty() && recompilations.empty() && again.empty();
        }
    };

    void run() noexcept;
    void name_until_drained();
    /// Wakes the thread if it sleeps until there is something to do. Called with mutex_ held.
    void wake();
    /// If the collector does not read, nothing is sent or recorded any more.
    void send_all(const std::deque<protocol::Message>& messages);
    /// `owner`: of this one alone, or null.
    void name_functions(uint32_t at_most, const Profiler* owner);
    void name_types(const Profiler* owner);
    void name_async_types(const Profiler* owner);
    void name_function(uint32_t index);
    void request_recompilations();
    /// The runtime of the next request to compile methods again. Null: there is none.
    Profiler* next_owner();
    /// Takes all requests to that runtime.
    std::vector<Recompilation> take_recompilations(const Profiler* owner);
    [[nodiscard]] bool work_left() const;

    Registry& registry_;
    DeinstrumentedMethods& deinstrumented_;
    std::atomic<Channel*> channel_{nullptr};  ///< null: what is sent goes nowhere
    std::optional<pthread_t> thread_;

    std::mutex naming_;  ///< held while a function is being named
    /// Written under naming_: indexes up to here are done, but for those in unready_.
    std::atomic<uint32_t> named_{hotpath::kBeforeStartIndex};
    /// Guarded by naming_. Given out, and passed over when their turn came: not yet filled in (on a
    /// busy machine a thread may stand between the two for long, and others' functions may be gone
    /// by then), or of another runtime than the one whose turn it was.
    std::vector<uint32_t> unready_;
    std::atomic<bool> some_unready_{false};  ///< written under naming_

    AsyncTypes async_types_;  ///< see there

    mutable std::mutex mutex_;  ///< guards what follows
    std::condition_variable wake_;
    std::condition_variable idle_;
    Pending pending_;
    std::map<std::pair<const Profiler*, clr::ClassID>, KnownType> type_indexes_;
    uint32_t types_given_ = 0;
    std::map<std::pair<uint32_t, std::string>, uint32_t> module_indexes_;  ///< by runtime and path
    bool asleep_ = false;           ///< the thread waits for work
    bool flush_requested_ = false;  ///< somebody waits until it has none
    bool draining_ = false;         ///< it ends when it has none
};

}  // namespace umbra::agent
