// SPDX-License-Identifier: MIT
// The name of the socket on which an umbra that records shows its figures.
#pragma once

#include <string_view>

namespace umbra::protocol {

/// The socket has a name and no file (an abstract one): it ends with the umbra that listens,
/// whatever its end, and does not depend on an environment. Behind the prefix stands what makes it
/// the only one. Anybody in the network namespace can take such a name: who listens, and who asks,
/// is told by SO_PEERCRED alone.
inline constexpr std::string_view kLiveSocketPrefix = "umbra-live-";

}  // namespace umbra::protocol
