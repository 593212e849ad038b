// SPDX-License-Identifier: MIT
// Profiler: one runtime's callbacks, turned into probes, names and control records.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "hotpath/record.h"
#include "hotpath/recorder.h"
#include "src/agent/async/core_probes.h"
#include "src/agent/il/il_rewriter.h"
#include "src/agent/methods/arguments.h"
#include "src/agent/methods/compile_gate.h"
#include "src/agent/methods/compiler_helpers.h"
#include "src/agent/methods/framework.h"
#include "src/agent/methods/inlining_pause.h"
#include "src/agent/methods/modules_in_use.h"
#include "src/agent/methods/selection.h"
#include "src/agent/methods/trivial_methods.h"
#include "src/agent/pause_log.h"
#include "src/agent/process.h"
#include "src/agent/support/event_mask.h"
#include "src/clr/callback.h"
#include "src/clr/com.h"
#include "src/clr/info.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

/// Made by the class factory for one runtime, and never destroyed, unless it refuses the runtime:
/// its probes are called until the process ends. Callbacks come on many threads at once, each under
/// the contract of corprof.h.
class Profiler final : public clr::ICorProfilerCallback11 {
  public:
    uint32_t AddRef() override { return ++references_; }
    uint32_t Release() override;

    clr::HRESULT Initialize(clr::IUnknown* info) override;
    /// Stays, dormant: takes the order Remain alone.
    clr::HRESULT InitializeForAttach(clr::IUnknown* info, void* data, uint32_t bytes) override;
    clr::HRESULT Shutdown() override;

    clr::HRESULT ModuleLoadStarted(clr::ModuleID module) override;
    clr::HRESULT ModuleLoadFinished(clr::ModuleID module, clr::HRESULT status) override;
    clr::HRESULT ModuleUnloadStarted(clr::ModuleID module) override;
    clr::HRESULT FunctionUnloadStarted(clr::FunctionID function) override;

    clr::HRESULT JITCompilationStarted(clr::FunctionID function, int32_t safe_to_block) override;
    clr::HRESULT DynamicMethodJITCompilationStarted(clr::FunctionID function, int32_t safe_to_block,
                                                    const uint8_t* il, uint32_t bytes) override;
    clr::HRESULT JITCompilationFinished(clr::FunctionID function, clr::HRESULT status,
                                        int32_t safe_to_block) override;
    clr::HRESULT JITCachedFunctionSearchStarted(clr::FunctionID function,
                                                int32_t* use_cached) override;
    clr::HRESULT JITInlining(clr::FunctionID caller, clr::FunctionID callee,
                             int32_t* should_inline) override;
    clr::HRESULT GetReJITParameters(clr::ModuleID module, clr::mdMethodDef method,
                                    clr::ICorProfilerFunctionControl* control) override;
    clr::HRESULT ReJITCompilationStarted(clr::FunctionID function, clr::ReJITID rejit,
                                         int32_t safe_to_block) override;
    clr::HRESULT ReJITCompilationFinished(clr::FunctionID function, clr::ReJITID rejit,
                                          clr::HRESULT status, int32_t safe_to_block) override;
    clr::HRESULT ReJITError(clr::ModuleID module, clr::mdMethodDef method, clr::FunctionID function,
                            clr::HRESULT status) override;

    clr::HRESULT ThreadAssignedToOSThread(clr::ThreadID thread, uint32_t os_thread) override;
    clr::HRESULT ThreadNameChanged(clr::ThreadID thread, uint32_t length, char16_t* name) override;
    clr::HRESULT ThreadDestroyed(clr::ThreadID thread) override;

    clr::HRESULT RuntimeSuspendStarted(clr::COR_PRF_SUSPEND_REASON reason) override;
    clr::HRESULT RuntimeSuspendFinished() override;
    clr::HRESULT RuntimeSuspendAborted() override;
    clr::HRESULT RuntimeResumeStarted() override;
    clr::HRESULT RuntimeResumeFinished() override;
    clr::HRESULT GarbageCollectionStarted(int32_t count, int32_t* collected,
                                          clr::COR_PRF_GC_REASON reason) override;

    clr::HRESULT ExceptionThrown(clr::ObjectID object) override;
    clr::HRESULT ExceptionSearchFilterEnter(clr::FunctionID function) override;
    clr::HRESULT ExceptionSearchFilterLeave() override;
    clr::HRESULT ExceptionUnwindFunctionEnter(clr::FunctionID function) override;
    clr::HRESULT ExceptionUnwindFunctionLeave() override;
    clr::HRESULT ExceptionUnwindFinallyEnter(clr::FunctionID function) override;
    clr::HRESULT ExceptionUnwindFinallyLeave() override;
    clr::HRESULT ExceptionCatcherEnter(clr::FunctionID function, clr::ObjectID object) override;
    clr::HRESULT ExceptionCatcherLeave() override;

