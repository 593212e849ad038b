// SPDX-License-Identifier: MIT
#include "src/collector/live/live_names.h"

#include <set>
#include <string_view>
#include <utility>

#include "src/base/utf8.h"
#include "src/profile/methods.h"
#include "src/profile/names/display_name.h"
#include "src/profile/names/seen_text.h"
#include "src/profile/names/tell_apart.h"
#include "src/protocol/live_messages.h"

namespace umbra::collector {
namespace {

std::string cut(std::string_view text, size_t bytes) {
    return std::string(cut_utf8(text, bytes));
}

}  // namespace

const LiveNames::Name* LiveNames::known(uint32_t function) const {
    return function < known_.size() && known_[function].method != kNoMethod ? &known_[function]
                                                                            : nullptr;
}

const LiveNames::Name& LiveNames::name(uint32_t function) {
    if (function >= known_.size()) {
        known_.resize(size_t{function} + 1);
    }
    Name& made = known_[function];
    if (made.method != kNoMethod) {
        return made;
    }
    const protocol::FunctionNamed* named = names_.function(function);
    if (named == nullptr) {
        made.name = "function " + std::to_string(function) + " (name unknown)";
        return made;
    }
    profile::Function shown;
    set_display_name(*named, shown);
    shown.runtime_async = named->suspended;
    made.name = cut(shown.name, protocol::kMaxLiveNameBytes);
    made.piece = profile::is_piece(shown);
    if (const protocol::ModuleLoaded* module = names_.module(named->module)) {
        const std::string_view path = module->path;
        made.module = cut(profile::seen_text(path.substr(path.rfind('/') + 1)),
                          protocol::kMaxLiveModuleBytes);
    }
    made.method = method_of(*named, made);
    return made;
}

uint32_t LiveNames::method_of(const protocol::FunctionNamed& named, const Name& made) {
    const auto number = static_cast<uint32_t>(methods_.size());
    const uint32_t method =
        methods_.try_emplace({named.module, made.name, 0}, number).first->second;
    if (made.piece || first_token_.try_emplace(method, named.token).first->second == named.token) {
        return method;
    }
    return methods_
        .try_emplace({named.module, made.name, named.token}, static_cast<uint32_t>(methods_.size()))
        .first->second;
}

std::vector<std::string> LiveNames::told_apart(const std::vector<uint32_t>& functions) {
    std::vector<std::string> shown;
    std::set<std::string_view> different;
    shown.reserve(functions.size());
    for (const uint32_t function : functions) {
        shown.push_back(name(function).name);
        different.insert(shown.back());
    }
    if (different.size() == shown.size()) {
        return shown;
    }
    profile::Profile made;
    for (uint32_t index = 0; index < names_.runtime_end(); ++index) {
        const protocol::RuntimeStarted* runtime = names_.runtime(index);
        made.runtimes.push_back({.version = runtime == nullptr ? "" : runtime->version});
    }
    for (uint32_t index = 0; index < names_.module_end(); ++index) {
        const protocol::ModuleLoaded* module = names_.module(index);
        const std::string_view path = module == nullptr ? std::string_view() : module->path;
        made.modules.push_back({.name = std::string(path.substr(path.rfind('/') + 1)),
                                .path = {},
                                .framework = false,
                                .runtime = module == nullptr ? profile::kNone : module->runtime});
    }
    for (size_t i = 0; i < functions.size(); ++i) {
        profile::Function& one = made.functions.emplace_back();
        if (const protocol::FunctionNamed* named = names_.function(functions[i])) {
            set_display_name(*named, one);
            one.module = named->module < made.modules.size() ? named->module : profile::kNone;
            one.token = named->token;
        }
        one.name = shown[i];
    }
    profile::tell_apart(made);
    for (size_t i = 0; i < functions.size(); ++i) {
        shown[i] = made.functions[i].name;
    }
    return shown;
}

}  // namespace umbra::collector
