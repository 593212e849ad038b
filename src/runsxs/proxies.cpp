// SPDX-License-Identifier: MIT
#include "src/runsxs/proxies.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>
#include <string_view>
#include <utility>

#include "src/clr/callback.h"
#include "src/clr/info.h"

extern "C" {
// A thunk for each slot (src/runsxs/thunks.S in the folder of the ABI).
void umbra_runsxs_info_thunks();
void umbra_runsxs_callback_thunks();
}

namespace umbra::runsxs {
namespace {

using clr::HRESULT;

constexpr size_t kThunkBytes = 16;
constexpr Guid kNobodysIid = guid("{756d6272-6121-4e6f-626f-64794b6e6f77}");

using SlotNames = std::array<std::string_view, ProxyHead::kSlots>;

/// Names of the methods of ICorProfilerInfo and its later versions, by slot.
SlotNames info_names() {
    SlotNames names{};
    const auto name = [&names](std::string_view of, std::string_view method, size_t slot) {
        if (of.starts_with("ICorProfilerInfo")) {
            names[slot] = method;
        }
    };
#define INTERFACE_ID(interface, id)
#define SLOT(interface, method, slot) name(#interface, #method, slot);
#include "src/clr/vtable_contract.inc"
#undef SLOT
#undef INTERFACE_ID
    return names;
}

const SlotNames kInfoNames = info_names();

uint32_t info_slot(std::string_view method) {
    return static_cast<uint32_t>(std::ranges::find(kInfoNames, method) - kInfoNames.begin());
}

const uint32_t kSetMapper2 = info_slot("SetFunctionIDMapper2");

bool is_any_of(uint32_t slot, std::initializer_list<std::string_view> methods) {
    return std::find(methods.begin(), methods.end(), kInfoNames[slot]) != methods.end();
}

/// Calls that change what the runtime does.
bool configures(uint32_t slot) {
    return is_any_of(slot, {"SetEventMask", "SetEventMask2", "SetFunctionIDMapper",
                            "SetFunctionIDMapper2", "SetEnterLeaveFunctionHooks",
                            "SetEnterLeaveFunctionHooks2", "SetEnterLeaveFunctionHooks3",
                            "SetEnterLeaveFunctionHooks3WithInfo", "RequestReJIT"});
}

/// Calls whose first argument is an id of a function, class, module or thread.
bool takes_id(uint32_t slot) {
    return is_any_of(slot,
                     {"GetFunctionInfo", "GetFunctionInfo2", "GetTokenAndMetaDataFromFunction",
                      "GetFunctionFromToken", "IsFunctionDynamic", "GetCodeInfo", "IsArrayClass",
                      "GetClassIDInfo", "GetClassIDInfo2", "GetModuleInfo", "GetModuleInfo2",
                      "GetModuleMetaData", "GetThreadInfo"});
}

/// All there are in the process; those of runtimes that are gone too.
struct Crossings {
    static constexpr size_t kMostRetired = 64;

    std::mutex mutex;
    std::vector<Crossing*> all;  // guarded by mutex
    /// Of infos of runtimes that have just gone: a late call may have begun with them. Guarded by
    /// mutex.
    std::deque<std::unique_ptr<ProxyHead::Slots>> retired;

    void retire(std::unique_ptr<ProxyHead::Slots> slots) {
        const std::lock_guard lock(mutex);
        retired.push_back(std::move(slots));
        if (retired.size() > kMostRetired) {
            retired.pop_front();
        }
    }

