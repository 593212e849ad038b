// SPDX-License-Identifier: MIT
#include "src/collector/tables/unnamed_functions.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace umbra::collector {
namespace {

/// Functions without a name, and whether they have been called with probes.
std::map<uint32_t, bool> unnamed(const Snapshot& snapshot) {
    std::map<uint32_t, bool> found;
    const auto mention = [&](uint32_t function, bool called) {
        if (function > hotpath::kBeforeStartIndex && snapshot.names.function(function) == nullptr) {
            found[function] |= called;
        }
    };
    for (const Snapshot::Thread& thread : snapshot.threads) {
        for (const uint32_t function : thread.called) {
            mention(function, true);
        }
    }
    for (const auto& [function, sum] : snapshot.compilations.sums) {
        mention(function, false);
    }
    for (const auto& [key, number] : snapshot.exceptions) {
        mention(key.thrown_in, false);
        mention(key.caught_in, false);
    }
    return found;
}

std::optional<protocol::ModuleLoaded> module_at(std::span<const hotpath::RegisteredModule> modules,
                                                uint32_t index) {
    if (index >= modules.size()) {
        return std::nullopt;
    }
    const hotpath::RegisteredModule& module = modules[index];
    const size_t bytes =
        std::min<size_t>(module.path_bytes.load(std::memory_order_acquire), module.path.size());
    if (bytes == 0) {
        return std::nullopt;
    }
    return protocol::ModuleLoaded{.index = index,
                                  .path = std::string(module.path.data(), bytes),
                                  .framework = module.framework != 0,
                                  .runtime = module.runtime};
}

}  // namespace

void add_unnamed(std::span<const hotpath::RegisteredMethod> methods,
                 std::span<const hotpath::RegisteredModule> modules, Snapshot& snapshot) {
    NameTables& names = snapshot.names;
    for (const auto& [function, called] : unnamed(snapshot)) {
        const uint64_t word =
            function < methods.size() ? methods[function].word.load(std::memory_order_relaxed) : 0;
        const uint32_t index = hotpath::RegisteredMethod::module(word);
        if (word == 0) {
            continue;
        }
        if (names.module(index) == nullptr) {
            const std::optional<protocol::ModuleLoaded> module = module_at(modules, index);
            if (!module) {
                continue;
            }
            names.note(*module);
        }
        const protocol::ModuleLoaded* module = names.module(index);
        names.note(protocol::FunctionNamed{.index = function,
                                           .module = index,
                                           .token = hotpath::RegisteredMethod::token(word),
                                           .instrumented = called,
                                           .trivial = false,
                                           .namespace_ = {},
                                           .type = {},
                                           .method = {},
                                           .method_args = {},
                                           .parameters = {},
                                           .user_parameters = {},
                                           .return_type = {},
                                           .is_static = false,
                                           .runtime = module != nullptr ? module->runtime : 0});
    }
}

}  // namespace umbra::collector