    [[nodiscard]] clr::ICorProfilerInfo5& info() const { return *info_.get(); }
    /// Of this runtime among those of the process that are profiled, in the order of their starts,
    /// from 1.
    [[nodiscard]] uint32_t number() const { return number_; }
    /// Once, before any callback but Initialize.
    void set_number(uint32_t number) { number_ = number; }
    /// What keeps modules from going while a thread of ours works with them.
    ModulesInUse& modules_in_use() { return modules_in_use_; }
    /// To be taken around requests for methods to be compiled anew.
    InliningPause& inlining_pause() { return inlining_pause_; }
    /// The collector's number of a module.
    uint32_t module_index(clr::ModuleID module);
    /// Asks the runtime to compile these methods, each of the module beside it, again (ReJIT with
    /// unchanged IL). Stops all managed threads for a moment. The caller keeps the modules
    /// (ModulesInUse).
    enum class Inliners : uint8_t { kAsTheyAre, kToo };
    /// kToo: code that they have been inlined into is compiled anew as well, and calls them then.
    void request_rejit(std::span<clr::ModuleID> modules, std::span<clr::mdMethodDef> methods,
                       Inliners inliners = Inliners::kAsTheyAre) noexcept;

    // What follows is for a dormant process (profiler_capture.cpp); its control thread calls it,
    // but for leave().

    /// The settings of the capture that is about to begin. Of a process that umbra run started,
    /// too.
    void prepare_capture(const protocol::Welcome& settings);
    /// The capture that is about to begin is of other runtimes.
    void sit_out() noexcept { in_capture_.store(false); }
    [[nodiscard]] bool is_in_capture() const noexcept { return in_capture_.load(); }
    /// The runtime has shut down: its interfaces must not be called any more.
    void leave() noexcept { left_.store(true); }
    [[nodiscard]] bool has_left() const noexcept { return left_.load(); }
    /// Recording has begun: has all selected methods compiled with hooks when they are next called.
    /// Answers how many these are.
    uint32_t begin_capture() noexcept;
    /// Recording has ended: the code without hooks comes back.
    void end_capture() noexcept;
    /// Stops all managed threads. False: the runtime does not do it.
    [[nodiscard]] bool suspend() noexcept;
    void resume() noexcept;
    /// Of a dormant process. False: it was attached to, and hooks come at a runtime's start or
    /// never.
    [[nodiscard]] bool takes_hooks() const { return gate_ != nullptr; }
    /// Asks the runtime to let the agent go.
    clr::HRESULT request_detach() noexcept;

  private:
    /// Calls of this runtime are being recorded, and it may be asked.
    [[nodiscard]] bool records() const noexcept {
        return hotpath::recording() && in_capture_.load(std::memory_order_relaxed) &&
               !left_.load(std::memory_order_relaxed);
    }
    /// In this capture probes are in the methods' IL, not hooks.
    [[nodiscard]] bool probes_in_il() const noexcept {
        return probes_in_il_.load(std::memory_order_relaxed);
    }

    /// Probes in rewritten IL (profiler_il.cpp).
    struct IlProbes {
        IlProbes(clr::ComPtr<clr::ICorProfilerInfo10> info10, WritableMetadata& metadata,
                 hotpath::IlProbeFunctions probes)
            : info(std::move(info10)),
              rewriter(*info.get(), metadata, reinterpret_cast<uintptr_t>(probes.enter),
                       reinterpret_cast<uintptr_t>(probes.leave)) {}

        clr::ComPtr<clr::ICorProfilerInfo10> info;
        IlRewriter rewriter;
        std::mutex mutex;
        /// Registry indexes of methods; guarded by mutex.
        std::map<std::pair<clr::ModuleID, clr::mdMethodDef>, uint32_t> indexes;
    };

