// SPDX-License-Identifier: MIT
// The table: seen alike in 8.0.29, 9.0.18, 10.0.12 and 11.0.0, but for its last four rows, which
// 11.0.0 has.
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "hotpath/async_calls.h"
#include "src/agent/async/core_probes.h"
#include "src/clr/bytes.h"
#include "src/il/signature.h"

namespace umbra::agent {
namespace {

using il::ObjectSource;
using il::SecondKey;
using Begin = decltype(&umbra_async_suspended);
using End = decltype(&umbra_work_ends);

enum class Binding : uint8_t { kStatic, kInstance };
/// kRuntimeAsync: where the core library has the task of methods that the runtime suspends.
enum class Need : uint8_t { kMust, kMay, kRuntimeAsync };

/// A method to look for. Types are nested behind a '+'.
struct Wanted {
    std::string_view namespace_;
    std::string_view type;
    std::string_view method;
    Binding binding;
    size_t parameters;
    Begin begin;
    ObjectSource first;
    ObjectSource second = ObjectSource::kNone;
    SecondKey second_key = SecondKey::kOwn;
    End end = nullptr;
    Need need = Need::kMay;
};

constexpr std::string_view kCompilerServices = "System.Runtime.CompilerServices";
constexpr std::string_view kThreading = "System.Threading";
constexpr std::string_view kTasks = "System.Threading.Tasks";
constexpr std::string_view kSources = "System.Threading.Tasks.Sources";

constexpr std::string_view kTaskBuilder = "AsyncTaskMethodBuilder`1";
constexpr std::string_view kTaskBox = "AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1";
constexpr std::string_view kPooledBox = "PoolingAsyncValueTaskMethodBuilder`1+StateMachineBox`1";
constexpr std::string_view kPooledBoxBase = "PoolingAsyncValueTaskMethodBuilder`1+StateMachineBox";
constexpr std::string_view kRuntimeTask = "AsyncHelpers+RuntimeAsyncTask`1";
constexpr std::string_view kAwaitByBox =
    "System.Runtime.CompilerServices.IStateMachineBoxAwareAwaiter.AwaitUnsafeOnCompleted";

constexpr auto kThis = ObjectSource::kArgument0;
constexpr auto kArgument0 = ObjectSource::kArgument0;
constexpr auto kArgument1 = ObjectSource::kArgument1;
constexpr auto kArgument2 = ObjectSource::kArgument2;

constexpr std::array kWanted = {
    // Suspensions. The second and third: of custom awaiters; also where the first has told already.
    Wanted{kCompilerServices, kTaskBuilder, "AwaitUnsafeOnCompleted", Binding::kStatic, 2,
           &umbra_async_suspended, kArgument1, ObjectSource::kNone, SecondKey::kOwn, nullptr,
           Need::kMust},
    Wanted{kCompilerServices, kTaskBox, "get_MoveNextAction", Binding::kInstance, 0,
           &umbra_async_suspended, kThis},
    Wanted{kCompilerServices, kPooledBox, "get_MoveNextAction", Binding::kInstance, 0,
           &umbra_async_suspended, kThis},
    // Resumptions.
    Wanted{kCompilerServices, kTaskBox, "MoveNext", Binding::kInstance, 1, &umbra_async_resumed,
           kThis, ObjectSource::kNone, SecondKey::kOwn, &umbra_async_resume_ends, Need::kMust},
    Wanted{kCompilerServices, kPooledBox, "MoveNext", Binding::kInstance, 0, &umbra_async_resumed,
           kThis, ObjectSource::kNone, SecondKey::kOwn, &umbra_async_resume_ends},
    // Results of calls that have suspended before.
    Wanted{kCompilerServices, kTaskBuilder, "SetExistingTaskResult", Binding::kStatic, 2,
           &umbra_async_completed, kArgument0, ObjectSource::kNone, SecondKey::kOwn, nullptr,
           Need::kMust},
    Wanted{kCompilerServices, kPooledBoxBase, "SetResult", Binding::kInstance, 1,
           &umbra_async_completed, kThis},
    // Exceptions.
    Wanted{kCompilerServices, kTaskBuilder, "SetException", Binding::kStatic, 2,
           &umbra_async_faulted, ObjectSource::kReferenced1, kArgument0, SecondKey::kField},
    Wanted{kCompilerServices, kPooledBoxBase, "SetException", Binding::kInstance, 1,
           &umbra_async_faulted, kThis, kArgument1, SecondKey::kNone},
    Wanted{kCompilerServices, "AsyncVoidMethodBuilder", "SetException", Binding::kInstance, 1,
           &umbra_async_faulted, ObjectSource::kVoidTask, kArgument1, SecondKey::kField},
    // Pooled methods set it themselves, before there is a box as well; iterators, with a signal.
    Wanted{kCompilerServices, "PoolingAsyncValueTaskMethodBuilder", "SetException",
           Binding::kInstance, 1, &umbra_async_faulted, ObjectSource::kNone, kArgument1,
           SecondKey::kField},
    Wanted{kCompilerServices, "PoolingAsyncValueTaskMethodBuilder`1", "SetException",
           Binding::kInstance, 1, &umbra_async_faulted, ObjectSource::kNone, kArgument1,
           SecondKey::kField},
    Wanted{kSources, "ManualResetValueTaskSourceCore`1", "SetException", Binding::kInstance, 1,
           &umbra_async_faulted, ObjectSource::kNone, kArgument1, SecondKey::kNone},
    // Results of async iterators, and of pooled methods.
    Wanted{kSources, "ManualResetValueTaskSourceCore`1", "SignalCompletion", Binding::kInstance, 0,
           &umbra_async_signalled, ObjectSource::kNone},
    // What is awaited.
    Wanted{kCompilerServices, "TaskAwaiter", "UnsafeOnCompletedInternal", Binding::kStatic, 3,
           &umbra_async_awaits, kArgument1, kArgument0},
    Wanted{kCompilerServices, "ValueTaskAwaiter", kAwaitByBox, Binding::kInstance, 1,
           &umbra_async_awaits, kArgument1, ObjectSource::kAwaited},
    Wanted{kCompilerServices, "ValueTaskAwaiter`1", kAwaitByBox, Binding::kInstance, 1,
           &umbra_async_awaits, kArgument1, ObjectSource::kAwaited},
    Wanted{kCompilerServices, "ConfiguredValueTaskAwaitable+ConfiguredValueTaskAwaiter",
           kAwaitByBox, Binding::kInstance, 1, &umbra_async_awaits, kArgument1,
           ObjectSource::kAwaited},
    Wanted{kCompilerServices, "ConfiguredValueTaskAwaitable`1+ConfiguredValueTaskAwaiter",
           kAwaitByBox, Binding::kInstance, 1, &umbra_async_awaits, kArgument1,
           ObjectSource::kAwaited},
    Wanted{kTasks, "Task", "AddCompletionAction", Binding::kInstance, 2, &umbra_task_combines,
           kThis, kArgument1},
    // The thread pool.
    Wanted{kThreading, "ThreadPoolWorkQueue", "Enqueue", Binding::kInstance, 2, &umbra_work_queued,
           kArgument1},
    Wanted{kThreading, "ThreadPoolWorkQueue", "EnqueueAtHighPriority", Binding::kInstance, 1,
           &umbra_work_queued, kArgument1},
    Wanted{kThreading, "ThreadPoolWorkQueue", "DispatchWorkItem", Binding::kStatic, 2,
           &umbra_work_runs, kArgument0, ObjectSource::kNone, SecondKey::kOwn, &umbra_work_ends},
    // Tasks with a delegate.
    Wanted{kTasks, "Task", "TaskConstructorCore", Binding::kInstance, 6, &umbra_task_made, kThis},
    Wanted{kTasks, "Task", "ExecuteWithThreadLocal", Binding::kInstance, 2, &umbra_task_runs, kThis,
           ObjectSource::kNone, SecondKey::kOwn, &umbra_task_ends},
    // Threads that are blocked until a task has ended.
    Wanted{kTasks, "Task", "InternalWaitCore", Binding::kInstance, 2, &umbra_task_waits, kThis,
           ObjectSource::kNone, SecondKey::kOwn, &umbra_task_wait_ends},
    // Methods that the runtime suspends (.NET 11): one task for each chain of calls from its code.
    Wanted{kCompilerServices, kRuntimeTask, "HandleSuspended", Binding::kInstance, 1,
           &umbra_async_stack_suspended, kThis, ObjectSource::kStackAwaited, SecondKey::kOwn,
           nullptr, Need::kRuntimeAsync},
    Wanted{kCompilerServices, kRuntimeTask, "DispatchContinuations", Binding::kInstance, 0,
           &umbra_async_resumed, kThis, ObjectSource::kNone, SecondKey::kOwn,
           &umbra_async_resume_ends, Need::kRuntimeAsync},
    // Exceptions of these, and of other tasks that are no async method's.
    Wanted{kTasks, "Task", "TrySetException", Binding::kInstance, 1, &umbra_async_faulted, kThis,
           kArgument1, SecondKey::kNone, nullptr, Need::kRuntimeAsync},
    Wanted{kTasks, "Task", "TrySetCanceled", Binding::kInstance, 2, &umbra_async_faulted, kThis,
           kArgument2, SecondKey::kNone, nullptr, Need::kRuntimeAsync},
};

template <typename Function>
uint64_t address_of(Function function) {
    return reinterpret_cast<uintptr_t>(function);
}

class Finder {
  public:
    Finder(const clr::MetadataReader& metadata, uint32_t runtime)
        : metadata_(metadata), runtime_(runtime) {}

