// SPDX-License-Identifier: MIT
// What umbra asks of a running .NET runtime.
#include "src/diagnostics/client.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "src/base/guid.h"
#include "src/diagnostics/error_messages.h"
#include "src/diagnostics/exchange.h"
#include "src/diagnostics/target_check.h"
#include "src/diagnostics/wire.h"

namespace umbra::diagnostics {
namespace {

constexpr auto kCommandRetryStep = std::chrono::milliseconds(100);
constexpr size_t kCookieBytes = 16;

std::optional<RuntimeInfo> parse_info(const Bytes& payload, Command command) {
    PayloadReader reader(payload);
    if (!reader.u64() || !reader.skip(kCookieBytes)) {  // first the number of the process
        return std::nullopt;
    }
    // Command line, system, architecture; of the newer command entry assembly and version as well.
    std::array<std::string, 5> texts;
    for (std::string& text : std::span(texts).first(command == Command::kProcessInfo ? 3 : 5)) {
        std::optional<std::string> told = reader.string();
        if (!told) {
            return std::nullopt;
        }
        text = *std::move(told);
    }
    return RuntimeInfo{.architecture = std::move(texts[2]), .version = std::move(texts[4])};
}

/// Runtimes before .NET 6 answer a command they do not know with one error, newer ones with
/// another.
bool is_unknown_command(int32_t hresult) {
    return hresult == kUnknownCommand || hresult == kNotSupported;
}

/// It has not come far enough yet; a moment later it will have.
bool is_passing(int32_t hresult) {
    return hresult == kNotYetAvailable || hresult == kRuntimeUninitialized ||
           hresult == kProfilerDetaching;
}

tl::unexpected<Error> refused(const Endpoint& endpoint, int32_t hresult) {
    std::string what = sentence_of(hresult);
    if (hresult == kProfilerAlreadyActive) {
        const LoadedProfiler profiler = loaded_profiler(endpoint.pid);
        if (profiler.kind == LoadedProfiler::Kind::kUmbra) {
            what = fmt::format(
                "umbra's agent is loaded already, and the runtime takes one profiler "
                "only: 'umbra ps' says what it does, and a dormant one is asked by "
                "'umbra start {}'",
                endpoint.pid);
        } else if (!profiler.library.empty()) {
            what = fmt::format("{}; it is {}", what, profiler.library);
        }
    }
    return fail(is_unknown_command(hresult) ? ErrorCode::kUnsupported : ErrorCode::kRefused,
                fmt::format("process {}: {}", endpoint.pid, what));
}

}  // namespace

Result<RuntimeInfo> runtime_info(const Endpoint& endpoint, std::chrono::milliseconds timeout) {
    const Deadline deadline(timeout);
    for (const Command command : {Command::kProcessInfo2, Command::kProcessInfo}) {
        const Result<Reply> reply = ask(endpoint, command, {}, deadline);
        if (!reply) {
            return tl::unexpected<Error>(reply.error());
        }
        if (!reply->is_error) {
            if (std::optional<RuntimeInfo> info = parse_info(reply->payload, command)) {
                return *std::move(info);
            }
            return fail(ErrorCode::kCorrupt,
                        fmt::format("what process {} tells of itself on {} makes no sense",
                                    endpoint.pid, endpoint.path()));
        }
        if (!is_unknown_command(reply->hresult) || command == Command::kProcessInfo) {
            return refused(endpoint, reply->hresult);
        }
    }
    return fail(ErrorCode::kUnsupported, "no command to ask with");
}

Status attach_profiler(const Endpoint& endpoint, const AttachRequest& request) {
    const std::optional<Guid> clsid = parse_guid(request.clsid);
    if (!clsid) {
        return fail(ErrorCode::kInvalid, "not a class id: " + request.clsid);
    }
    if (Status library = check_library(endpoint.pid, request.library); !library) {
        return library;
    }
    const Deadline deadline(request.timeout);
    PayloadWriter payload;
    // The runtime takes milliseconds here: how long it waits for a concurrent collection to end.
    payload.u32(static_cast<uint32_t>(std::clamp<int64_t>(request.timeout.count(), 0, UINT32_MAX)));
    payload.bytes(std::as_bytes(std::span(&*clsid, 1)));
    payload.string(request.library);
    payload.u32(static_cast<uint32_t>(request.data.size()));
    payload.bytes(request.data);
    for (;;) {
        const Result<Reply> reply =
            ask(endpoint, Command::kAttachProfiler, payload.payload(), deadline);
        if (!reply) {
            return tl::unexpected<Error>(reply.error());
        }
        // An OK that carries another HRESULT than S_OK has been seen of no runtime: believe it.
        const int32_t hresult =
            reply->is_error ? reply->hresult
                            : static_cast<int32_t>(PayloadReader(reply->payload).u32().value_or(0));
        if (hresult >= 0 && !reply->is_error) {
            return {};
        }
        if (!is_passing(hresult) || deadline.left() <= kCommandRetryStep) {
            return refused(endpoint, hresult);
        }
        std::this_thread::sleep_for(kCommandRetryStep);
    }
}

}  // namespace umbra::diagnostics