    struct PrecompiledInliners {
        std::mutex mutex;  ///< guards what follows
        std::optional<std::unordered_set<clr::mdMethodDef>> methods;
    };
    struct Module {
        std::string name;  ///< file name
        bool framework = false;
        bool corelib = false;
        bool emitted = false;      ///< made at run time; methods may come later
        bool collectible = false;  ///< can be unloaded
        /// The runtime makes new versions of its methods.
        [[nodiscard]] bool renewable() const { return !emitted && !collectible; }
        Selection::Verdict verdict = Selection::Verdict::kNone;
        std::shared_ptr<const Selection> selection;
        std::shared_ptr<TrivialMethods> trivial;  ///< null: all that is selected is timed
        /// What `trivial` judges. Null: it cannot be read, nothing of the module is selected, or
        /// all that is selected is timed.
        std::shared_ptr<il::CodeImage> code;
        /// Methods whose precompiled code may have a timed one inlined; filled in when it is asked
        /// for first.
        std::shared_ptr<PrecompiledInliners> inliners;
        /// Methods that the runtime cannot be asked to compile anew; null: it can be asked for all.
        std::shared_ptr<const CompilerHelpers> fragile;
        uint32_t index = 0;
    };
    /// What becomes of a method in this capture.
    enum class Choice : uint8_t {
        kLeftAlone,  ///< not selected
        kTrivial,    ///< selected, and part of its callers
        kTimed,
    };
    using MethodSet = std::set<std::pair<clr::ModuleID, clr::mdMethodDef>>;

    clr::HRESULT initialize(clr::IUnknown* info);
    /// Begins to be dormant in a runtime that was attached to.
    Status remain(clr::ComPtr<clr::ICorProfilerInfo10> info);
    clr::HRESULT install_hooks();
    clr::HRESULT compile_started(clr::FunctionID function, uint32_t index, bool hooked);
    clr::HRESULT compile_finished(clr::FunctionID function, clr::HRESULT status);
    /// At the end of a compilation in a capture with probes in the IL: it may have begun in an
    /// earlier one, with hooks.
    void forget_hooks(clr::FunctionID function) noexcept;
    /// Of a dormant process's function that compiles in the version it was born with: only code of
    /// modules that came during the capture gets hooks that way, and what has had them in an
    /// earlier one where there are no new versions.
    bool first_jit_has_hooks(uint32_t index);
    /// A function compiles without hooks. Where there are no new versions it has none from now on,
    /// and the user is told if it was to be timed.
    void note_without_hooks(clr::FunctionID function) noexcept;
    bool is_loaded_in_capture(clr::ModuleID module);
    void set_mask(const EventMask& mask) noexcept;
    /// All methods of a module that are to be timed.
    std::vector<clr::mdMethodDef> selected_methods(clr::ModuleID module);
    /// Those of them that the runtime can be asked for new versions of; the user is told of others.
    std::vector<clr::mdMethodDef> renewable_methods(clr::ModuleID module);
    /// Methods of an assembly made at run time that are selected and have no probes: the user is
    /// told, once a capture.
    void refuse_emitted(clr::ModuleID module, std::span<const clr::mdMethodDef> methods);
    /// Methods whose first code has hooks, ascending.
    std::vector<clr::mdMethodDef> first_jit_hooked(clr::ModuleID module);
    /// What of its core library this runtime cannot be asked to compile anew; null: nothing.
    std::shared_ptr<const CompilerHelpers> fragile_methods(clr::ModuleID core_library);
    /// Null of any other module, and before the first capture.
    std::shared_ptr<const CompilerHelpers> fragile_in(clr::ModuleID id);
    /// Methods of a module that cannot have probes: the user is told.
    void refuse(clr::ModuleID module, std::span<const clr::mdMethodDef> methods,
                const std::string& why);
    static uintptr_t map_function(clr::FunctionID function, void* self, int32_t* hook) noexcept;

    struct Method {
        clr::ModuleID module = 0;
        clr::mdToken token = 0;
    };
    /// Where probes are in the IL, all instantiations of a method are one function. None: the
    /// runtime does not know it.
    std::optional<Method> method_of(clr::FunctionID function);
    /// Registry index of a method whose IL gets probes (kTimed), or that is compiled or inlined. 0:
    /// the registry is full.
    uint32_t register_method(clr::ModuleID module, clr::mdMethodDef method, Choice choice);
    /// Registry index of a function's method, where probes are in the IL; registers nothing. 0: it
    /// is not registered, or the runtime does not know it.
    uint32_t known_method(clr::FunctionID function);
    clr::HRESULT il_compile_started(clr::FunctionID function);
    clr::HRESULT il_compile_finished(clr::FunctionID function);
    clr::HRESULT il_recompiled(clr::FunctionID function, clr::HRESULT status);
    void forget_module(clr::ModuleID module);
    /// Of a version that is compiled anew, as the next two. False: its IL is the method's.
    bool write_version(clr::ModuleID module, clr::mdMethodDef method,
                       clr::ICorProfilerFunctionControl& control);
    bool write_probes(clr::ModuleID module, clr::mdMethodDef method,
                      clr::ICorProfilerFunctionControl& control);
    /// The values that a method is to tell with each call.
    ArgumentPlan plan_arguments(clr::ModuleID module, clr::mdMethodDef method, uint32_t index);
    /// What a type is, if it is an enum; see FindEnum. Of another module by its name.
    tl::expected<std::optional<clr::EnumType>, std::string> find_enum(
        const clr::MetadataReader& metadata, clr::mdToken type);
    /// All selected methods of a module that has come during a capture.
    void request_module(clr::ModuleID module);
    /// Asks for these methods; null: without what they have been inlined into.
    void request_all(std::span<clr::ModuleID> modules, std::span<clr::mdMethodDef> methods,
                     clr::ICorProfilerInfo10* with_inliners) noexcept;
    /// They are in this capture what a new version was asked for of.
    void note_requested(std::span<const clr::ModuleID> modules,
                        std::span<const clr::mdMethodDef> methods);

