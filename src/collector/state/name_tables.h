// SPDX-License-Identifier: MIT
// What the agent said about its runtimes, functions, modules, types, arguments, by its own numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "src/protocol/messages.h"
#include "src/replay/async/async_calls.h"
#include "src/replay/tree/limits.h"

namespace umbra::collector {

/// A plain value: a copy shares the names, and costs a pointer for each. Numbers and sizes come
/// from the target and are checked; what does not fit is left out and counted.
class NameTables {
  public:
    explicit NameTables(const replay::Limits& limits);

    void note(const protocol::RuntimeStarted& message);
    void note(const protocol::FunctionNamed& message);
    void note(const protocol::ModuleLoaded& message);
    void note(const protocol::TypeNamed& message);
    void note(const protocol::ArgumentNamed& message);
    void note(const protocol::AsyncTypeNamed& message);
    void note(const protocol::Inlined& message);

    /// Null for an index nobody has named.
    [[nodiscard]] const protocol::RuntimeStarted* runtime(uint32_t index) const {
        return find(runtimes_, index);
    }
    [[nodiscard]] const protocol::FunctionNamed* function(uint32_t index) const {
        return find(functions_, index);
    }
    [[nodiscard]] const protocol::ModuleLoaded* module(uint32_t index) const {
        return find(modules_, index);
    }
    [[nodiscard]] const protocol::TypeNamed* type(uint32_t index) const {
        return find(types_, index);
    }
    [[nodiscard]] const protocol::ArgumentNamed* argument(uint32_t index) const {
        return find(arguments_, index);
    }
    /// By the address of its MethodTable.
    [[nodiscard]] const protocol::AsyncTypeNamed* async_type(uint64_t address) const;
    /// What it means for async calls; asked for each suspension.
    [[nodiscard]] const replay::AsyncType* async_meaning(uint64_t address) const;
    /// Arguments that were asked for and are never told, in the order of their messages.
    [[nodiscard]] std::span<const std::shared_ptr<const protocol::ArgumentNamed>> refused() const {
        return refused_;
    }

    /// What each function has been inlined into, kMostInlinedInto at most; more are left out.
    [[nodiscard]] const std::map<uint32_t, std::vector<uint32_t>>& inlined() const {
        return inlined_;
    }

    /// Greatest named index and one more.
    [[nodiscard]] uint32_t runtime_end() const { return end(runtimes_); }
    [[nodiscard]] uint32_t function_end() const { return end(functions_); }
    [[nodiscard]] uint32_t module_end() const { return end(modules_); }
    [[nodiscard]] uint32_t argument_end() const { return end(arguments_); }
    [[nodiscard]] uint64_t dropped() const { return dropped_; }

  private:
    template <typename Message>
    using Table = std::vector<std::shared_ptr<const Message>>;

    template <typename Message>
    static uint32_t end(const Table<Message>& table) {
        return static_cast<uint32_t>(table.size());
    }
    template <typename Message>
    static const Message* find(const Table<Message>& table, uint32_t index) {
        return index < table.size() ? table[index].get() : nullptr;
    }
    template <typename Message>
    void store(Table<Message>& table, uint32_t max_index, const Message& message, size_t bytes);
    /// Takes the room for a message whose texts have so many bytes. False: there is none.
    [[nodiscard]] bool take_room(size_t bytes);

    replay::Limits limits_;
    Table<protocol::RuntimeStarted> runtimes_;
    Table<protocol::FunctionNamed> functions_;
    Table<protocol::ModuleLoaded> modules_;
    Table<protocol::TypeNamed> types_;
    Table<protocol::ArgumentNamed> arguments_;
    Table<protocol::ArgumentNamed> refused_;
    struct NamedAsyncType {
        std::shared_ptr<const protocol::AsyncTypeNamed> named;
        replay::AsyncType meaning;
    };
    std::unordered_map<uint64_t, NamedAsyncType> async_types_;
    std::map<uint32_t, std::vector<uint32_t>> inlined_;
    size_t bytes_ = 0;
    uint64_t dropped_ = 0;
};

}  // namespace umbra::collector
