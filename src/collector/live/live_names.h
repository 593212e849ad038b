// SPDX-License-Identifier: MIT
// LiveNames: display names of functions, made when they are first asked for, and which of them are
// one method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/collector/state/name_tables.h"

namespace umbra::collector {

/// Functions of the same module and name are one method, as a compiler makes several of an async
/// one (profile::is_piece). One thread.
class LiveNames {
  public:
    static constexpr uint32_t kNoMethod = UINT32_MAX;

    struct Name {
        std::string name;
        std::string module;
        uint32_t method = kNoMethod;  ///< number from 0; kNoMethod: nobody has named it yet
        bool piece = false;
    };

    /// `names` must outlive it.
    explicit LiveNames(const NameTables& names) : names_(names) {}

    /// The name of a function, if it is known without making it; null: it is not.
    [[nodiscard]] const Name* known(uint32_t function) const;
    /// Makes it if need be. Of one that nobody has named, "function 7 (name unknown)".
    const Name& name(uint32_t function);
    [[nodiscard]] size_t methods() const { return methods_.size(); }

  private:
    const NameTables& names_;
    std::vector<Name> known_;  ///< by function; Name::name is empty: not made yet
    std::map<std::pair<uint32_t, std::string>, uint32_t> methods_;  ///< by module's number and name
};

}  // namespace umbra::collector
