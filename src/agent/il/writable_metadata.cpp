// SPDX-License-Identifier: MIT
#include "src/agent/il/writable_metadata.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

#include "src/agent/support/suspend_runtime.h"
#include "src/agent/support/thread_cpu.h"
#include "src/clr/enumerators.h"

namespace umbra::agent {
namespace {

constexpr uint32_t kOpenForRead = 0;
constexpr uint32_t kOpenForWrite = 1;

// What is being compiled when the runtime is suspended is mostly done by then.
constexpr auto kPatience = std::chrono::milliseconds(5);
constexpr auto kLook = std::chrono::microseconds(50);
// In between the program runs.
constexpr auto kPause = std::chrono::milliseconds(5);

/// All but the caller. Nothing: the runtime does not tell.
std::optional<std::vector<uint32_t>> managed_threads(clr::ICorProfilerInfo10& info) {
    clr::ComPtr<clr::ICorProfilerThreadEnum> threads;
    if (clr::failed(info.EnumThreads(threads.put()))) {
        return std::nullopt;
    }
    std::vector<uint32_t> os_threads;
    const auto own = static_cast<uint32_t>(syscall(SYS_gettid));
    clr::ThreadID id = 0;
    uint32_t got = 0;
    while (clr::succeeded(threads->Next(1, &id, &got)) && got == 1) {
        uint32_t os_thread = 0;
        if (clr::succeeded(info.GetThreadInfo(id, &os_thread)) && os_thread != 0 &&
            os_thread != own) {
            os_threads.push_back(os_thread);
        }
    }
    return os_threads;
}

/// With the runtime suspended, which lets threads in native code run on. False: one of them does.
bool threads_come_to_rest(clr::ICorProfilerInfo10& info) {
    const auto os_threads = managed_threads(info);
    if (!os_threads) {
        return false;
    }
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!std::ranges::all_of(*os_threads, is_at_rest)) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(kLook);
    }
    return true;
}

}  // namespace

void WritableMetadata::open(clr::ModuleID module, Known known) {
    if (find(module) != nullptr) {
        return;
    }
    if (known == Known::kToNobody) {
        ask_runtime(module);
    } else {
        open_beside_threads(module);
    }
}

void WritableMetadata::open_beside_threads(clr::ModuleID module) {
    clr::ComPtr<clr::ICorProfilerInfo10> info;
    if (clr::failed(info_.QueryInterface(clr::ICorProfilerInfo10::kIid, info.put_void()))) {
        return;
    }
    for (int left = kAttempts; left > 0; --left) {
        {
            const std::unique_lock nothing_begins_to_be_compiled(opening_);
            if (!suspend_runtime(*info.get())) {
                return;
            }
            const bool done = threads_come_to_rest(*info.get()) || left == 1;
            if (done) {
                ask_runtime(module);
            }
            info->ResumeRuntime();
            if (done) {
                return;
            }
        }
        std::this_thread::sleep_for(kPause);
    }
}

void WritableMetadata::ask_runtime(clr::ModuleID module) {
    clr::ComPtr<clr::IUnknown> unknown;
    clr::ComPtr<clr::IMetaDataEmit> emit;
    if (clr::succeeded(info_.GetModuleMetaData(module, kOpenForRead | kOpenForWrite,
                                               clr::IMetaDataEmit::kIid, unknown.put())) &&
        unknown &&
        clr::succeeded(unknown->QueryInterface(clr::IMetaDataEmit::kIid, emit.put_void()))) {
        const std::lock_guard lock(mutex_);
        by_id_.try_emplace(module, std::move(emit));
    }
}

clr::IMetaDataEmit* WritableMetadata::find(clr::ModuleID module) {
    const std::lock_guard lock(mutex_);
    const auto known = by_id_.find(module);
    return known == by_id_.end() ? nullptr : known->second.get();
}

void WritableMetadata::forget(clr::ModuleID module) {
    const std::lock_guard lock(mutex_);
    by_id_.erase(module);
}

}  // namespace umbra::agent
