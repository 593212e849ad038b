// SPDX-License-Identifier: MIT
// How the columns and tables of the profile file are declared: from members of the data model.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "export/schema.h"
#include "src/profile/profile.h"

namespace umbra::schema {

template <typename T>
struct OwnerOf;
template <typename Owner, typename Member>
struct OwnerOf<Member Owner::*> {
    using type = Owner;
};

template <typename T>
constexpr Type type_of() {
    if constexpr (std::is_same_v<T, uint64_t>) {
        return Type::kInt64;
    } else if constexpr (std::is_same_v<T, uint32_t>) {
        return Type::kUInt32;
    } else if constexpr (std::is_same_v<T, double>) {
        return Type::kFloat64;
    } else if constexpr (std::is_same_v<T, bool>) {
        return Type::kBool;
    } else {
        static_assert(std::is_same_v<T, std::string>);
        return Type::kString;
    }
}

/// A column that shows the member reached by First, then Rest: column<&Edge::times,
/// &CallTimes::calls>(...) is `row.times.calls`.
template <auto First, auto... Rest>
constexpr Column column(std::string_view name, std::string_view units,
                        std::string_view description) {
    using Row = typename OwnerOf<decltype(First)>::type;
    Column made;
    made.name = name;
    made.units = units;
    made.description = description;
    made.get = [](const void* row) -> const void* {
        return &(((static_cast<const Row*>(row)->*First).*....*Rest));
    };
    made.get_mutable = [](void* row) -> void* {
        return &(((static_cast<Row*>(row)->*First).*....*Rest));
    };
    made.type =
        type_of<std::remove_cvref_t<decltype(((std::declval<Row&>().*First).*....*Rest))>>();
    return made;
}

/// A column for an attribute of the root.
template <auto First, auto... Rest>
constexpr Column attribute(std::string_view name, std::string_view units,
                           std::string_view description) {
    Column made = column<First, Rest...>(name, units, description);
    if (made.type == Type::kBool) {
        made.type = Type::kFlag;
    }
    return made;
}

/// A column of row numbers of `table`.
template <auto Member>
constexpr Column row_of(std::string_view table, std::string_view name,
                        std::string_view description) {
    Column made = column<Member>(name, {}, description);
    made.type = Type::kRow;
    made.refers_to = table;
    return made;
}

/// A column of row numbers of `table`, or profile::kNone where there is no row.
template <auto Member>
constexpr Column row_or_none(std::string_view table, std::string_view name,
                             std::string_view description) {
    Column made = row_of<Member>(table, name, description);
    made.type = Type::kRowOrNone;
    return made;
}

/// The columns of both, in this order.
template <std::size_t A, std::size_t B>
constexpr std::array<Column, A + B> operator+(const std::array<Column, A>& a,
                                              const std::array<Column, B>& b) {
    std::array<Column, A + B> joined{};
    for (std::size_t i = 0; i < A; ++i) {
        joined[i] = a[i];
    }
    for (std::size_t i = 0; i < B; ++i) {
        joined[A + i] = b[i];
    }
    return joined;
}

/// A table whose rows are in the member of a profile.
template <auto Member>
constexpr Table table(std::string_view name, std::span<const Column> columns,
                      std::string_view description) {
    using Vector = std::remove_cvref_t<decltype(std::declval<profile::Profile&>().*Member)>;
    Table made;
    made.name = name;
    made.description = description;
    made.columns = columns;
    made.rows = [](const profile::Profile& profile) {
        const Vector& rows = profile.*Member;
        return Rows{reinterpret_cast<const std::byte*>(rows.data()),
                    sizeof(typename Vector::value_type), rows.size()};
    };
    made.resize = [](profile::Profile& profile, std::size_t count) {
        Vector& rows = profile.*Member;
        rows.resize(count);
        return MutableRows{reinterpret_cast<std::byte*>(rows.data()),
                           sizeof(typename Vector::value_type), rows.size()};
    };
    return made;
}

}  // namespace umbra::schema
