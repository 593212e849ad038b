// SPDX-License-Identifier: MIT
#include "src/agent/async_types.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "hotpath/seen_types.h"
#include "hotpath/segment.h"
#include "src/agent/profiler.h"
#include "src/clr/method_names.h"

namespace umbra::agent {
namespace {

constexpr std::string_view kStateMachineInterface =
    "System.Runtime.CompilerServices.IAsyncStateMachine";
constexpr std::string_view kIteratorInterface = "System.IAsyncDisposable";
// By the name of the interface, where a compiler writes it down (F#).
constexpr std::array<std::string_view, 2> kMoveNext = {
    "MoveNext", "System.Runtime.CompilerServices.IAsyncStateMachine.MoveNext"};

constexpr int kMostBases = 64;
constexpr int kMostNesting = 8;
constexpr uint32_t kMostArguments = 64;

struct Class {
    clr::ModuleID module = 0;
    clr::mdTypeDef token = 0;
    clr::ClassID base = 0;
    std::vector<clr::ClassID> arguments;
};

std::optional<Class> class_of(clr::ICorProfilerInfo3& info, clr::ClassID id) {
    Class found;
    std::array<clr::ClassID, kMostArguments> arguments{};
    uint32_t count = 0;
    if (id == 0 || clr::failed(info.GetClassIDInfo2(id, &found.module, &found.token, &found.base,
                                                    kMostArguments, &count, arguments.data()))) {
        return std::nullopt;
    }
    found.arguments.assign(arguments.begin(), arguments.begin() + std::min(count, kMostArguments));
    return found;
}

std::string name_in_metadata(clr::ICorProfilerInfo3& info, const Class& type) {
    const auto metadata = clr::MetadataReader::of_module(info, type.module);
    return metadata ? metadata->full_name(type.token) : std::string();
}

void collect_modules(clr::ICorProfilerInfo3& info, clr::ClassID id,
                     std::vector<clr::ModuleID>& modules, int depth) {
    const auto type = depth < kMostNesting ? class_of(info, id) : std::nullopt;
    if (!type) {
        return;
    }
    if (std::ranges::find(modules, type->module) == modules.end()) {
        modules.push_back(type->module);
    }
    for (const clr::ClassID argument : type->arguments) {
        collect_modules(info, argument, modules, depth + 1);
    }
}

bool is_box(const std::string& name) {
    return name.starts_with("System.Runtime.CompilerServices.") &&
           name.ends_with("StateMachineBox`1");
}

clr::mdMethodDef move_next_of(const clr::MetadataReader& metadata, clr::mdTypeDef type) {
    for (const std::string_view name : kMoveNext) {
        if (const auto methods = metadata.methods_named(type, name); !methods.empty()) {
            return methods.front();
        }
    }
    return 0;
}

}  // namespace

uint8_t traits_of(const clr::MetadataReader& metadata, clr::mdMethodDef token) {
    const auto method = metadata.method(token);
    if (!method) {
        return 0;
    }
    if ((method->implementation & clr::kAsyncCode) != 0) {
        return hotpath::kRuntimeAsync;
    }
    const clr::ImageMetadata* image = metadata.image();
    if (image == nullptr || std::ranges::find(kMoveNext, method->name) == kMoveNext.end() ||
        !image->implements(method->type, kStateMachineInterface)) {
        return 0;
    }
    return image->implements(method->type, kIteratorInterface) ? hotpath::kAsyncIterator
                                                               : hotpath::kStateMachine;
}

bool is_cancellation(clr::ICorProfilerInfo3& info, clr::ClassID id) {
    std::optional<Class> type = class_of(info, id);
    for (int bases = 0; type && bases < kMostBases; ++bases) {
        if (name_in_metadata(info, *type) == "System.OperationCanceledException") {
            return true;
        }
        type = class_of(info, type->base);
    }
    return false;
}

bool hands_out_task(clr::ICorProfilerInfo3& info, clr::FunctionID function) {
    auto of = clr::instantiation_of(info, function);
    clr::FunctionID of_token = 0;
    return of &&
           clr::succeeded(info.GetFunctionFromTokenAndTypeArgs(
               of->module, of->token, of->class_id,
               static_cast<uint32_t>(of->method_arguments.size()), of->method_arguments.data(),
               &of_token)) &&
           of_token == function;
}

std::vector<clr::mdMethodDef> state_machines_in(const clr::MetadataReader& metadata) {
    std::vector<clr::mdMethodDef> found;
    if (metadata.image() == nullptr) {
        return found;
    }
    for (const clr::mdTypeDef type : metadata.image()->types_implementing(kStateMachineInterface)) {
        if (const clr::mdMethodDef method = move_next_of(metadata, type); method != 0) {
            found.push_back(method);
        }
    }
    return found;
}

std::vector<clr::mdMethodDef> runtime_async_methods_in(const clr::MetadataReader& metadata) {
    std::vector<clr::mdMethodDef> methods = metadata.methods_with_code();
    std::erase_if(methods, [&](clr::mdMethodDef token) {
        const auto method = metadata.method(token);
        return !method || (method->implementation & clr::kAsyncCode) == 0;
    });
    return methods;
}

bool AsyncTypes::work_left() const noexcept {
    return taken_.load() != hotpath::seen_types().count() || waiting_.load() != 0;
}

void AsyncTypes::add_runtime(Profiler* runtime) {
    const std::lock_guard lock(mutex_);
    runtimes_.push_back(runtime);
}

Profiler* AsyncTypes::runtime(uint32_t number) {
    const std::lock_guard lock(mutex_);
    return number == 0 || number > runtimes_.size() ? nullptr : runtimes_[number - 1];
}

protocol::AsyncTypeNamed AsyncTypes::resolve(uint64_t type, Profiler& owner) {
    clr::ICorProfilerInfo3& info = owner.info();
    protocol::AsyncTypeNamed named;
    named.address = hotpath::SeenTypes::address_of(type);
    const auto id = static_cast<clr::ClassID>(named.address);
    Known& known = known_[type];
    known.owner = &owner;
    collect_modules(info, id, known.modules, 0);
    const auto found = class_of(info, id);
    const std::string name = found ? name_in_metadata(info, *found) : std::string();
    const bool box = is_box(name) && !found->arguments.empty();
    const clr::ClassID machine = box ? found->arguments.back() : id;
    const auto of_machine = class_of(info, machine);
    named.name = of_machine ? name_in_metadata(info, *of_machine) : clr::class_name(info, machine);
    const auto metadata =
        of_machine ? clr::MetadataReader::of_module(info, of_machine->module) : std::nullopt;
    const clr::ImageMetadata* image = metadata ? metadata->image() : nullptr;
    // An iterator is awaited itself, and not its box.
    if (!box && !(image != nullptr && image->implements(of_machine->token, kIteratorInterface) &&
                  image->implements(of_machine->token, kStateMachineInterface))) {
        named.cancelled = is_cancellation(info, id);
        return named;
    }
    const clr::mdMethodDef method = metadata ? move_next_of(*metadata, of_machine->token) : 0;
    if (method != 0) {
        named.method =
            hotpath::RegisteredMethod::pack(owner.module_index(of_machine->module), method);
    }
    return named;
}

std::vector<protocol::AsyncTypeNamed> AsyncTypes::name_new(const Profiler* owner) {
    const hotpath::SeenTypes& seen = hotpath::seen_types();
    uint32_t taken = taken_.load();
    for (const uint32_t end = seen.count(); taken < end; ++taken) {
        unnamed_.push_back(taken);
    }
    std::vector<protocol::AsyncTypeNamed> named;
    std::erase_if(unnamed_, [&](uint32_t entry) {
        const uint64_t type = seen.at(entry);
        Profiler* const its = runtime(hotpath::SeenTypes::runtime_of(type));
        if (type == 0 || (owner != nullptr && owner != its)) {
            return false;
        }
        if (its != nullptr && !its->has_left()) {
            named.push_back(resolve(type, *its));
        }
        return true;
    });
    waiting_.store(static_cast<uint32_t>(unnamed_.size()));
    taken_.store(taken);
    return named;
}

void AsyncTypes::forget_module(const Profiler* owner, clr::ModuleID module) {
    std::erase_if(known_, [&](const auto& one) {
        const auto& [type, known] = one;
        if (known.owner != owner ||
            std::ranges::find(known.modules, module) == known.modules.end()) {
            return false;
        }
        hotpath::seen_types().forget(type);
        return true;
    });
}

void AsyncTypes::forget_all() {
    hotpath::seen_types().clear();
    begun_.store(false);
    taken_.store(0);
    waiting_.store(0);
    unnamed_.clear();
    known_.clear();
}

}  // namespace umbra::agent
