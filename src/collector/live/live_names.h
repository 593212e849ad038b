// SPDX-License-Identifier: MIT
// LiveNames: display names of functions, made when they are first asked for, and which of them are
// one method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "src/collector/state/name_tables.h"

namespace umbra::collector {

/// A function and the pieces of the same module and name are one method, as a compiler makes them
/// of an async one (profile::is_piece). One thread.
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
    /// Names of functions that are shown together, each of another method, told apart as in a
    /// profile (profile::tell_apart()).
    [[nodiscard]] std::vector<std::string> told_apart(const std::vector<uint32_t>& functions);

  private:
    [[nodiscard]] uint32_t method_of(const protocol::FunctionNamed& named, const Name& made);

    const NameTables& names_;
    std::vector<Name> known_;  ///< by function; Name::name is empty: not made yet
    /// By module's number, name, and token of the function that is no piece; that of the first is
    /// 0.
    std::map<std::tuple<uint32_t, std::string, uint32_t>, uint32_t> methods_;
    std::map<uint32_t, uint32_t> first_token_;  ///< by method: what stands for the 0 above
};

}  // namespace umbra::collector
