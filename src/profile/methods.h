// SPDX-License-Identifier: MIT
// Methods as the user wrote them: compilers cut async methods and iterators into pieces, and each
// piece is a function of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/profile/profile.h"

namespace umbra::profile {

/// The function runs once from each await or yield to the next: the body of a state machine
/// (MoveNext, GenerateNext), or code that the runtime suspends. Another one, which bears the
/// method's own name, only starts it.
[[nodiscard]] bool is_piece(const Function& function);

/// Namespace.Type.Method without generic arguments and parameters, as patterns are matched against.
[[nodiscard]] std::string qualified_name(const Function& function);
/// Namespace.Type.Method as in metadata, without generic arguments and arity, '.' between nested
/// types: what `umbra run --include` matches patterns against.
[[nodiscard]] std::string qualified_raw_name(const Function& function);

/// File name of the function's module; empty where the profile names none.
[[nodiscard]] std::string_view module_name(const Profile& profile, const Function& function);

/// A runtime of a profile that has several: its version, "9.0.18", with its number where others are
/// of the same ("9.0.18#2"). Empty where there is one, or where `runtime` is kNone.
[[nodiscard]] std::string runtime_label(const Profile& profile, Row runtime);
/// A module for who shows a module alone: its name, with the runtime before it where there are
/// several ("9.0.18/app.dll").
[[nodiscard]] std::string module_label(const Profile& profile, Row module);
struct SourcePlace {
    std::string file;
    uint32_t line = 0;  ///< 0: none
};

/// What stands where a format wants a source file: the file, else the module's label, which may be
/// empty. Of several runtimes always the module's label: nothing else in such a format tells them
/// apart.
[[nodiscard]] SourcePlace source_place(const Profile& profile, const Function& function);

/// How many methods have been seen that are part of their callers.
[[nodiscard]] std::size_t trivial_methods(const Profile& profile);
/// Why there is no row: some of the functions that are wanted are trivial, and how to time them.
/// Empty: none is. `wanted`: by row.
[[nodiscard]] std::string trivial_among(const Profile& profile, const std::vector<bool>& wanted);

/// Which functions are one method.
struct Methods {
    std::vector<Row> method_of;      ///< by row of functions: the first function of its method
    std::vector<bool> piece;         ///< by row of functions: a piece, shown with its method
    bool fold = false;               ///< pieces belong to their methods
    std::vector<bool> counts_calls;  ///< by row of functions: its calls are calls of the method
};

/// `fold`: pieces belong to the function of the same name and module (see name_without()), which is
/// called once for each call of the method; without such a function, the runs of the pieces count
/// as calls. So do async variants, whose calls are those of the method that did not come to the
/// other function. Otherwise every function is a method.
[[nodiscard]] Methods methods(const Profile& profile, bool fold);

}  // namespace umbra::profile