    // What becomes of async calls (profiler_async.cpp).
    /// A module that has a selected async method, for which the core library's probes are to be
    /// asked for.
    [[nodiscard]] bool needs_async_probes(clr::ModuleID module);
    /// Unless they have been. Keeps no module, since it may suspend the runtime (WritableMetadata).
    void ask_for_async_probes();
    [[nodiscard]] bool has_selected_async_methods(clr::ModuleID module);
    /// What the core library has; null: nothing is known of it.
    std::shared_ptr<CoreProbes> core_probes();
    void request_core_probes(CoreProbes& probes);
    /// False: it is none of the core library's that get one.
    bool write_core_probe(clr::ModuleID module, clr::mdMethodDef method,
                          clr::ICorProfilerFunctionControl& control);
    /// The method tells what becomes of async calls, in this capture.
    bool has_core_probe(clr::ModuleID module, clr::mdMethodDef method);
    void set_body(clr::ModuleID module, clr::mdMethodDef method, const il::Instrumented& made,
                  clr::ICorProfilerFunctionControl& control);
    /// See map_from_file().
    void tell_lines(clr::ModuleID module, clr::mdMethodDef method, const il::Instrumented* made,
                    clr::ICorProfilerFunctionControl& control);
    [[nodiscard]] uint8_t traits_of(clr::ModuleID module, clr::mdMethodDef method);
    /// Of two functions of a method that the runtime suspends, which one it is; nothing where this
    /// capture does not follow such methods.
    [[nodiscard]] uint8_t traits_in_capture(clr::FunctionID function, clr::ModuleID module,
                                            clr::mdMethodDef method);
    /// Probes tell, or will, when the runtime suspends timed methods of a module by itself, and
    /// when these go on.
    [[nodiscard]] bool follows_runtime_async(clr::ModuleID id);

    std::shared_ptr<const Module> module(clr::ModuleID id);
    /// Which method it is and whether it gets hooks.
    FunctionFacts facts_of(clr::FunctionID function);
    bool selects(clr::ModuleID module_id, clr::mdToken token) {
        return choice(module_id, token) == Choice::kTimed;
    }
    Choice choice(clr::ModuleID module_id, clr::mdToken token);
    /// By the patterns alone.
    bool is_selected_by_name(clr::ModuleID module_id, const Module& in, clr::mdToken token);
    bool is_named(clr::ModuleID module_id, const Module& in, clr::mdToken token);
    /// Tells the collector of a selected method if its slowest calls are to be kept. Before any of
    /// its calls in this recording.
    void watch(uint32_t index, clr::ModuleID module, clr::mdToken token);
    /// Registry index, 0 when the registry is full. Notices that a FunctionID has come to mean
    /// another function.
    uint32_t register_function(clr::FunctionID function) noexcept;
    /// A function that an earlier capture has registered is judged anew, and named.
    void renew(uint32_t index, clr::FunctionID function) noexcept;
    /// So are those of a module whose code may have hooks for good.
    void renew_functions(clr::ModuleID module);
    [[nodiscard]] bool is_selected(uint32_t index) const;
    /// The budget has taken its method's hooks out, or is about to.
    [[nodiscard]] bool is_deinstrumented(uint32_t index) const;
    /// Of a method of this capture. 0: it is not known.
    uint32_t register_any(clr::FunctionID function, const FunctionFacts& facts);
    /// A method with probes is inlined: calls there will be missing. `into`: 0, where that is code
    /// made at run time.
    void tell_inlined(uint32_t index, uint32_t into);
    /// Between captures: remembers what is inlined into code made at run time, which the runtime
    /// does not compile anew.
    void note_lasting_inlining(clr::FunctionID caller, clr::FunctionID callee);
    /// A capture begins: tells of those.
    void tell_lasting_inlinings();
    /// Methods whose precompiled code has a timed method of their module inlined.
    std::unordered_set<clr::mdMethodDef> inliners_of_timed(clr::ModuleID module);
    bool may_be_inlined(clr::FunctionID caller, clr::FunctionID callee);
    /// The caller is among those that must not be requested (CompilerHelpers), and the callee is
    /// not: inlined, a request for it would name the caller, too.
    bool would_be_in_helper(clr::FunctionID caller, clr::FunctionID callee);
    /// A method's precompiled code would hide calls of it, or of what it calls. The collector gets
    /// the names of methods that are part of their callers.
    bool refuses_precompiled(clr::FunctionID function);
    void record_function(hotpath::ControlType type, clr::FunctionID function,
                         const uint64_t* payload = nullptr) noexcept;
    /// A filter, finally or catch block of `function` is about to run, so the callback says. Tells
    /// whose frame it is, too.
    void record_block(hotpath::ControlType type, clr::FunctionID function) noexcept;
    /// The stack pointer of the frame whose block the callback under way is about; 0: not known.
    [[nodiscard]] uint64_t block_stack_pointer() const noexcept;
    void thread_is(clr::ThreadID thread, uint32_t os_thread, std::string name);

