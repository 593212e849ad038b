// SPDX-License-Identifier: MIT
// The threads that a runtime knows.
#pragma once

#include <cstdint>

#include "src/clr/com.h"
#include "src/clr/enumerators.h"
#include "src/clr/info.h"

namespace umbra::agent {

/// `act(ThreadID, number in the kernel)` of each that runs. False: the runtime does not tell. With
/// the runtime suspended, too.
template <typename Act>
bool for_managed_threads(clr::ICorProfilerInfo10& info, Act&& act) {
    clr::ComPtr<clr::ICorProfilerThreadEnum> threads;
    if (clr::failed(info.EnumThreads(threads.put()))) {
        return false;
    }
    clr::ThreadID id = 0;
    uint32_t got = 0;
    while (clr::succeeded(threads->Next(1, &id, &got)) && got == 1) {
        uint32_t os_tid = 0;
        if (clr::succeeded(info.GetThreadInfo(id, &os_tid)) && os_tid != 0) {
            act(id, os_tid);
        }
    }
    return true;
}

}  // namespace umbra::agent
