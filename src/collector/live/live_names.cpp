// SPDX-License-Identifier: MIT
#include "src/collector/live/live_names.h"

#include <string_view>

#include "src/base/utf8.h"
#include "src/collector/state/function_names.h"
#include "src/profile/methods.h"
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
    made.name = cut(printable_utf8(shown.name), protocol::kMaxLiveNameBytes);
    made.piece = profile::is_piece(shown);
    if (const protocol::ModuleLoaded* module = names_.module(named->module)) {
        const std::string_view path = module->path;
        made.module = cut(path.substr(path.rfind('/') + 1), protocol::kMaxLiveModuleBytes);
    }
    made.method =
        methods_.try_emplace({named->module, made.name}, static_cast<uint32_t>(methods_.size()))
            .first->second;
    return made;
}

}  // namespace umbra::collector
