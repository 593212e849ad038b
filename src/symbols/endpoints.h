// SPDX-License-Identifier: MIT
// Which methods of a module answer requests in ASP.NET Core, and which requests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/clr/bytes.h"

namespace umbra::symbols {

struct Endpoint {
    uint32_t row = 0;  ///< of the table of methods, from 1
    std::string name;  ///< "GET /orders/{id}"; of several, with ", " between them
};

/// Actions of controllers, by [HttpGet] and the like on the method and [Route] on the method, its
/// type or a base of that in the same module, with [controller] and [action] filled in; and methods
/// that are handed to MapGet and the like, see mapped_handlers(). Ordered by row, each once.
/// `image`: the bytes of a module's file, whatever they are. At most 4,096, with names of some KiB.
[[nodiscard]] std::vector<Endpoint> endpoints(clr::Bytes image);

}  // namespace umbra::symbols