    CoreMethods run() {
        CoreMethods found;
        bool all_needed = find_tokens(found);
        const bool runtime_async = type(kCompilerServices, kRuntimeTask) != 0;
        found.follows_runtime_async = runtime_async;
        for (const Wanted& wanted : kWanted) {
            if (wanted.need == Need::kRuntimeAsync && !runtime_async) {
                continue;
            }
            if (const auto place = find(wanted, found.tokens)) {
                found.places.push_back(*place);
            } else {
                found.missing.push_back(std::string(wanted.type) + '.' +
                                        std::string(wanted.method));
                all_needed = all_needed && wanted.need != Need::kMust;
                found.follows_runtime_async =
                    found.follows_runtime_async && wanted.need != Need::kRuntimeAsync;
            }
        }
        found.suffices = all_needed;
        found.follows_runtime_async = found.follows_runtime_async && all_needed;
        return found;
    }

  private:
    [[nodiscard]] clr::mdTypeDef type(std::string_view namespace_, std::string_view name) const {
        clr::TypeChain chain{.namespace_ = std::string(namespace_), .names = {}};
        while (true) {
            const size_t end = name.find('+');
            chain.names.emplace_back(name.substr(0, end));
            if (end == std::string_view::npos) {
                return metadata_.find_type(chain);
            }
            name.remove_prefix(end + 1);
        }
    }

