// SPDX-License-Identifier: MIT
// Loading a profiler, modules, threads, collections: the order of events of the CLR.
#include "src/fakeclr/fake_runtime.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <dlfcn.h>
#include <unistd.h>

namespace umbra::fakeclr {
namespace {

using DllGetClassObject = HRESULT(const Guid& clsid, const Guid& riid, void** ppv);

uint32_t current_tid() {
    return static_cast<uint32_t>(gettid());
}

const char* variable(const char* name) {
    return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody here sets variables
}

}  // namespace

Result<Guid> class_id(const std::string& text) {
    const std::optional<Guid> id = parse_guid(text);
    if (!id) {
        return fail(ErrorCode::kInvalid, "'" + text + "' is not a class id in braces");
    }
    return *id;
}

FakeRuntime::~FakeRuntime() {
    active_ = false;
    callback4_.reset();
    callback2_.reset();
}

void FakeRuntime::drop_profiler() {
    callback4_.reset();
    callback2_.reset();
    if (library_ != nullptr) {
        dlclose(std::exchange(library_, nullptr));
    }
}

Status FakeRuntime::query_callbacks(ICorProfilerCallback2* created) {
    // Newest first, as the CLR asks; Callback3 is mandatory.
    constexpr std::array kVersions = {&ICorProfilerCallback2::kIid,  &ICorProfilerCallback11::kIid,
                                      &ICorProfilerCallback10::kIid, &ICorProfilerCallback9::kIid,
                                      &ICorProfilerCallback8::kIid,  &ICorProfilerCallback7::kIid,
                                      &ICorProfilerCallback6::kIid,  &ICorProfilerCallback5::kIid,
                                      &ICorProfilerCallback4::kIid,  &ICorProfilerCallback3::kIid};
    for (const Guid* version : kVersions) {
        ComPtr<IUnknown> queried;
        if (failed(created->QueryInterface(*version, queried.put_void())) || !queried) {
            if (*version == ICorProfilerCallback2::kIid ||
                *version == ICorProfilerCallback3::kIid) {
                return fail(ErrorCode::kRefused, "the profiler lacks ICorProfilerCallback2 or 3");
            }
            continue;
        }
        if (*version == ICorProfilerCallback4::kIid) {
            queried.get()->QueryInterface(*version, callback4_.put_void());
        }
        if (*version == ICorProfilerCallback11::kIid) {
            ComPtr<ICorProfilerCallback11> newest;
            queried.get()->QueryInterface(*version, newest.put_void());
            int32_t notification_only = 0;
            if (newest && succeeded(newest->LoadAsNotificationOnly(&notification_only)) &&
                notification_only != 0) {
                return fail(ErrorCode::kUnsupported,
                            "the profiler wants to be notification-only, which fakeclr is not for");
            }
        }
    }
    return {};
}

Status FakeRuntime::create_profiler(const std::string& path, const Guid& clsid) {
    library_ = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library_ == nullptr) {
        return fail(ErrorCode::kNotFound,
                    "cannot load the profiler " + path + ": " +
                        // NOLINTNEXTLINE(concurrency-mt-unsafe): each thread has its own
                        std::string(dlerror()));
    }
    auto* get_class_object =
        reinterpret_cast<DllGetClassObject*>(dlsym(library_, "DllGetClassObject"));
    if (get_class_object == nullptr) {
        drop_profiler();
        return fail(ErrorCode::kRefused, path + " does not export DllGetClassObject");
    }
    ComPtr<IClassFactory> factory;
    HRESULT hr = get_class_object(clsid, IClassFactory::kIid, factory.put_void());
    if (failed(hr) || !factory) {
        drop_profiler();
        return fail(ErrorCode::kRefused,
                    "DllGetClassObject of " + path + " answered " + clr::hexadecimal(hr));
    }
    ICorProfilerCallback2* created = nullptr;
    hr = factory->CreateInstance(nullptr, ICorProfilerCallback2::kIid,
                                 reinterpret_cast<void**>(&created));
    factory.reset();
    if (failed(hr) || created == nullptr) {
        drop_profiler();
        return fail(ErrorCode::kRefused,
                    "CreateInstance of " + path + " answered " + clr::hexadecimal(hr));
    }
    callback2_ = ComPtr(border_ != nullptr ? border_->profiler_for_runtime(created) : created);
    if (Status queried = query_callbacks(callback2_.get()); !queried) {
        drop_profiler();
        return queried;
    }
    return {};
}

