// SPDX-License-Identifier: MIT
// Walks over a call tree from top to bottom without a stack of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/profile/profile.h"

namespace umbra::profile {

/// A call tree (anything of rows with a member `parent`) with links down and sideways. Children
/// come in the order of their rows. 8 bytes a row.
class TreeLinks {
  public:
    template <typename Rows>
    explicit TreeLinks(const Rows& tree)
        : first_child_(tree.size(), kNone), next_sibling_(tree.size(), kNone) {
        for (size_t index = tree.size(); index-- > 0;) {
            const Row parent = tree[index].parent;
            Row& first = parent == kNone ? first_root_ : first_child_[parent];
            next_sibling_[index] = first;
            first = static_cast<Row>(index);
        }
    }
    /// The first row without a parent; its siblings are the others.
    [[nodiscard]] Row first_root() const { return first_root_; }
    [[nodiscard]] Row first_child(Row row) const { return first_child_[row]; }
    [[nodiscard]] Row next_sibling(Row row) const { return next_sibling_[row]; }

  private:
    Row first_root_ = kNone;
    std::vector<Row> first_child_;
    std::vector<Row> next_sibling_;
};

/// By row of a call tree: what `self_of` says of its rows, of each and of everything below it.
std::vector<uint64_t> inclusive_of(const auto& tree, const auto& self_of) {
    std::vector<uint64_t> sums(tree.size());
    for (size_t row = tree.size(); row-- > 0;) {
        sums[row] += self_of(tree[row]);
        if (tree[row].parent != kNone) {
            sums[tree[row].parent] += sums[row];
        }
    }
    return sums;
}

/// Calls `enter` before and `leave` after what lies below each row, for `root` and everything below
/// it. A row for which `enter` says false is passed over with all below it, `leave` included.
/// Paths may be of any depth.
void walk_below(const auto& tree, const TreeLinks& links, Row root, auto enter, auto leave) {
    for (Row row = root;;) {
        const bool entered = enter(row);
        if (entered && links.first_child(row) != kNone) {
            row = links.first_child(row);
            continue;
        }
        if (entered) {
            leave(row);
        }
        while (row != root && links.next_sibling(row) == kNone) {
            row = tree[row].parent;
            leave(row);
        }
        if (row == root) {
            return;
        }
        row = links.next_sibling(row);
    }
}

/// Calls `enter` before and `leave` after what lies below each row of a whole tree. A row for which
/// `enter` says false is passed over with all below it, `leave` included. Paths may be of any
/// depth.
void walk(const auto& tree, const TreeLinks& links, auto enter, auto leave) {
    for (Row root = links.first_root(); root != kNone; root = links.next_sibling(root)) {
        walk_below(tree, links, root, enter, leave);
    }
}

}  // namespace umbra::profile
