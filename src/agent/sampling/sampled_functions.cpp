// SPDX-License-Identifier: MIT
#include "src/agent/sampling/sampled_functions.h"

#include <utility>

#include "hotpath/segment.h"
#include "src/agent/methods/function_name.h"
#include "src/clr/method_names.h"

namespace umbra::agent {
namespace {

/// What tells one function from another: an encoding of its name without its number.
std::string identity(protocol::FunctionNamed named) {
    named.index = 0;
    return protocol::encode(named);
}

}  // namespace

void SampledFunctions::catch_up() {
    if (const clr::ModuleID core_library = loaded_core_library(info_)) {
        framework_.learn(module_path(info_, core_library));
    }
}

uint32_t SampledFunctions::index_of(clr::FunctionID function) {
    if (function == 0) {
        return protocol::kNativeFrames;
    }
    const auto known = functions_.find(function);
    return known != functions_.end() ? known->second : add(function);
}

uint32_t SampledFunctions::add(clr::FunctionID function) {
    protocol::FunctionNamed named;
    Result<clr::MethodName> name = clr::method_name(info_, function);
    if (!name) {
        named.method = "(unknown)";
        return number(function, std::move(named));
    }
    named.module = module_index(name->module);
    set_name(std::move(*name), named);
    return number(function, std::move(named));
}

uint32_t SampledFunctions::number(clr::FunctionID function, protocol::FunctionNamed named) {
    const auto [place, added] = by_name_.try_emplace(identity(named), given_ + 1);
    if (added && given_ + 1 >= hotpath::kMaxFunctions) {
        by_name_.erase(place);
        return protocol::kCutFrames;
    }
    if (added) {
        named.index = ++given_;
        tell_(std::move(named));
    }
    functions_[function] = place->second;
    return place->second;
}

uint32_t SampledFunctions::module_index(clr::ModuleID module) {
    if (const auto known = modules_.find(module); known != modules_.end()) {
        return known->second;
    }
    const std::string path = module_path(info_, module);
    const auto next = static_cast<uint32_t>(modules_by_path_.size() + 1);
    const auto [place, added] = modules_by_path_.try_emplace(path, next);
    if (added) {
        tell_(protocol::ModuleLoaded{place->second, path, framework_.contains(path)});
    }
    modules_[module] = place->second;
    return place->second;
}

}  // namespace umbra::agent
