// SPDX-License-Identifier: MIT
#include "src/agent/async/core_probes.h"

#include <optional>
#include <string_view>
#include <utility>

#include "src/agent/il/il_rewriter.h"
#include "src/il/method_body.h"
#include "src/il/signature.h"

namespace umbra::agent {

CoreProbes::CoreProbes(clr::ICorProfilerInfo3& info, WritableMetadata& metadata,
                       clr::ModuleID core_library, CoreMethods methods)
    : info_(info), metadata_(metadata), core_library_(core_library), methods_(std::move(methods)) {
    for (const CorePlace& place : methods_.places) {
        places_.emplace(place.method, &place.probe);
    }
}

bool CoreProbes::find_signatures() {
    if (emit_ == nullptr) {
        emit_ = metadata_.find(core_library_);
        if (emit_ != nullptr) {
            begin_signature_ = IlRewriter::token_of(*emit_, il::kAsyncSignature);
            end_signature_ = IlRewriter::token_of(*emit_, il::kProbeSignature);
        }
    }
    return begin_signature_ != 0 && end_signature_ != 0;
}

clr::mdSignature CoreProbes::locals_token(clr::mdMethodDef method, il::Bytes locals) {
    clr::mdSignature& token = locals_[method];
    if (token == 0) {
        token = IlRewriter::token_of(*emit_, locals);
    }
    return token;
}

tl::expected<il::Instrumented, std::string> CoreProbes::rewrite(clr::mdMethodDef method) {
    const auto refused = [](const char* why) { return tl::unexpected<std::string>(why); };
    il::AsyncProbe probe = *places_.at(method);
    const clr::Bytes code = clr::method_code(info_, core_library_, method);
    if (code.empty()) {
        return refused("the runtime does not tell its code");
    }
    const auto body = il::MethodBody::parse(code);
    const auto metadata = clr::MetadataReader::of_module(info_, core_library_);
    const auto properties = metadata ? metadata->method(method) : std::nullopt;
    const auto result = properties ? il::return_type(properties->signature) : std::nullopt;
    if (!body || !result) {
        return refused(il::reason(il::Refusal::kMalformed));
    }
    const il::Bytes own_locals =
        body->local_signature == 0 ? il::Bytes() : metadata->signature(body->local_signature);
    const bool has_end = probe.end.address != 0;
    const auto locals = il::probe_locals(
        own_locals, has_end ? *result : il::ReturnType{.is_void = true, .type = {}});
    if (!locals || (own_locals.empty() && body->local_signature != 0)) {
        return refused("the signature of its locals is malformed");
    }
    clr::mdSignature token = 0;
    {
        const std::lock_guard lock(mutex_);
        token = find_signatures() ? locals_token(method, locals->signature) : 0;
        probe.begin.signature = begin_signature_;
        probe.end.signature = end_signature_;
    }
    if (token == 0) {
        return refused("the core library's metadata cannot be written to");
    }
    auto made = il::instrument(*body, probe, methods_.tokens, *locals, token);
    if (!made) {
        return refused(il::reason(made.error()));
    }
    return *std::move(made);
}

}  // namespace umbra::agent
