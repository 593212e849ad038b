// SPDX-License-Identifier: MIT
// How an agent introduces itself.
#pragma once

#include <string>

#include "src/agent/link/channel.h"
#include "src/base/result.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

/// What every Hello says. `runtime`: see runtime_version().
[[nodiscard]] protocol::Hello hello_of(std::string runtime);

/// Says Hello, with a descriptor unless `fd` is -1, and waits for the answer, which is never a
/// Refuse. Errors: kRefused, with the collector's reason; kVersion, if it says what is no answer;
/// those of the channel.
[[nodiscard]] Result<protocol::HelloAnswer> greet(Channel& channel, const protocol::Hello& hello,
                                                  int fd = -1);

}  // namespace umbra::agent
