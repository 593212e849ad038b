// SPDX-License-Identifier: MIT
// A map by async keys that forgets the oldest entries when there are too many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace umbra::replay {

/// What was put in last is found, `most` / 2 entries at least. For what nobody tells the end of.
template <typename Value>
class RecentMap {
  public:
    explicit RecentMap(size_t most) : most_(most) {}

    /// Null: it is not there (any more). Good until something is put in or taken.
    [[nodiscard]] Value* find(uint32_t key) {
        for (auto* entries : {&young_, &old_}) {
            if (const auto place = entries->find(key); place != entries->end()) {
                return &place->second;
            }
        }
        return nullptr;
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
            old_ = std::exchange(young_, {});
        }
        return young_[key];
    }

    [[nodiscard]] bool empty() const { return young_.empty() && old_.empty(); }
    void for_each(const auto& change) {
        for (auto* entries : {&young_, &old_}) {
            for (auto& [key, value] : *entries) {
                change(value);
            }
        }
    }

  private:
    size_t most_;
    std::unordered_map<uint32_t, Value> young_;
    std::unordered_map<uint32_t, Value> old_;
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