Result<bool> FakeRuntime::load_profiler(const std::string& path, const Guid& clsid) {
    if (Status created = create_profiler(path, clsid); !created) {
        return tl::unexpected(created.error());
    }
    info_.set_phase(FakeInfo::Phase::kInitializing);
    initialize_result_ =
        callback2_->Initialize(border_ != nullptr ? border_->info_for_profiler(info_) : &info_);
    return initialized(path);
}

Result<bool> FakeRuntime::attach_profiler(const std::string& path, const Guid& clsid,
                                          std::string client_data) {
    if (Status created = create_profiler(path, clsid); !created) {
        return tl::unexpected(created.error());
    }
    ComPtr<ICorProfilerCallback3> callback3;
    callback2_->QueryInterface(ICorProfilerCallback3::kIid, callback3.put_void());
    info_.set_phase(FakeInfo::Phase::kAttaching);
    initialize_result_ = callback3->InitializeForAttach(
        border_ != nullptr ? border_->info_for_profiler(info_) : &info_, client_data.data(),
        static_cast<uint32_t>(client_data.size()));
    if (succeeded(initialize_result_)) {
        callback3->ProfilerAttachComplete();
    }
    callback3.reset();
    return initialized(path);
}

bool FakeRuntime::finish_detach() {
    if (!info_.detach_requested()) {
        return false;
    }
    active_ = false;
    ComPtr<ICorProfilerCallback3> callback3;
    callback2_->QueryInterface(ICorProfilerCallback3::kIid, callback3.put_void());
    callback3->ProfilerDetachSucceeded();
    callback3.reset();
    callback4_.reset();
    callback2_.reset();
    return true;
}

Result<bool> FakeRuntime::initialized(const std::string& path) {
    info_.set_phase(FakeInfo::Phase::kRunning);
    if (succeeded(initialize_result_)) {
        active_ = true;
        return true;
    }
    drop_profiler();
    if (initialize_result_ == kProfilerCancelActivation) {
        return false;
    }
    return fail(ErrorCode::kRefused,
                "Initialize of " + path + " answered " + clr::hexadecimal(initialize_result_));
}

Result<bool> FakeRuntime::load_profiler_from_environment() {
    const char* enabled = variable("CORECLR_ENABLE_PROFILING");
    if (enabled == nullptr || std::string(enabled) != "1") {
        return false;
    }
    const char* path = variable("CORECLR_PROFILER_PATH_64");
    path = path != nullptr ? path : variable("CORECLR_PROFILER_PATH");
    if (path == nullptr) {
        return false;
    }
    const char* clsid_text = variable("CORECLR_PROFILER");
    const Result<Guid> clsid = class_id(clsid_text != nullptr ? clsid_text : "");
    if (!clsid) {
        return fail(ErrorCode::kInvalid, "CORECLR_PROFILER: " + clsid.error().context);
    }
    return load_profiler(path, *clsid);
}

ICorProfilerCallback2* FakeRuntime::listener(uint32_t low, uint32_t high) const {
    const bool wanted = (info_.events_low() & low) != 0 || (info_.events_high() & high) != 0;
    return active_.load() && wanted ? callback2_.get() : nullptr;
}

void FakeRuntime::load_module(FakeModule& module) {
    auto* started = listener(clr::COR_PRF_MONITOR_MODULE_LOADS);
    if (started != nullptr) {
        started->ModuleLoadStarted(module.id());
    }
    // Read here and only here: what the profiler switches later finds the code taken or rejected.
    model_.set_loaded(module, (info_.events_low() & clr::COR_PRF_MONITOR_ENTERLEAVE) != 0);
    if (auto* finished = listener(clr::COR_PRF_MONITOR_MODULE_LOADS)) {
        finished->ModuleLoadFinished(module.id(), kOk);
        finished->ModuleAttachedToAssembly(module.id(), module.assembly_id());
    }
}

