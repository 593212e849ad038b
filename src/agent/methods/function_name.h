// SPDX-License-Identifier: MIT
// From what the metadata says of a method to what it is called in messages and patterns.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "src/base/pattern_name.h"
#include "src/clr/metadata_reader.h"
#include "src/clr/method_names.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

/// Everything but index and module, which are numbers of the agent's own.
inline void set_name(clr::MethodName name, protocol::FunctionNamed& named) {
    named.token = name.token;
    named.namespace_ = std::move(name.namespace_);
    named.type = std::move(name.type);
    named.method = std::move(name.method);
    named.method_args = std::move(name.method_args);
    named.return_type = std::move(name.return_type);
    named.parameters = std::move(name.parameters);
    named.user_parameters = std::move(name.user_parameters);
    named.is_static = name.is_static;
    named.runtime_async = name.runtime_async;
}

/// What patterns are written against, "Acme.Cart.Add". None: there is no such method.
inline std::optional<std::string> name_in_patterns(const clr::MetadataReader& metadata,
                                                   clr::mdMethodDef token) {
    const auto method = metadata.method(token);
    return method
               ? std::optional(pattern_name(metadata.full_name(method->type)) + '.' + method->name)
               : std::nullopt;
}

}  // namespace umbra::agent
