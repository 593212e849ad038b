// SPDX-License-Identifier: MIT
// Keeping names, within the bounds of the session.
#include "src/collector/state/name_tables.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace umbra::collector {
namespace {

/// Processes have one runtime, load hundreds of modules and throw dozens of types.
constexpr uint32_t kMaxRuntimes = 1U << 12;
constexpr uint32_t kMaxModules = 1U << 16;
constexpr uint32_t kMaxTypes = 1U << 16;

/// Tasks that end when others have, and so are awaited for these.
bool combines(std::string_view type) {
    constexpr std::array<std::string_view, 5> kNames = {
        "System.Threading.Tasks.Task+WhenAll", "System.Threading.Tasks.Task+WhenAny",
        "System.Threading.Tasks.UnwrapPromise", "System.Threading.Tasks.TaskFactory+CompleteOn",
        "System.Threading.Tasks.Task+TwoTaskWhenAny"};
    return std::ranges::any_of(kNames,
                               [&](std::string_view name) { return type.starts_with(name); });
}

}  // namespace

NameTables::NameTables(const replay::Limits& limits) : limits_(limits) {
}

void NameTables::note(const protocol::RuntimeStarted& message) {
    store(runtimes_, kMaxRuntimes, message, message.version.size());
}

void NameTables::note(const protocol::FunctionNamed& message) {
    store(functions_, limits_.max_functions, message,
          message.namespace_.size() + message.type.size() + message.method.size() +
              message.method_args.size() + message.parameters.size() +
              message.user_parameters.size() + message.return_type.size());
}

void NameTables::note(const protocol::ModuleLoaded& message) {
    store(modules_, kMaxModules, message, message.path.size());
}

void NameTables::note(const protocol::TypeNamed& message) {
    store(types_, kMaxTypes, message, message.name.size());
}

void NameTables::note(const protocol::ArgumentNamed& message) {
    size_t bytes = message.name.size() + message.type.size() + message.reason.size();
    for (const protocol::EnumConstant& constant : message.constants) {
        bytes += sizeof constant + constant.name.size();
    }
    const bool told = message.index != 0 && message.kind != protocol::ArgumentNamed::kRefused;
    const bool possible = message.function <= limits_.max_functions;
    if (possible && told) {
        store(arguments_, limits_.max_arguments, message, bytes);
    } else if (possible && refused_.size() < limits_.max_arguments &&
               take_room(bytes + sizeof(protocol::ArgumentNamed))) {
        refused_.push_back(std::make_shared<const protocol::ArgumentNamed>(message));
    } else {
        ++dropped_;
    }
}

void NameTables::note(const protocol::AsyncTypeNamed& message) {
    if (async_types_.size() >= kMaxTypes || !take_room(message.name.size() + sizeof message)) {
        ++dropped_;
        return;
    }
    async_types_.insert_or_assign(
        message.address,
        NamedAsyncType{.named = std::make_shared<const protocol::AsyncTypeNamed>(message),
                       .meaning = {.method = message.method,
                                   .cancelled = message.cancelled,
                                   .combines = combines(message.name)}});
}

void NameTables::note(const protocol::Inlined& message) {
    if (message.function == 0 || message.function > limits_.max_functions ||
        message.into > limits_.max_functions) {
        ++dropped_;
        return;
    }
    std::vector<uint32_t>& into = inlined_[message.function];
    if (into.size() < protocol::kMostInlinedInto &&
        std::ranges::find(into, message.into) == into.end()) {
        into.push_back(message.into);
    }
}

const protocol::AsyncTypeNamed* NameTables::async_type(uint64_t address) const {
    const auto place = async_types_.find(address);
    return place == async_types_.end() ? nullptr : place->second.named.get();
}

const replay::AsyncType* NameTables::async_meaning(uint64_t address) const {
    const auto place = async_types_.find(address);
    return place == async_types_.end() ? nullptr : &place->second.meaning;
}

bool NameTables::take_room(size_t bytes) {
    if (bytes > limits_.max_name_bytes - bytes_) {
        return false;
    }
    bytes_ += bytes;
    return true;
}

template <typename Message>
void NameTables::store(Table<Message>& table, uint32_t max_index, const Message& message,
                       size_t bytes) {
    // A name told again counts again: nobody does so often but to use up memory.
    if (message.index == 0 || message.index > max_index || !take_room(bytes + sizeof(Message))) {
        ++dropped_;
        return;
    }
    if (message.index >= table.size()) {
        table.resize(size_t{message.index} + 1);
    }
    table[message.index] = std::make_shared<const Message>(message);
}

}  // namespace umbra::collector
