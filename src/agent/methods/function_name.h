// SPDX-License-Identifier: MIT
// From what the metadata says of a method to the message that tells the collector.
#pragma once

#include <utility>

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
}

}  // namespace umbra::agent
