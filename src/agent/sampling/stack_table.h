// SPDX-License-Identifier: MIT
// StackTable: every stack a sampler has met, as nodes of one tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/protocol/messages.h"

namespace umbra::agent {

/// A node is a parent and a function; nodes count up from 1, and 0 is the root of all. One thread.
/// May throw std::bad_alloc, and is then as it was.
class StackTable {
  public:
    explicit StackTable(uint32_t capacity = 1U << 20) : capacity_(capacity) {}

    /// The node of `function` called from `parent`; `parent` itself when the table is full, which
    /// is counted.
    uint32_t child(uint32_t parent, uint32_t function);

    /// Nodes from number `first` on.
    [[nodiscard]] std::span<const protocol::StackNode> nodes_from(uint32_t first) const {
        return std::span(nodes_).subspan(first - 1);
    }
    [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
    [[nodiscard]] uint64_t lost() const { return lost_; }

  private:
    [[nodiscard]] size_t place_of(uint32_t parent, uint32_t function) const;
    void grow();

    uint32_t capacity_;
    std::vector<protocol::StackNode> nodes_;                      // by number - 1
    std::vector<uint32_t> places_ = std::vector<uint32_t>(1024);  // open addressing; 0 = free
    uint64_t lost_ = 0;
};

}  // namespace umbra::agent
