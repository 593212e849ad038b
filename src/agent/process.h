// SPDX-License-Identifier: MIT
// AgentProcess: what all runtimes of a process share: segment, probes, channel, registry, namer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "hotpath/recorder.h"
#include "src/agent/channel.h"
#include "src/agent/limited_methods.h"
#include "src/agent/pause_log.h"
#include "src/agent/registry.h"
#include "src/agent/segment.h"
#include "src/base/result.h"
#include "src/clr/info.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

/// One for the process, made by the first runtime that loads the agent, never destroyed: probes and
/// threads of ours may run until the process ends.
///
/// Threads: `umbra-namer` resolves names and sends everything but the first message;
/// `umbra-control` takes what the collector asks for, waits for it to go away and then switches the
/// probes off. All public functions may be called from any thread; none waits for the socket but
/// flush().
class AgentProcess {
  public:
    /// The process's instance, connected and recording; an error says why this process is not
    /// profiled, and stays the answer for good.
    static Result<AgentProcess*> start(const std::string& runtime_version);

    [[nodiscard]] const protocol::Welcome& settings() const { return settings_; }
    Registry& registry() { return registry_; }
    PauseLog& pauses() { return pauses_; }

    /// What the function mapper answers for a registered function.
    [[nodiscard]] uintptr_t client_id(uint32_t index) const noexcept {
        return hotpath::client_id(segment_.header, index);
    }

    /// The hooks that read the segment's clock, or empty ones where the environment asks for them.
    [[nodiscard]] hotpath::HookFunctions hooks() const noexcept;

    /// Index of a function, 0 when the registry is full (counted). Wakes the namer for a new one.
    uint32_t add_function(clr::FunctionID function, const FunctionFacts& facts) noexcept;
    /// Code is about to go: whatever is known by now gets its name, then the FunctionID (of one
    /// function, of all functions of a module) is forgotten, since it may soon mean another one.
    void function_unloads(clr::FunctionID function) noexcept;
    void module_unloads(clr::ModuleID module, const Profiler* owner) noexcept;

    /// Index of an exception's type, from 1.
    uint32_t type_index(clr::ClassID type, clr::ModuleID module, Profiler* owner);
    /// Number of a module by which functions refer to it.
    uint32_t module_index(const std::string& path, bool framework);

    /// Puts a message into the namer's outbox.
    void post(protocol::Message message);
    /// The function was compiled without the hooks it should have: has it compiled anew.
    void repair_hooks(uint32_t index);

    /// The methods whose hooks the budget takes out.
    LimitedMethods& limited() { return limited_; }
    /// Code without hooks has been made of a limited method's function: the collector is told,
    /// once.
    void hooks_removed(uint32_t index);
    /// The runtime did not compile a method anew: the user is told, once.
    void recompilation_failed(clr::HRESULT why);

    /// Waits, two seconds at most, until everything known by now has been named and sent.
    void flush() noexcept;

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

    AgentProcess(Channel channel, Segment segment, protocol::Welcome settings)
        : channel_(std::move(channel)),
          segment_(std::move(segment)),
          settings_(std::move(settings)),
          pauses_(*segment_.header) {}

    static Result<AgentProcess*> connect(const std::string& runtime_version);
    Status start_threads();
    void run_namer();
    void run_control() noexcept;
    void limit_functions(const protocol::Limit& limit);
    void name_functions(uint32_t at_most);
    void name_types();
    void recompile();
    void name_all() noexcept;
    void name_function(uint32_t index);
    void send(const protocol::Message& message);
    [[nodiscard]] bool work_left() const;

    Channel channel_;
    Segment segment_;
    const protocol::Welcome settings_;
    PauseLog pauses_;
    Registry registry_;
    LimitedMethods limited_;
    std::atomic<bool> recompilation_failed_{false};

    std::mutex naming_;               // held while a function is being named
    std::atomic<uint32_t> named_{0};  // written under naming_: indexes up to here are done

    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable wake_;
    std::condition_variable idle_;
    std::deque<protocol::Message> outbox_;
    std::deque<TypeRequest> types_;
    std::deque<Recompilation> recompilations_;
    std::unordered_map<clr::ClassID, KnownType> type_indexes_;
    uint32_t types_given_ = 0;
    std::unordered_map<std::string, uint32_t> module_indexes_;
    bool asleep_ = false;  // the namer waits for work
    bool hurry_ = false;   // somebody waits for the namer
    std::atomic<bool> connected_{true};
};

}  // namespace umbra::agent
