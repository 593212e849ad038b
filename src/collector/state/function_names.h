// SPDX-License-Identifier: MIT
// Display names of functions, from what the agent says of them.
#pragma once

#include "src/profile/names/display_name.h"
#include "src/profile/profile.h"
#include "src/protocol/messages.h"

namespace umbra::collector {

/// Sets the name fields of `function`.
inline void set_display_name(const protocol::FunctionNamed& named, profile::Function& function) {
    profile::set_display_name({.namespace_ = named.namespace_,
                               .type = named.type,
                               .method = named.method,
                               .method_args = named.method_args,
                               .parameters = named.parameters,
                               .user_parameters = named.user_parameters,
                               .return_type = named.return_type,
                               .is_static = named.is_static},
                              function);
}

}  // namespace umbra::collector
