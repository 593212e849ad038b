// SPDX-License-Identifier: MIT
// From the name of a method in metadata to the names in the source.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/profile/names/display_name.h"
#include "src/profile/names/name_parts.h"

namespace umbra::profile {

/// A method as the source names it: the methods around it, outermost first, and its own name last.
struct MethodPath {
    Names names;
    bool accessor = false;  ///< "Total.get": shown without parameters
    bool lambda = false;    ///< has no generic parameters of its own
};

/// Takes a method name apart. `type` is the simple name of the type around it, for constructors;
/// `raw` is kept by reference.
class MethodNamer {
  public:
    MethodNamer(std::string_view type, const RawName& raw) : type_(type), raw_(raw) {}

    /// `own`: the method itself, whose parameters are known, not one around it.
    [[nodiscard]] MethodPath path(std::string_view name, bool own, int depth = 0) const;

  private:
    [[nodiscard]] std::optional<MethodPath> compiler_made(std::string_view name, bool own,
                                                          int depth) const;
    [[nodiscard]] std::optional<MethodPath> explicit_implementation(std::string_view name, bool own,
                                                                    int depth) const;
    [[nodiscard]] std::optional<MethodPath> accessor(std::string_view name, bool own) const;
    [[nodiscard]] std::string indexes(bool own, bool writes) const;
    [[nodiscard]] std::string plain(std::string_view name, bool own) const;
    [[nodiscard]] std::string operator_name(std::string_view name, bool own) const;

    std::string type_;
    const RawName& raw_;
};

}  // namespace umbra::profile
