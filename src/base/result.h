// SPDX-License-Identifier: MIT
// Result and Error: how everything outside the hot path reports failure.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace umbra {

enum class ErrorCode {
    kSystem,        ///< a system call failed; os_error says how
    kNotFound,      ///< a file, program or directory does not exist
    kNotAProfile,   ///< the file is readable, but not a profile of umbra
    kOtherSchema,   ///< the file was written by an umbra that is much newer or older
    kCorrupt,       ///< the data contradicts itself
    kRefused,       ///< the other side said no; context says why
    kVersion,       ///< the other side speaks another protocol version
    kUnsupported,   ///< this machine or kernel lacks something; context says what
    kInvalid,       ///< an argument makes no sense
    kTimedOut,      ///< the other side did not answer in time
    kUnprepared,    ///< the process was started without the agent
    kNotListening,  ///< the agent is in the process, and does not listen, or not yet
};

/// What was tried, on what, and what the user can do, in one sentence.
struct Error {
    ErrorCode code = ErrorCode::kSystem;
    int os_error = 0;  ///< errno at the failing call; 0 = none
    std::string context;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string context, int os_error = 0) {
    return tl::unexpected<Error>(Error{code, os_error, std::move(context)});
}

}  // namespace umbra