    static Crossings& of_process() {
        static Crossings& crossings = *new Crossings;  // late calls come while the process ends
        return crossings;
    }
};

// Whose callbacks run on this thread, the innermost last.
thread_local std::vector<Crossing*> t_callbacks;

ProxyHead& proxy_at(uint64_t object) {
    return *reinterpret_cast<ProxyHead*>(object);
}

HRESULT gone(void* /*object*/) {
    return clr::kFail;
}

void* method_of(const clr::IUnknown& object, uint32_t slot) {
    void* const* vtable = nullptr;
    std::memcpy(&vtable, static_cast<const void*>(&object), sizeof vtable);
    return vtable[slot];
}

std::unique_ptr<ProxyHead::Slots> make_slots(void (*thunks)(), void* query, void* add,
                                             void* release) {
    auto slots = std::make_unique<ProxyHead::Slots>();
    auto* const first = reinterpret_cast<std::byte*>(thunks);
    for (size_t slot = 0; slot < ProxyHead::kSlots; ++slot) {
        (*slots)[slot] = first + slot * kThunkBytes;
    }
    (*slots)[0] = query;
    (*slots)[1] = add;
    (*slots)[2] = release;
    return slots;
}

void fill(ProxyHead& proxy, std::unique_ptr<ProxyHead::Slots> slots) {
    proxy.slots = std::move(slots);
    proxy.vtable = proxy.slots->data();
}

template <typename Function>
void* address(Function* function) {
    return reinterpret_cast<void*>(function);
}

HRESULT query_info(ProxyHead* proxy, const Guid& riid, void** out) {
    return proxy->crossing->query_info(riid, out);
}
uint32_t take_info(ProxyHead* proxy) {
    return proxy->crossing->take_info();
}
uint32_t release_info(ProxyHead* proxy) {
    return proxy->crossing->release_info();
}
HRESULT query_profiler(ProxyHead* proxy, const Guid& riid, void** out) {
    return proxy->crossing->query_profiler(*proxy, riid, out);
}
uint32_t take_profiler(ProxyHead* proxy) {
    return proxy->real->AddRef();
}
uint32_t release_profiler(ProxyHead* proxy) {
    return proxy->crossing->release_profiler(*proxy);
}

std::unique_ptr<ProxyHead::Slots> info_slots() {
    return make_slots(umbra_runsxs_info_thunks, address(query_info), address(take_info),
                      address(release_info));
}

/// Of the infos of all runtimes that are gone.
const ProxyHead::Slots& slots_of_the_gone() {
    static const ProxyHead::Slots& slots = *info_slots().release();
    return slots;
}

}  // namespace

Crossing::Crossing(FaultLog& log, const std::string& name) : log_(log), name_(name) {
    info_.crossing = this;
    fill(info_, info_slots());
    Crossings& crossings = Crossings::of_process();
    const std::lock_guard lock(crossings.mutex);
    crossings.all.push_back(this);
}

Crossing::~Crossing() {
    Crossings& crossings = Crossings::of_process();
    const std::lock_guard lock(crossings.mutex);
    std::erase(crossings.all, this);
}

void Crossing::fault(Check check, const std::string& what) {
    log_.add(check, what + " [" + log_.step() + ']');
}

// ---- the info, as the profiler sees it -----------------------------------------------------

clr::IUnknown* Crossing::info_for_profiler(clr::IUnknown& info) {
    info_.real = &info;
    return reinterpret_cast<clr::IUnknown*>(&info_);
}

HRESULT Crossing::query_info(const Guid& riid, void** out) {
    if (out == nullptr || info_.real == nullptr) {
        return clr::kFail;
    }
    void* found = nullptr;
    const HRESULT status = blind_ && riid != clr::IUnknown::kIid
                               ? clr::kNoInterface
                               : info_.real->QueryInterface(riid, &found);
    *out = clr::succeeded(status) ? &info_ : nullptr;
    info_references_ += clr::succeeded(status) ? 1 : 0;
    return status;
}

uint32_t Crossing::take_info() {
    return static_cast<uint32_t>(++info_references_ + 1);
}

uint32_t Crossing::release_info() {
    const int64_t left = --info_references_;
    if (left < 0) {
        fault(Check::kInfoReferences,
              "the info of " + name_ + " was released more often than taken");
    }
    return static_cast<uint32_t>(std::max(left, int64_t{0}) + 1);
}

void* Crossing::info_called(CallRegisters& registers, uint32_t slot) {
    log_.count_info_call();
    const bool own = check_place(slot);
    if (info_.real == nullptr) {
        return address(gone);
    }
    if (own && takes_id(slot)) {
        check_ids(registers, slot);
    }
    configured_ = configured_ || configures(slot);
    if (slot == kSetMapper2) {
        take_mapper(registers);
    }
    registers.values[0] = reinterpret_cast<uint64_t>(info_.real);
    return method_of(*info_.real, slot);
}

bool Crossing::check_place(uint32_t slot) {
    const std::string method(kInfoNames[slot]);
    if (shut_down_) {
        fault(Check::kAfterShutdown, method + " of " + name_ + " was called after its Shutdown");
    }
    if (detached_) {
        fault(Check::kAfterDetach,
              method + " of " + name_ + " was called after ProfilerDetachSucceeded");
    }
    const bool own = t_callbacks.empty() || t_callbacks.back() == this;
    if (!own) {
        fault(Check::kOwnInfo, method + " of " + name_ + " was called inside a callback of " +
                                   t_callbacks.back()->name_);
    }
    return own;
}

bool Crossing::knows(uint64_t id) const {
    const fakeclr::FakeRuntime* runtime = runtime_.load();
    return runtime != nullptr &&
           (runtime->model().method(id) != nullptr || runtime->model().type(id) != nullptr ||
            runtime->model().module(id) != nullptr || runtime->thread(id) != nullptr);
}

void Crossing::check_ids(const CallRegisters& registers, uint32_t slot) {
    const uint64_t id = registers.values[1];
    if (knows(id)) {
        return;
    }
    Crossings& crossings = Crossings::of_process();
    const std::lock_guard lock(crossings.mutex);
    const auto owner = std::ranges::find_if(
        crossings.all, [&](const Crossing* other) { return other != this && other->knows(id); });
    if (owner != crossings.all.end()) {
        fault(Check::kOwnIds, std::string(kInfoNames[slot]) + " of " + name_ +
                                  " was asked about an id of " + (*owner)->name_);
    }
}

void Crossing::take_mapper(CallRegisters& registers) {
    auto* const data = reinterpret_cast<void*>(registers.values[2]);
    mapper_ = reinterpret_cast<clr::FunctionIDMapper2*>(registers.values[1]);
    client_data_ = data;
    if (mapper_ != nullptr) {
        registers.values[1] = reinterpret_cast<uint64_t>(&Crossing::map);
        registers.values[2] = reinterpret_cast<uint64_t>(this);
    }
    Crossings& crossings = Crossings::of_process();
    const std::lock_guard lock(crossings.mutex);
    const auto other = std::ranges::find_if(crossings.all, [&](const Crossing* one) {
        return one != this && data != nullptr && one->client_data_ == data;
    });
    if (other != crossings.all.end()) {
        fault(Check::kOwnClientData,
              "the mappers of " + (*other)->name_ + " and " + name_ + " have the same client data");
    }
}

uintptr_t Crossing::map(clr::FunctionID function, void* self, int32_t* hook) {
    auto& crossing = *static_cast<Crossing*>(self);
    crossing.begin_callback();
    const uintptr_t answer = crossing.mapper_(function, crossing.client_data_, hook);
    end_callback();
    if (answer == 0) {
        crossing.fault(Check::kClientId,
                       "the mapper answered 0 for a function of " + crossing.name_);
    }
    return answer;
}

// ---- the profiler, as the runtime sees it --------------------------------------------------

ProxyHead* Crossing::wrap(clr::IUnknown* profiler) {
    const std::lock_guard lock(mutex_);
    const auto known =
        std::ranges::find(profilers_, profiler, [](const auto& proxy) { return proxy->real; });
    if (known != profilers_.end()) {
        return known->get();
    }
    ProxyHead& proxy = *profilers_.emplace_back(std::make_unique<ProxyHead>());
    proxy.real = profiler;
    proxy.crossing = this;
    fill(proxy, make_slots(umbra_runsxs_callback_thunks, address(runsxs::query_profiler),
                           address(runsxs::take_profiler), address(runsxs::release_profiler)));
    return &proxy;
}

clr::ICorProfilerCallback2* Crossing::profiler_for_runtime(clr::ICorProfilerCallback2* profiler) {
    ++handed_out_;
    begin_callback();
    check_references(*profiler);
    void* nobodys = nullptr;
    if (clr::succeeded(profiler->QueryInterface(kNobodysIid, &nobodys))) {
        fault(Check::kUnknownInterface, "the profiler has an interface that was made up");
    }
    end_callback();
    return reinterpret_cast<clr::ICorProfilerCallback2*>(wrap(profiler));
}

void Crossing::check_references(clr::IUnknown& profiler) {
    const uint32_t taken = profiler.AddRef();
    const uint32_t left = profiler.Release();
    // Who answers anything else does not say how many there are.
    if (taken == left + 1 && left < handed_out_.load()) {
        fault(Check::kOwnReferences, "the profiler of " + name_ + " has handed out " +
                                         std::to_string(handed_out_.load()) +
                                         " references and counts " + std::to_string(left));
    }
}

HRESULT Crossing::query_profiler(ProxyHead& proxy, const Guid& riid, void** out) {
    begin_callback();
    void* found = nullptr;
    const HRESULT status = proxy.real->QueryInterface(riid, &found);
    const bool got = clr::succeeded(status) && found != nullptr;
    if (got) {
        ++handed_out_;
        check_references(*static_cast<clr::IUnknown*>(found));
    }
    end_callback();
    *out = got ? wrap(static_cast<clr::IUnknown*>(found)) : nullptr;
    return status;
}

uint32_t Crossing::release_profiler(ProxyHead& proxy) {
    --handed_out_;
    begin_callback();
    const uint32_t left = proxy.real->Release();
    end_callback();
    return left;
}

void Crossing::begin_callback() {
    log_.count_callback();
    t_callbacks.push_back(this);
}

void Crossing::end_callback() {
    t_callbacks.pop_back();
}

void Crossing::forget_callbacks() {
    t_callbacks.clear();
}

// ---- what has become of it -----------------------------------------------------------------

void Crossing::refused() {
    if (configured_) {
        fault(Check::kRefusal, name_ + " was given an event mask, a mapper or hooks, and refused");
    }
    if (info_references_ > 0) {
        fault(Check::kInfoReferences, std::to_string(info_references_.load()) +
                                          " references to the info of " + name_ +
                                          " are left, which was refused");
    }
}

void Crossing::detached() {
    detached_ = true;
    if (info_references_ > 0) {
        fault(Check::kInfoReferences, std::to_string(info_references_.load()) +
                                          " references to the info of " + name_ +
                                          " are left after the profiler has gone");
    }
}

void Crossing::ended() {
    runtime_ = nullptr;
    info_.real = nullptr;
    info_.vtable = slots_of_the_gone().data();
    Crossings::of_process().retire(std::move(info_.slots));
    const std::lock_guard lock(mutex_);
    profilers_.clear();  // it alone called them
}

}  // namespace umbra::runsxs

// ---- what the thunks call ------------------------------------------------------------------

extern "C" {

void* umbra_runsxs_info_call(umbra::runsxs::CallRegisters* registers, uint32_t slot) {
    return umbra::runsxs::proxy_at(registers->values[0]).crossing->info_called(*registers, slot);
}

void* umbra_runsxs_callback_begin(umbra::runsxs::CallRegisters* registers, uint32_t slot) {
    umbra::runsxs::ProxyHead& proxy = umbra::runsxs::proxy_at(registers->values[0]);
    proxy.crossing->begin_callback();
    registers->values[0] = reinterpret_cast<uint64_t>(proxy.real);
    return umbra::runsxs::method_of(*proxy.real, slot);
}

void umbra_runsxs_callback_end() {
    umbra::runsxs::Crossing::end_callback();
}
}
