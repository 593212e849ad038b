// SPDX-License-Identifier: MIT
// WatchedMethods: whose slowest calls the collector is to keep, and for which request.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/pattern.h"

namespace umbra::agent {

/// Immutable after construction; any thread.
class WatchedMethods {
  public:
    WatchedMethods() = default;
    /// `requests`: those of protocol::Welcome; what is none of them matches nothing.
    explicit WatchedMethods(const std::vector<std::string>& requests);

    [[nodiscard]] bool any() const { return !patterns_.empty(); }
    /// The number of the first request that takes a method, from 1; 0: none does. `name` as
    /// Selection::selects has it; the request may be written for either name.
    [[nodiscard]] uint8_t request_of(std::string_view module, std::string_view name) const;
    /// Of the requests written for methods of one name, one takes it.
    [[nodiscard]] bool names(std::string_view module, std::string_view name) const;

  private:
    std::vector<Pattern> patterns_;
};

}  // namespace umbra::agent