    std::atomic<uint32_t> references_{0};
    clr::ComPtr<clr::ICorProfilerInfo5> info_;
    AgentProcess* process_ = nullptr;
    uint32_t number_ = 0;
    bool helpers_are_fragile_ = false;  ///< written before other callbacks
    std::atomic<bool> in_capture_{false};
    std::atomic<bool> left_{false};
    ModulesInUse modules_in_use_;
    std::atomic<bool> inlining_{false};
    // Null in whole mode (the hooks are always on) and of a runtime that was attached to. Written
    // before other callbacks, as il_.
    std::unique_ptr<CompileGate> gate_;
    std::unique_ptr<WritableMetadata> metadata_;
    std::unique_ptr<IlProbes> il_;  // null: of a process that umbra run started
    std::atomic<bool> probes_in_il_{false};

    struct Modules {
        std::shared_mutex mutex;  ///< guards what follows
        std::shared_ptr<const Selection> selection;
        std::shared_ptr<TrivialMethods> trivial;  ///< null: all that is selected is timed
        FrameworkModules framework;
        std::unordered_map<clr::ModuleID, std::shared_ptr<const Module>> by_id;
    };
    Modules modules_;

    // Code into which a method has been inlined is compiled anew too, and asks about itself first.
    // Without the second flag some methods of a request silently stay as they are
    // (docs/runtime_contract.md).
    static constexpr uint32_t kInlinersToo =
        clr::COR_PRF_REJIT_BLOCK_INLINING | clr::COR_PRF_REJIT_INLINING_CALLBACKS;

    /// Of this capture, but for the last.
    struct CapturedCode {
        std::mutex mutex;  ///< guards what follows
        std::unordered_set<clr::ModuleID> loaded;
        MethodSet emitted;           ///< of assemblies made at run time, without probes
        MethodSet requested;         ///< compiled anew
        MethodSet first_jit_hooked;  ///< whose first code has hooks, from whichever capture
    };
    CapturedCode captured_;

    struct AsyncCalls {
        std::atomic<bool> wanted{false};  ///< in this capture
        std::atomic<bool> asked{false};   ///< in this capture: for the core library's probes
        std::mutex mutex;                 ///< guards what follows
        clr::ModuleID core_library = 0;
        std::shared_ptr<CoreProbes> probes;
    };
    AsyncCalls async_;

    struct Inlinings {
        std::mutex mutex;                                          ///< guards what follows
        std::map<uint32_t, std::vector<uint32_t>> told;            ///< in this capture
        std::map<MethodSet::value_type, clr::FunctionID> lasting;  ///< into code made at run time
    };
    Inlinings inlinings_;
    InliningPause inlining_pause_;

    Suspension suspension_;

    struct ThreadIdentity {
        uint32_t os_thread = 0;
        std::string name;
    };
    struct Threads {
        std::mutex mutex;
        std::unordered_map<clr::ThreadID, ThreadIdentity> by_id;  ///< guarded by mutex
    };
    Threads threads_;
};

}  // namespace umbra::agent
