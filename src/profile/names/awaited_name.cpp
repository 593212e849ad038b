// SPDX-License-Identifier: MIT
#include "src/profile/names/awaited_name.h"

#include <algorithm>
#include <array>
#include <utility>

#include "src/base/pattern_name.h"
#include "src/profile/methods.h"
#include "src/profile/names/display_name.h"
#include "src/profile/names/seen_text.h"

namespace umbra::profile {
namespace {

struct Promise {
    std::string_view type;  ///< how its name begins
    std::string_view name;
};

constexpr auto kPromises = std::to_array<Promise>({
    {"System.Threading.Tasks.Task+DelayPromise", "Task.Delay"},
    {"System.Threading.Tasks.Task+WhenAllPromise", "Task.WhenAll"},
    {"System.Threading.Tasks.Task+WhenAnyPromise", "Task.WhenAny"},
    {"System.Threading.Tasks.Task+TwoTaskWhenAnyPromise", "Task.WhenAny"},
    {"System.Threading.Tasks.TaskFactory+CompleteOnInvokePromise", "Task.WhenAny"},
    {"System.Threading.Tasks.TaskFactory+CompleteOnCountdownPromise", "Task.WhenAll"},
    {"System.Threading.Tasks.Task+CancellationPromise", "Task.WaitAsync"},
    {"System.Threading.Tasks.UnwrapPromise", "Task.Run"},
    // Of a method that the runtime suspends: which one, no type tells.
    {"System.Runtime.CompilerServices.AsyncHelpers+RuntimeAsyncTask", "an async method"},
    {"System.Threading.Tasks.Continuation", "Task.ContinueWith"},
    {"System.Threading.SemaphoreSlim+", "SemaphoreSlim.WaitAsync"},
    {"System.Threading.PeriodicTimer+", "PeriodicTimer.WaitForNextTickAsync"},
    {"System.Threading.Channels.", "channel"},
    {"System.Net.Sockets.Socket+", "socket"},
    {"Microsoft.Win32.SafeHandles.SafeFileHandle+", "file"},
});

}  // namespace

std::string awaited_name(std::string_view type) {
    const auto promise = std::ranges::find_if(
        kPromises, [&](const Promise& known) { return type.starts_with(known.type); });
    if (promise != kPromises.end()) {
        return std::string(promise->name);
    }
    // Of a TaskCompletionSource, or of a delegate that is run: the types are the same.
    constexpr std::string_view kTask = "System.Threading.Tasks.Task";
    if (type.starts_with(kTask) &&
        (type.size() == kTask.size() || type[kTask.size()] == '<' || type[kTask.size()] == '`')) {
        return seen_text("Task" + pattern_name(type.substr(kTask.size())));
    }
    const size_t nested = type.find('+');
    const size_t name_end = std::min(nested, type.find_first_of("<`["));
    const size_t dot = type.substr(0, name_end).rfind('.');
    if (nested != std::string_view::npos && type.find("+<") != std::string_view::npos) {
        Function function;
        const bool is_global = dot == std::string_view::npos;
        set_display_name({.namespace_ = std::string(is_global ? "" : type.substr(0, dot)),
                          .type = std::string(is_global ? type : type.substr(dot + 1)),
                          .method = "MoveNext",
                          .method_args = {},
                          .parameters = "()",
                          .user_parameters = {},
                          .return_type = {}},
                         function);
        return qualified_name(function);
    }
    return seen_text(pattern_name(type));
}

}  // namespace umbra::profile
