// SPDX-License-Identifier: MIT
// The callbacks that write down what happens to threads: names, suspensions, exceptions.
#include <mutex>
#include <string>
#include <utility>

#include "hotpath/record.h"
#include "hotpath/recorder.h"
#include "src/agent/profiler.h"
#include "src/agent/support/guarded.h"
#include "src/base/utf8.h"

namespace umbra::agent {

using clr::HRESULT;
using hotpath::ControlType;

// ---- threads -------------------------------------------------------------------------------

// A name may come before the operating system's thread is known, and after: whichever comes second
// sends it.
void Profiler::thread_is(clr::ThreadID thread, uint32_t os_thread, std::string name) {
    const std::lock_guard lock(threads_.mutex);
    ThreadIdentity& identity = threads_.by_id[thread];
    if (os_thread != 0) {
        identity.os_thread = os_thread;
    } else {
        identity.name = std::move(name);
    }
    if (identity.os_thread == 0) {
        return;
    }
    // Without a name, too: the number may have been another thread's.
    process_->register_thread(identity.os_thread, identity.name);
    if (!identity.name.empty()) {
        process_->worker().post(protocol::ThreadNamed{identity.os_thread, identity.name});
    }
}

HRESULT Profiler::ThreadAssignedToOSThread(clr::ThreadID thread, uint32_t os_thread) {
    if (!records()) {
        return clr::kOk;
    }
    return guarded([&] { thread_is(thread, os_thread, {}); });
}

HRESULT Profiler::ThreadNameChanged(clr::ThreadID thread, uint32_t length, char16_t* name) {
    return guarded([&] {
        if (name != nullptr && length != 0 && records()) {
            thread_is(thread, 0, to_utf8({name, length}));
        }
    });
}

HRESULT Profiler::ThreadDestroyed(clr::ThreadID thread) {
    return guarded([&] {
        const std::lock_guard lock(threads_.mutex);
        threads_.by_id.erase(thread);
    });
}

// ---- suspensions ---------------------------------------------------------------------------

HRESULT Profiler::RuntimeSuspendStarted(clr::COR_PRF_SUSPEND_REASON reason) {
    suspension_.begin(static_cast<uint32_t>(reason));
    hotpath::record_control_if_known(ControlType::kSuspendStarted, static_cast<uint32_t>(reason));
    return clr::kOk;
}

HRESULT Profiler::RuntimeSuspendFinished() {
    suspension_.all_stopped();
    return clr::kOk;
}

HRESULT Profiler::RuntimeSuspendAborted() {
    suspension_.abort();
    return clr::kOk;
}

HRESULT Profiler::RuntimeResumeStarted() {
    // The ring of pauses that the child of a fork sees is its parent's.
    if (!process_->is_forked_child()) {
        suspension_.end(process_->pauses());
    }
    return clr::kOk;
}

HRESULT Profiler::RuntimeResumeFinished() {
    hotpath::record_control_if_known(ControlType::kResumeFinished, suspension_.reason());
    return clr::kOk;
}

HRESULT Profiler::GarbageCollectionStarted(int32_t count, int32_t* collected,
                                           clr::COR_PRF_GC_REASON /*reason*/) {
    uint32_t generations = 0;
    for (int32_t generation = 0; collected != nullptr && generation < count && generation < 32;
         ++generation) {
        generations |= collected[generation] != 0 ? 1U << generation : 0U;
    }
    suspension_.collection(generations);
    return clr::kOk;
}

// ---- exceptions ----------------------------------------------------------------------------

HRESULT Profiler::ExceptionThrown(clr::ObjectID object) {
    if (!records()) {
        return clr::kOk;
    }
    uint32_t index = 0;
    guarded([&] {
        clr::ClassID type = 0;
        if (clr::succeeded(info_->GetClassFromObject(object, &type))) {
            clr::ModuleID defined_in = 0;
            clr::mdTypeDef token = 0;
            info_->GetClassIDInfo(type, &defined_in, &token);
            index = process_->worker().type_index(type, defined_in, this);
        }
    });
    hotpath::record_control(ControlType::kExceptionThrown, index);
    return clr::kOk;
}

uint64_t Profiler::block_stack_pointer() const noexcept {
    // Threads go on through their blocks after Shutdown; the runtime is asked nothing then.
    clr::COR_PRF_EX_CLAUSE_INFO clause{};
    return records() && info_->GetNotifiedExceptionClauseInfo(&clause) == clr::kOk
               ? clause.framePointer
               : 0;
}

void Profiler::record_block(ControlType type, clr::FunctionID function) noexcept {
    const uint64_t stack_pointer = block_stack_pointer();
    record_function(type, function, &stack_pointer);
}

HRESULT Profiler::ExceptionSearchFilterEnter(clr::FunctionID function) {
    record_block(ControlType::kFilterEnter, function);
    return clr::kOk;
}

HRESULT Profiler::ExceptionSearchFilterLeave() {
    hotpath::record_control(ControlType::kFilterLeave,
                            static_cast<uint32_t>(block_stack_pointer()));
    return clr::kOk;
}

HRESULT Profiler::ExceptionUnwindFunctionEnter(clr::FunctionID function) {
    record_function(ControlType::kUnwindFunctionEnter, function);
    return clr::kOk;
}

HRESULT Profiler::ExceptionUnwindFunctionLeave() {
    hotpath::record_control(ControlType::kUnwindFunctionLeave, 0);
    return clr::kOk;
}

HRESULT Profiler::ExceptionUnwindFinallyEnter(clr::FunctionID function) {
    record_block(ControlType::kUnwindFinallyEnter, function);
    return clr::kOk;
}

HRESULT Profiler::ExceptionUnwindFinallyLeave() {
    hotpath::record_control(ControlType::kUnwindFinallyLeave,
                            static_cast<uint32_t>(block_stack_pointer()));
    return clr::kOk;
}

HRESULT Profiler::ExceptionCatcherEnter(clr::FunctionID function, clr::ObjectID /*object*/) {
    record_block(ControlType::kCatcherEnter, function);
    return clr::kOk;
}

HRESULT Profiler::ExceptionCatcherLeave() {
    hotpath::record_control(ControlType::kCatcherLeave, 0);
    return clr::kOk;
}

}  // namespace umbra::agent
