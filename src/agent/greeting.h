// SPDX-License-Identifier: MIT
// How an agent introduces itself.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "src/agent/link/channel.h"
#include "src/base/result.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

/// What every Hello says. `runtime`: see runtime_version().
[[nodiscard]] protocol::Hello hello_of(std::string runtime);

/// Says Hello, with a descriptor unless `fd` is -1, and waits for the answer.
[[nodiscard]] Result<protocol::HelloAnswer> greet(Channel& channel, const protocol::Hello& hello,
                                                  int fd = -1);

/// Says Hello, with a descriptor unless `fd` is -1, and waits for the answer, which must be a
/// `Wanted`. Errors: kRefused, with the collector's reason; kVersion, if it answers anything else;
/// those of greet().
template <protocol::PartOf<protocol::HelloAnswer> Wanted>
[[nodiscard]] Result<Wanted> greet_for(Channel& channel, const protocol::Hello& hello,
                                       int fd = -1) {
    Result<protocol::HelloAnswer> answer = greet(channel, hello, fd);
    if (!answer) {
        return tl::unexpected<Error>(answer.error());
    }
    if (const auto* refuse = std::get_if<protocol::Refuse>(&*answer)) {
        return fail(ErrorCode::kRefused, "umbra refuses this process: " + refuse->reason);
    }
    if (auto* wanted = std::get_if<Wanted>(&*answer)) {
        return std::move(*wanted);
    }
    return fail(ErrorCode::kVersion, "umbra answered Hello with something else");
}

}  // namespace umbra::agent
