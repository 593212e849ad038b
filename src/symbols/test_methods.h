// SPDX-License-Identifier: MIT
// Which methods of a module a test framework runs, from the custom attributes in its metadata.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/clr/bytes.h"

namespace umbra::symbols {

struct TestMethod {
    uint32_t row = 0;            ///< of the table of methods, from 1
    std::string_view framework;  ///< "xUnit", "NUnit", "MSTest", "TUnit"; lives for ever
};

/// The image of an assembly that lies beside the module, by its simple name, which may be any text.
/// Empty: there is none.
using ReadAssembly = std::function<std::vector<uint8_t>(const std::string& name)>;

/// Methods with an attribute of a test framework, or with one whose type extends such an attribute,
/// at whatever distance, in this module or in assemblies beside it. Ordered by row, each once.
/// `image`: the bytes of a module's file, whatever they are. Reads at most 16 assemblies.
[[nodiscard]] std::vector<TestMethod> test_methods(clr::Bytes image, const ReadAssembly& read);

}  // namespace umbra::symbols
