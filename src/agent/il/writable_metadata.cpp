// SPDX-License-Identifier: MIT
#include "src/agent/il/writable_metadata.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "src/agent/support/managed_threads.h"
#include "src/agent/support/suspend_runtime.h"
#include "src/agent/support/thread_cpu.h"

namespace umbra::agent {
namespace {

constexpr uint32_t kOpenForRead = 0;
constexpr uint32_t kOpenForWrite = 1;

// What is being compiled when the runtime is suspended is mostly done by then.
constexpr auto kPatience = std::chrono::milliseconds(5);
constexpr auto kLook = std::chrono::microseconds(50);
// In between the program runs.
constexpr auto kPause = std::chrono::milliseconds(5);

/// With the runtime suspended, which lets threads in native code run on. False: one of them does,
/// or the runtime does not tell which there are.
bool threads_come_to_rest(clr::ICorProfilerInfo10& info) {
    std::vector<uint32_t> others;
    const bool told = for_managed_threads(info, [&](clr::ThreadID /*id*/, uint32_t os_tid) {
        if (os_tid != own_os_tid()) {
            others.push_back(os_tid);
        }
    });
    if (!told) {
        return false;
    }
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!std::ranges::all_of(others, is_at_rest)) {
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
    const auto info = clr::query<clr::ICorProfilerInfo10>(info_);
    if (!info) {
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
    if (clr::failed(info_.GetModuleMetaData(module, kOpenForRead | kOpenForWrite,
                                            clr::IMetaDataEmit::kIid, unknown.put())) ||
        !unknown) {
        return;
    }
    if (auto emit = clr::query<clr::IMetaDataEmit>(*unknown.get())) {
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
