// SPDX-License-Identifier: MIT
// Names of methods as their sources have them, for who writes or copies a pattern.
#pragma once

#include <string>
#include <string_view>

namespace umbra {

/// A method's name as its source has it, from the one in metadata (pattern_name() of the type, '.',
/// the method): "Acme.Orders.<Handle>d__3.MoveNext" is "Acme.Orders.Handle", a lambda in it
/// "Acme.Orders.Handle.lambda", "Acme.Orders.get_Total" "Acme.Orders.Total.get", a constructor
/// "Acme.Orders.Orders", a finalizer "Acme.Orders.~Orders". Others stay as they are.
[[nodiscard]] std::string source_name(std::string_view name);

/// What source_name() says of the same method, from its name as a report shows it: without
/// parameters, generic arguments, the numbers of lambdas and what tells methods of one name apart.
/// "Acme.Cart<int>.Add(Item) [#2]" is "Acme.Cart.Add". Wildcards stay.
[[nodiscard]] std::string written_name(std::string_view shown);

}  // namespace umbra
