// SPDX-License-Identifier: MIT
#include "src/agent/link/attach_request.h"

#include <string>
#include <utility>
#include <variant>

#include "src/agent/link/greeting.h"
#include "src/agent/support/guarded.h"
#include "src/agent/support/log.h"
#include "src/agent/support/runtime_admission.h"
#include "src/agent/support/runtime_version.h"
#include "src/protocol/attach_data.h"

namespace umbra::agent {
namespace {

Result<AttachRequest> receive_request(clr::IUnknown* info, const void* bytes, uint32_t count) {
    const auto data = protocol::decode_attach_data(
        {static_cast<const char*>(bytes), bytes == nullptr ? 0 : count});
    if (!data) {
        return fail(ErrorCode::kInvalid, "whoever attached it is not umbra");
    }
    clr::ComPtr<clr::ICorProfilerInfo10> info10;
    if (info == nullptr || !(info10 = clr::query<clr::ICorProfilerInfo10>(*info))) {
        return fail(ErrorCode::kUnsupported, "this runtime lacks ICorProfilerInfo10");
    }
    Result<Channel> channel = Channel::open(data->socket_path);
    if (!channel) {
        return tl::unexpected<Error>(channel.error());
    }
    Result<protocol::HelloAnswer> order = greet(*channel, hello_of(runtime_version(*info10.get())));
    if (!order) {
        return tl::unexpected<Error>(order.error());
    }
    return AttachRequest{std::move(info10), std::move(*channel), std::move(*order)};
}

std::string meaning_of(const protocol::HelloAnswer& order) {
    return std::holds_alternative<protocol::SampleOrder>(order) ? "take samples"
           : std::holds_alternative<protocol::Remain>(order)    ? "stay, for recordings"
                                                                : "record at once";
}

Status admit(const AttachRequest& request, const protocol::HelloAnswer& expected) {
    if (request.order.index() != expected.index()) {
        return fail(ErrorCode::kRefused, "the agent was asked to " + meaning_of(request.order) +
                                             ", but the class that was attached can only " +
                                             meaning_of(expected));
    }
    clr::ICorProfilerInfo10& info = *request.info.get();
    return RuntimeAdmission::of_process().attached(runtime_identity(info), runtime_version(info));
}

}  // namespace

clr::HRESULT answer_attach(clr::IUnknown* info, const void* data, uint32_t bytes,
                           const protocol::HelloAnswer& expected,
                           const std::function<Status(AttachRequest&)>& begin) {
    bool begun = false;
    guarded([&] {
        Result<AttachRequest> request = receive_request(info, data, bytes);
        Status status =
            request ? admit(*request, expected) : Status(tl::unexpected<Error>(request.error()));
        if (status) {
            status = begin(*request);
        }
        begun = status.has_value();
        if (!begun && request) {
            [[maybe_unused]] const Status told =
                request->channel.send(protocol::Notice{status.error().context});
        }
        if (!begun) {
            log_line("not attached: " + status.error().context);
        }
    });
    return begun ? clr::kOk : clr::kProfilerCancelActivation;
}

}  // namespace umbra::agent
