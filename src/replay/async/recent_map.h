// SPDX-License-Identifier: MIT
// A map by async keys that forgets the oldest entries when there are too many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "src/replay/async/key_map.h"

namespace umbra::replay {

/// What was put in last is found, `most` / 2 entries at least. For what nobody tells the end of.
/// Keys are not 0.
template <typename Value>
class RecentMap {
  public:
    explicit RecentMap(size_t most) : most_(most) {}

    /// Null: it is not there (any more). Good until something is put in or taken.
    [[nodiscard]] Value* find(uint32_t key) {
        Value* known = young_.find(key);
        return known != nullptr ? known : old_.find(key);
    }
    void erase(uint32_t key) {
        young_.erase(key);
        old_.erase(key);
    }
    /// The value of a key, made where there is none.
    Value& operator[](uint32_t key) {
        if (Value* known = find(key)) {
            return *known;
        }
        if (young_.size() >= most_ / 2) {
            std::swap(young_, old_);
            young_.clear();
        }
        return young_[key];
    }

    void for_each(const auto& change) {
        young_.for_each(change);
        old_.for_each(change);
    }

  private:
    size_t most_;
    KeyMap<Value> young_;
    KeyMap<Value> old_;
};

/// What is suspended, and what has ended lately: a thread that is read later may still tell that it
/// has gone on with that before.
template <typename Value>
class SuspendedMap {
  public:
    SuspendedMap(size_t most, size_t most_ended) : suspended_(most), ended_(most_ended) {}

    /// Null: nobody knows. Good until something is put in, ends or is forgotten.
    [[nodiscard]] const Value* find(uint32_t key) {
        const Value* known = suspended_.find(key);
        return known != nullptr ? known : ended_.find(key);
    }
    /// Null: it has ended, or nobody knows.
    [[nodiscard]] Value* suspended(uint32_t key) { return suspended_.find(key); }
    /// Of what is suspended, made where there is none.
    Value& operator[](uint32_t key) { return suspended_[key]; }
    void end(uint32_t key) {
        if (Value* known = suspended_.find(key)) {
            Value ended = std::move(*known);
            suspended_.erase(key);
            ended_[key] = std::move(ended);
        }
    }
    /// Without having been known to end.
    void forget(uint32_t key) { suspended_.erase(key); }
    void for_each(const auto& change) {
        suspended_.for_each(change);
        ended_.for_each(change);
    }

  private:
    RecentMap<Value> suspended_;
    RecentMap<Value> ended_;
};

}  // namespace umbra::replay