void FakeRuntime::unload_module(FakeModule& module) {
    if (auto* functions = listener(clr::COR_PRF_MONITOR_FUNCTION_UNLOADS)) {
        for (FakeMethod* method : model_.compiled_methods()) {
            if (method->type->module == &module) {
                functions->FunctionUnloadStarted(method->id);
            }
        }
    }
    auto* modules = listener(clr::COR_PRF_MONITOR_MODULE_LOADS);
    if (modules != nullptr) {
        modules->ModuleUnloadStarted(module.id());
    }
    const ModuleID id = module.id();
    model_.forget(module);
    if (modules != nullptr) {
        modules->ModuleUnloadFinished(id, kOk);
    }
}

FakeThread& FakeRuntime::create_thread(const std::string& name) {
    FakeThread* thread = nullptr;
    {
        const std::lock_guard lock(threads_mutex_);
        thread = &threads_.emplace_back();
    }
    if (!name.empty()) {
        rename_thread(*thread, name);
    }
    return *thread;
}

void FakeRuntime::start_thread(FakeThread& thread) {
    {
        const std::lock_guard lock(threads_mutex_);
        thread.os_tid = current_tid();
        thread.alive = true;
    }
    if (auto* profiler = listener(clr::COR_PRF_MONITOR_THREADS)) {
        profiler->ThreadCreated(thread.id());
        profiler->ThreadAssignedToOSThread(thread.id(), thread.os_tid);
    }
}

void FakeRuntime::rename_thread(FakeThread& thread, const std::string& name) {
    std::u16string wide = widen(name);
    {
        const std::lock_guard lock(threads_mutex_);
        thread.name = wide;
    }
    if (auto* profiler = listener(clr::COR_PRF_MONITOR_THREADS)) {
        profiler->ThreadNameChanged(thread.id(), static_cast<uint32_t>(wide.size()), wide.data());
    }
}

void FakeRuntime::end_thread(FakeThread& thread) {
    {
        const std::lock_guard lock(threads_mutex_);
        if (!std::exchange(thread.alive, false)) {
            return;
        }
    }
    if (auto* profiler = listener(clr::COR_PRF_MONITOR_THREADS)) {
        profiler->ThreadDestroyed(thread.id());
    }
    thread.os_tid = 0;
}

FakeThread* FakeRuntime::current_thread() const {
    const uint32_t tid = current_tid();
    for (FakeThread* thread : threads()) {
        if (thread->os_tid == tid) {
            return thread;
        }
    }
    return nullptr;
}

FakeThread* FakeRuntime::thread(ThreadID id) const {
    for (FakeThread* thread : threads()) {
        if (thread->id() == id) {
            return thread;
        }
    }
    return nullptr;
}

std::vector<FakeThread*> FakeRuntime::threads() const {
    const std::lock_guard lock(threads_mutex_);
    std::vector<FakeThread*> alive;
    for (const FakeThread& thread : threads_) {
        if (thread.alive) {
            alive.push_back(const_cast<FakeThread*>(&thread));
        }
    }
    return alive;
}

void FakeRuntime::collect_garbage(uint32_t generation) {
    if (auto* profiler = listener(clr::COR_PRF_MONITOR_SUSPENDS)) {
        profiler->RuntimeSuspendStarted(clr::COR_PRF_SUSPEND_FOR_GC);
        profiler->RuntimeSuspendFinished();
    }
    constexpr uint32_t kGenerations = 5;  // 0, 1, 2, large and pinned objects
    std::array<int32_t, kGenerations> collected{};
    for (uint32_t i = 0; i <= generation && i < kGenerations; ++i) {
        collected[i] = 1;
    }
    if (auto* profiler = listener(0, clr::COR_PRF_HIGH_BASIC_GC)) {
        profiler->GarbageCollectionStarted(kGenerations, collected.data(), clr::COR_PRF_GC_OTHER);
        profiler->GarbageCollectionFinished();
    }
    if (auto* profiler = listener(clr::COR_PRF_MONITOR_SUSPENDS)) {
        profiler->RuntimeResumeStarted();
        profiler->RuntimeResumeFinished();
    }
}

void FakeRuntime::shutdown() {
    if (active_.load()) {
        callback2_->Shutdown();
    }
}

}  // namespace umbra::fakeclr
