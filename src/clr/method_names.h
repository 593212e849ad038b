// SPDX-License-Identifier: MIT
// What a FunctionID and a ClassID are called: the pieces of a name, exact generic arguments
// included.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/clr/image_metadata.h"
#include "src/clr/info.h"

namespace umbra::clr {

/// The raw names of one method instantiation. What cannot be found out stays empty.
struct MethodName {
    ModuleID module = 0;
    mdToken token = 0;
    std::string namespace_;
    /// Enclosing types outermost first, '+' between them, generic arguments in C# spelling:
    /// "Outer<int>+<>c__DisplayClass3_0". Arguments shared by all reference types are shown by the
    /// name of the generic parameter: "Outer<T>".
    std::string type;
    std::string method;  ///< metadata name: ".ctor", "MoveNext", "<Run>b__1"
    /// "<string, T>" or empty. A local function repeats the generic parameters of the method around
    /// it: "<T>.<V>" are the method's and its own, where the method can be found. Of a state
    /// machine's MoveNext, those of the method it was made from, as far as that is known.
    std::string method_args;
    std::string parameters;   ///< "(int, out string, params List<string>)"
    std::string return_type;  ///< "int"; "void modreq(IsExternalInit)" of an init accessor
    /// Parameters of the method a state machine was made from ("(int)"); empty for all but the
    /// MoveNext of a state machine, which F# calls GenerateNext in sequences.
    std::string user_parameters;
    bool is_static = false;
    bool runtime_async = false;  ///< the runtime suspends it (kAsyncCode)
};

/// What the runtime knows of a function.
struct Instantiation {
    ClassID class_id = 0;
    ModuleID module = 0;
    mdToken token = 0;
    std::vector<ClassID> method_arguments;  ///< empty as well where it does not tell
};

/// Call it on a thread that may block, never in a hook. Nothing: the runtime does not know it.
std::optional<Instantiation> instantiation_of(ICorProfilerInfo3& info, FunctionID function);

/// Asks the runtime and reads metadata: call it on a thread that may block, never in a hook, and
/// while the function's module is loaded. Nothing is kept between calls.
Result<MethodName> method_name(ICorProfilerInfo3& info, FunctionID function);

/// Of a method with all its instantiations: generic arguments are shown by the names of their
/// parameters. Asks the runtime and reads metadata: call it on a thread that may block, never in a
/// hook, and while the module is loaded.
Result<MethodName> method_name(ICorProfilerInfo3& info, ModuleID module, mdMethodDef method);

/// Of a method of a module's file, with all its instantiations: generic arguments are shown by the
/// names of their parameters. Needs no runtime; `module` stays 0. Nothing: the file has no such
/// method.
std::optional<MethodName> method_name(const ImageMetadata& image, mdMethodDef method);

/// "System.InvalidOperationException", "Acme.Outer.Failure<int>", "int[]"; empty if the runtime
/// does not tell. Asks the runtime and reads metadata: call it on a thread that may block, never in
/// a hook, and while the type's module is loaded.
std::string class_name(ICorProfilerInfo3& info, ClassID class_id);

}  // namespace umbra::clr
