// SPDX-License-Identifier: MIT
// Values of arguments as a user reads them.
#pragma once

#include <string>

#include "src/protocol/messages.h"
#include "src/replay/argument_table.h"

namespace umbra::collector {

/// `content` as C# would write it, in printable UTF-8: 17, -0.5, true, 'x', "a \"b\"\n", null,
/// Friday, Read | Write. Of a long string the beginning: "abc"... (120 chars). Different contents
/// give different texts, whatever the content, as long as the constants of an enum have different
/// names. `named` tells how the bits are read; null: nobody has said.
[[nodiscard]] std::string argument_text(const replay::ArgumentContent& content,
                                        const protocol::ArgumentNamed* named);

}  // namespace umbra::collector
