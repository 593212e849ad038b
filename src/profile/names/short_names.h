// SPDX-License-Identifier: MIT
// Names for tools that have little room for them.
#pragma once

#include "src/profile/profile.h"

namespace umbra::profile {

/// Calls each function by its type and method: "Cart.Add" for "Acme.Cart.Add(Item, int)". Those
/// that would then have one name keep their parameters, and where that does not do the whole name,
/// so that each name is there once, as before.
void shorten_names(Profile& profile);

}  // namespace umbra::profile
