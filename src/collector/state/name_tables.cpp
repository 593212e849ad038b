// SPDX-License-Identifier: MIT
// Keeping names, within the bounds of the session.
#include "src/collector/state/name_tables.h"

namespace umbra::collector {
namespace {

/// Processes load hundreds of modules and throw dozens of types.
constexpr uint32_t kMaxModules = 1U << 16;
constexpr uint32_t kMaxTypes = 1U << 16;

}  // namespace

NameTables::NameTables(const replay::Limits& limits) : limits_(limits) {
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

const protocol::FunctionNamed* NameTables::function(uint32_t index) const {
    return find(functions_, index);
}

const protocol::ModuleLoaded* NameTables::module(uint32_t index) const {
    return find(modules_, index);
}

const protocol::TypeNamed* NameTables::type(uint32_t index) const {
    return find(types_, index);
}

template <typename Message>
void NameTables::store(Table<Message>& table, uint32_t max_index, const Message& message,
                       size_t bytes) {
    // A name told again counts again: nobody does so often but to use up memory.
    bytes += sizeof(Message);
    if (message.index == 0 || message.index > max_index ||
        bytes > limits_.max_name_bytes - bytes_) {
        ++dropped_;
        return;
    }
    bytes_ += bytes;
    if (message.index >= table.size()) {
        table.resize(size_t{message.index} + 1);
    }
    table[message.index] = std::make_shared<const Message>(message);
}

}  // namespace umbra::collector
