// SPDX-License-Identifier: MIT
#include "src/cli/text/waits.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "src/profile/async/async_view.h"

namespace umbra::cli {

using profile::Profile;

namespace {

constexpr std::size_t kWaitRows = 3;
constexpr uint64_t kLeastWait = 1'000'000;
constexpr uint64_t kWaitPart = 20;  // of what was timed, before a wait is told

/// Main, or what begins an async one.
bool is_main(const profile::Function& function) {
    return function.method == "Main" || function.method == "<Main>";
}
bool is_main(const profile::HotFunction& function) {
    return function.function != nullptr && is_main(*function.function);
}

/// What async methods awaited that is no timed call, and threads of the pool.
void add_async_waits(const Profile& profile, std::vector<Wait>& waits) {
    if (profile.async_methods.empty()) {
        return;
    }
    profile::View view;
    view.top = std::numeric_limits<std::size_t>::max();
    for (const profile::AsyncRow& row : profile::async_view(profile, view).rows) {
        for (const profile::AsyncAwait& await : row.awaits) {
            if (await.how == profile::AsyncWait::kOutside && !await.name.empty()) {
                waits.push_back({await.name + ", awaited by " + row.name, await.total_ns,
                                 is_main(profile.functions[row.method->function])});
            }
        }
        waits.push_back({"a thread of the pool, for " + row.name, row.times().queued_ns});
    }
}

/// Methods that were off their processors themselves, for no pause of the runtime's.
void add_blocked(const Profile& profile, const profile::HotList& all, std::vector<Wait>& waits) {
    if (!profile::has_cpu_times(profile.session)) {
        return;
    }
    std::map<std::string, profile::BlockedRow> blocked;  // of each method the longest
    for (profile::BlockedRow& row : profile::blocked_view(profile, {})) {
        blocked.try_emplace(row.name, std::move(row));
    }
    for (const profile::HotFunction& function : all.functions) {
        // Of an async Main the program's own begin waits all the time.
        if (function.function != nullptr && function.function->method == "<Main>" &&
            !profile.async_methods.empty()) {
            continue;
        }
        const uint64_t not_waiting = function.times.cpu.self_ns + function.times.paused.self_ns;
        const uint64_t off_ns =
            function.times.self_ns - std::min(function.times.self_ns, not_waiting);
        const auto known = blocked.find(function.name);
        const bool by_task = known != blocked.end() && known->second.total_ns >= off_ns / 2;
        const std::string task = !by_task                        ? ""
                                 : known->second.awaited.empty() ? "a task"
                                                                 : known->second.awaited;
        waits.push_back({by_task ? function.name + ", blocked on " + task : function.name, off_ns,
                         is_main(function)});
    }
}

}  // namespace

std::vector<Wait> longest_waits(const Profile& profile, const profile::HotList& all) {
    std::vector<Wait> waits;
    add_async_waits(profile, waits);
    // Inside methods and awaits, but for the begin: few calls may be timed in a long session.
    uint64_t timed_ns = 0;
    for (const Wait& wait : waits) {
        timed_ns += wait.of_main ? 0 : wait.ns;
    }
    for (const profile::HotFunction& function : all.functions) {
        timed_ns += is_main(function) ? 0 : function.times.self_ns;
    }
    add_blocked(profile, all, waits);
    const uint64_t least =
        std::max(kLeastWait, std::min(profile.session.wall_ns, timed_ns) / kWaitPart);
    std::erase_if(waits, [&](const Wait& wait) { return wait.ns < least; });
    if (!std::ranges::all_of(waits, &Wait::of_main)) {
        std::erase_if(waits, &Wait::of_main);
    }
    std::ranges::stable_sort(waits, std::greater(), &Wait::ns);
    waits.resize(std::min(waits.size(), kWaitRows));
    return waits;
}

}  // namespace umbra::cli