    /// The only one that fits; 0: there is none, or there are several.
    [[nodiscard]] clr::mdMethodDef method(clr::mdTypeDef owner, std::string_view name,
                                          Binding binding, size_t parameters) const {
        if (owner == 0) {
            return 0;
        }
        clr::mdMethodDef found = 0;
        for (const clr::mdMethodDef token : metadata_.methods_named(owner, name)) {
            const auto properties = metadata_.method(token);
            const auto types = properties ? il::method_types(properties->signature) : std::nullopt;
            if (types && types->has_this == (binding == Binding::kInstance) &&
                types->parameters.size() == parameters) {
                if (found != 0) {
                    return 0;
                }
                found = token;
            }
        }
        return found;
    }

    /// Of a type in System.Runtime.CompilerServices; 0: it has none of that name.
    [[nodiscard]] uint32_t field(std::string_view type_name, std::string_view name) const {
        const clr::mdTypeDef owner = type(kCompilerServices, type_name);
        return owner == 0 ? 0 : metadata_.image()->field_named(owner, name);
    }

    [[nodiscard]] bool find_tokens(CoreMethods& found) const {
        il::CoreTokens& tokens = found.tokens;
        tokens.task = type(kTasks, "Task");
        tokens.get_id = method(tokens.task, "get_Id", Binding::kInstance, 0);
        tokens.get_hash_code =
            method(type(kCompilerServices, "RuntimeHelpers"), "GetHashCode", Binding::kStatic, 1);
        if (field("AsyncTaskMethodBuilder", "m_task") != 0) {
            tokens.void_builder = field("AsyncVoidMethodBuilder", "_builder");
        }
        il::StackFields& stack = tokens.stack;
        stack.state = field("AsyncHelpers+RuntimeAsyncAwaitState", "StackState");
        stack.task_continuation = field("AsyncHelpers+RuntimeAsyncStackState", "TaskContinuation");
        stack.continuation_task = field("RuntimeAsyncTaskContinuation", "Task");
        stack.source_continuation =
            field("AsyncHelpers+RuntimeAsyncStackState", "ValueTaskSourceContinuation");
        stack.continuation_source = field("AsyncHelpers+ValueTaskSourceContinuation", "Source");
        if (tokens.get_id == 0) {
            found.missing.emplace_back("Task.get_Id");
        }
        if (tokens.get_hash_code == 0) {
            found.missing.emplace_back("RuntimeHelpers.GetHashCode");
        }
        return tokens.get_id != 0 && tokens.get_hash_code != 0;
    }

    [[nodiscard]] std::optional<CorePlace> find(const Wanted& wanted,
                                                const il::CoreTokens& tokens) const {
        CorePlace place;
        place.method = method(type(wanted.namespace_, wanted.type), wanted.method, wanted.binding,
                              wanted.parameters);
        const bool tells_stack = wanted.begin == &umbra_async_stack_suspended;
        const bool lacks_field =
            (wanted.first == ObjectSource::kVoidTask && tokens.void_builder == 0) ||
            (tells_stack && tokens.stack.state == 0);
        if (place.method == 0 || lacks_field) {
            return std::nullopt;
        }
        const bool lacks_second =
            wanted.second == ObjectSource::kStackAwaited && !tokens.stack.tell_awaited();
        place.probe = {.first = wanted.first,
                       .second = lacks_second ? ObjectSource::kNone : wanted.second,
                       .second_key = wanted.second_key,
                       .begin = {.address = address_of(wanted.begin)},
                       .end = {.address = address_of(wanted.end)},
                       .runtime = runtime_,
                       .frame_field = tells_stack ? tokens.stack.state : 0};
        return place;
    }

    const clr::MetadataReader& metadata_;
    const uint32_t runtime_;
};

}  // namespace

CoreMethods CoreMethods::find(const clr::MetadataReader& core_library, uint32_t runtime) {
    return Finder(core_library, runtime).run();
}

}  // namespace umbra::agent
