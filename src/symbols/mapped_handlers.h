// SPDX-License-Identifier: MIT
// Which methods the code of a web application hands to MapGet and the like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/il/opcodes.h"

namespace umbra::symbols {

/// What is longer is cut, of routes and of what they are made of: bytes of UTF-8.
inline constexpr std::size_t kMostRouteBytes = 1024;

struct MappedHandler {
    uint32_t method = 0;  ///< token, as ldftn has it
    std::string verb;     ///< "GET", "GET|POST"; empty: any
    std::string route;    ///< "/orders/{id}", with the prefixes of its groups
};

/// What a literal stands for, by its token.
using LiteralOf = std::function<std::string(uint32_t token)>;
/// "MapGet" where a call's operand is that method of ASP.NET Core's
/// EndpointRouteBuilderExtensions; empty: it is another method.
using MapMethodOf = std::function<std::string_view(uint32_t token)>;

/// Whether a call's operand is a method of the module to which nothing but a group is handed, as
/// `static void MapOrders(this IEndpointRouteBuilder routes)`.
using TakesGroup = std::function<bool(uint32_t token)>;

/// A call of such a method.
struct HandedGroup {
    uint32_t method = 0;  ///< token
    std::string prefix;   ///< empty: of no group, or of one that is not known
};

struct Mapped {
    std::vector<MappedHandler> handlers;
    std::vector<HandedGroup> handed;
};

/// Follows `code`, any bytes, from its begin to its end without branches: what compilers make of
///
///     RouteGroupBuilder orders = app.MapGroup("/orders");
///     orders.MapGet("/{id}", Handler);
///
/// Handlers and routes that are not written there, but computed, are not found. `prefix`: of the
/// group that is the code's first argument. At most 4,096 of each are told.
[[nodiscard]] Mapped mapped_handlers(il::Bytes code, const LiteralOf& literal_of,
                                     const MapMethodOf& map_method_of,
                                     const TakesGroup& takes_group, std::string_view prefix = {});

/// Two parts of a route: "/api/" and "orders" are "/api/orders".
[[nodiscard]] std::string join_route(std::string_view prefix, std::string_view rest);

}  // namespace umbra::symbols
