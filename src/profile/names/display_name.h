// SPDX-License-Identifier: MIT
// From the names in metadata to the names in the source: what a user wrote, not what compilers made
// of it.
#pragma once

#include <string>
#include <string_view>

#include "src/profile/profile.h"

namespace umbra::profile {

/// A method as metadata names it, in pieces; see protocol::FunctionNamed for each of them.
struct RawName {
    std::string namespace_;
    std::string type;  ///< "Cart<int>+<AddAsync>d__3": '+' between nested types
    std::string method;
    std::string method_args;  ///< "<string, T>"; "<T>.<V>" of a local function, see there
    std::string parameters;
    std::string user_parameters;
    std::string return_type;  ///< may be empty; read for conversion operators and kInitOnly
    bool is_static = false;   ///< asked for properties only
};

/// How the return type of an init accessor ends, as in IL.
inline constexpr std::string_view kInitOnly = " modreq(IsExternalInit)";

/// Fills the name fields of `function`: name, namespace_, type, method, signature, return_type and
/// raw_name, all as seen_text() has them.
/// Shown as in the source are:
///   nested types                 Acme.Cart<int>.Line.Sum()
///   constructors, finalizers     Acme.Cart.Cart(int), static Acme.Cart.Cart(), Acme.Cart.~Cart()
///   properties, events           Acme.Cart.Total.get, Acme.Cart.Id.init, Acme.Cart.this[int].set,
///                                Acme.Cart.Sold.add
///   operators                    Acme.Money.operator +(Money, Money), explicit operator int(Money)
///   interface implementations    Acme.Cart.IShop<T>.Buy(T)
///   lambdas, local functions     Acme.Cart.Add.lambda(int), Acme.Cart.Add.lambda#2(),
///                                Acme.Cart.Add.Local(int)
///   async methods, iterators     Acme.Cart.AddAsync(Item), the other methods of their state
///                                machines Acme.Cart.AddAsync.SetStateMachine(...)
///   F# closures, operators       Acme.Shop.make.closure(int), Acme.Shop.(|>>)(int, int)
///   methods without a name       Acme.Cart.(unnamed)(int)
/// A name that matches no rule comes out as it is; any text is allowed in.
void set_display_name(RawName named, Function& function);
/// Of whatever else has the pieces of a RawName.
void set_display_name(const auto& named, Function& function) {
    set_display_name(RawName{.namespace_ = named.namespace_,
                             .type = named.type,
                             .method = named.method,
                             .method_args = named.method_args,
                             .parameters = named.parameters,
                             .user_parameters = named.user_parameters,
                             .return_type = named.return_type,
                             .is_static = named.is_static},
                     function);
}

}  // namespace umbra::profile
