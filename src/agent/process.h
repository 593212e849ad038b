// SPDX-License-Identifier: MIT
// AgentProcess: what all runtimes of a process share: segment, probes, channel, registry, worker.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "hotpath/recorder.h"
#include "hotpath/segment.h"
#include "src/agent/agent_worker.h"
#include "src/agent/link/channel.h"
#include "src/agent/link/control_socket.h"
#include "src/agent/link/owning_process.h"
#include "src/agent/link/segment.h"
#include "src/agent/methods/arguments.h"
#include "src/agent/methods/deinstrumented_methods.h"
#include "src/agent/methods/refused_methods.h"
#include "src/agent/methods/registry.h"
#include "src/agent/pause_log.h"
#include "src/agent/support/told_once.h"
#include "src/base/result.h"
#include "src/base/runtime_choice.h"
#include "src/clr/info.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

/// One for the process, made by the first runtime that loads the agent, never destroyed: probes and
/// threads of ours may run until the process ends.
///
/// Started by `umbra run`, a process records from its first runtime's start until the collector
/// goes: its one capture. Else it is dormant: it listens on a socket (ControlSocket) and records in
/// captures that others begin and end, any number of times. Captures are counted from 1. Functions
/// keep their index for good, since compiled code holds it; everything else is told anew in each.
///
/// Threads: `umbra-control` takes what the collector asks for, begins and ends captures, and waits
/// for the collector to go away; `umbra-worker` is the AgentWorker's. All public functions may be
/// called from any thread; none waits for the socket but runtime_ends().
class AgentProcess {
  public:
    /// The process's instance: connected and recording, or dormant. An error says why this process
    /// is not profiled, and stays the answer for good.
    /// `begin` counts for the first call alone.
    enum class Begin : uint8_t {
        kAsAsked,   ///< as the environment says: recording, or dormant
        kAttached,  ///< dormant; its runtimes take no hooks
    };
    static Result<AgentProcess*> start(const std::string& runtime_version,
                                       Begin begin = Begin::kAsAsked);

    /// False: `umbra run` started it.
    [[nodiscard]] bool dormant() const { return control_.has_value(); }
    /// This is not the process that the agent was loaded into, but the child of a fork: it has
    /// neither our threads nor our sockets, and its parent's segment.
    [[nodiscard]] bool is_forked_child() const noexcept { return !owner_.is_this(); }
    /// A runtime takes part from now on, in the recording that goes on and in captures. It gets its
    /// number.
    void add_runtime(Profiler* profiler);

    /// Of the one capture there is when umbra started the process. A dormant one hands its settings
    /// to Profiler::begin_capture.
    [[nodiscard]] const protocol::Welcome& settings() const { return settings_; }
    /// Number of the capture; 0: there has been none.
    [[nodiscard]] uint32_t capture() const noexcept {
        return capture_.load(std::memory_order_acquire);
    }
    /// The runtime shuts down in order: everything known is sent, two seconds at most. Nothing is
    /// asked of it any more.
    void runtime_ends(Profiler* profiler) noexcept;

    Registry& registry() { return registry_; }
    AgentWorker& worker() { return worker_; }
    /// Only while recording.
    PauseLog& pauses() { return *pauses_; }

    /// The hooks that read the segment's clock, or empty ones where the environment asks for them.
    [[nodiscard]] hotpath::HookFunctions hooks() const noexcept;
    /// The environment asks for probes that record nothing.
    [[nodiscard]] static bool probes_are_empty() noexcept;
    /// What rewritten IL calls.
    [[nodiscard]] hotpath::IlProbeFunctions il_probes() const noexcept;

    /// Index of a function, 0 when the registry is full (counted). A new one will be named.
    uint32_t add_function(clr::FunctionID function, const FunctionFacts& facts) noexcept;
    /// Registers a method, where probes are in the IL: all its instantiations are one function. Its
    /// index, 0 when the registry is full (counted). It will be named.
    uint32_t add_method(const FunctionFacts& facts) noexcept;
    /// Tells the user, once in a capture.
    void notice(const std::string& sentence);
    /// So many methods cannot have probes: the user is told which and why (RefusedMethods).
    void methods_refused(const std::string& why, std::span<const std::string> names,
                         uint64_t methods);
    /// A function known from an earlier capture takes part in this one.
    void renew_function(uint32_t index, bool selected, bool trivial) noexcept;
    /// Number of a module by which functions refer to it, from 1; the collector learns of it.
    uint32_t module_index(const std::string& path, bool framework, uint32_t runtime);
    /// The collector can find the method of a function by this, and what it is, whether or not it
    /// gets a name. While recording, before the function's first event.
    void register_method(uint32_t index, uint32_t module, clr::mdToken token) noexcept;
    /// The collector can find a thread's name by this, whether or not it is sent. While recording;
    /// one thread at a time.
    void register_thread(uint32_t os_tid, std::string_view name) noexcept;
    /// The collector is to keep the slowest calls of a function, for the request of that number,
    /// from 1; 0: it is not. While recording, before the function's first event.
    void watch(uint32_t index, uint8_t request) noexcept;
    /// Code is about to go: whatever is known by now gets its name, then the FunctionID (of one
    /// function, of all functions of a module) is forgotten, since it may soon mean another one.
    /// Of a module: called while its end is announced to those who use it (ModulesInUse::Leaving).
    void function_unloads(clr::FunctionID function, const Profiler* owner) noexcept;
    void module_unloads(clr::ModuleID module, const Profiler* owner) noexcept;

    /// The function was compiled without the hooks it should have: has it compiled again.
    void repair_hooks(uint32_t index);

    /// Which values the capture tells.
    Arguments& arguments() { return arguments_; }

    /// The methods whose hooks the budget takes out.
    DeinstrumentedMethods& deinstrumented() { return deinstrumented_; }
    /// Code without hooks has been made of a de-instrumented method's function: the collector is
    /// told, once.
    void hooks_removed(uint32_t index);
    /// The runtime did not compile a method anew: the user is told why, once for each reason.
    void recompilation_failed(clr::HRESULT why);

  private:
    AgentProcess() = default;

    // process.cpp: how it begins
    static Result<AgentProcess*> create(const std::string& runtime_version, Begin begin);
    Status launch(const char* socket_path);
    Status sleep();
    /// Makes the segment, hands it over, and has the settings in return.
    Status meet_collector(Channel& channel);
    Status begin_recording();
    void run_control() noexcept;

    // capture.cpp: a dormant process
    void run_dormant() noexcept;
    void serve(ControlSocket::Request request);
    void begin_capture(ControlSocket::Request request);
    Status open_capture();
    [[nodiscard]] std::vector<std::string> runtime_versions();
    // What follows is called under the mutex of runtimes_.
    /// Those that the settings choose for a capture take part in it, an error if none does.
    Status choose_runtimes();
    void join_capture(Profiler& runtime);
    /// That have not shut down.
    [[nodiscard]] std::vector<Profiler*> runtimes_left() const;
    void end_capture();
    bool stop_threads();
    void answer(Channel& channel, std::string text) const;
    [[nodiscard]] std::string detach_answer();
    bool take_messages();
    /// A capture or the process ends: what is only known then.
    void tell_what_is_left();

    /// What the collector asks for. False: it wants no more, or nothing that makes sense.
    bool obey(protocol::Message message);
    void take_hooks_out(const protocol::RemoveHooks& request);

    OwningProcess owner_;
    std::string runtime_version_;
    bool attached_ = false;             ///< its runtimes take no hooks
    std::unique_ptr<Channel> channel_;  // while recording; made and ended by the control thread
    Segment segment_;                   // its header is null before the first capture
    protocol::Welcome settings_;        // written before recording begins
    std::optional<PauseLog> pauses_;    // written before recording begins
    std::optional<ControlSocket> control_;
    std::atomic<uint32_t> capture_{0};
    pid_t collector_ = 0;  // the control thread's: who began the capture
    // The control thread's: a capture could not be ended in order, none will follow.
    bool spent_ = false;
    Registry registry_;
    DeinstrumentedMethods deinstrumented_;
    Arguments arguments_;
    AgentWorker worker_{registry_, deinstrumented_};

    struct Runtimes {
        std::mutex mutex;            ///< guards what follows, but for going_on
        std::vector<Profiler*> all;  ///< by number, less one
        RuntimeChoice chosen;        ///< which take part in the capture
        bool capturing = false;      ///< a capture of a dormant process goes on
        std::atomic<uint32_t> going_on{0};
    };
    Runtimes runtimes_;
    std::atomic<uint64_t> methods_added_{0};
    ToldOnce notices_;        ///< of this capture
    RefusedMethods refused_;  ///< of this capture
};

}  // namespace umbra::agent
