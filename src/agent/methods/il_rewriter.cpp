// SPDX-License-Identifier: MIT
#include "src/agent/methods/il_rewriter.h"

#include <utility>

#include "src/clr/metadata_reader.h"

namespace umbra::agent {
namespace {

constexpr uint32_t kOpenForRead = 0;
constexpr uint32_t kOpenForWrite = 1;

tl::unexpected<std::string> refused(const char* why) {
    return tl::unexpected<std::string>(why);
}

clr::mdSignature token_of(clr::IMetaDataEmit& emit, il::Bytes signature) {
    clr::mdSignature token = 0;
    const clr::HRESULT status =
        emit.GetTokenFromSig(signature.data(), static_cast<uint32_t>(signature.size()), &token);
    return clr::succeeded(status) ? token : 0;
}

}  // namespace

bool IlRewriter::open(clr::ModuleID id, Module& module) {
    clr::ComPtr<clr::IUnknown> unknown;
    if (clr::failed(info_.GetModuleMetaData(id, kOpenForRead | kOpenForWrite,
                                            clr::IMetaDataEmit::kIid, unknown.put())) ||
        !unknown ||
        clr::failed(unknown->QueryInterface(clr::IMetaDataEmit::kIid, module.emit.put_void())) ||
        !module.emit) {
        return false;
    }
    module.probe = token_of(*module.emit.get(), il::kProbeSignature);
    return module.probe != 0;
}

IlRewriter::Tokens IlRewriter::tokens(clr::ModuleID id, clr::mdMethodDef method, il::Bytes locals) {
    const std::lock_guard lock(mutex_);
    Module& module = modules_[id];
    if (module.probe == 0 && !open(id, module)) {
        return {};
    }
    clr::mdSignature& token = module.locals[method];
    if (token == 0) {
        token = token_of(*module.emit.get(), locals);
    }
    return {.probe = module.probe, .locals = token};
}

tl::expected<il::Instrumented, std::string> IlRewriter::rewrite(clr::ModuleID module,
                                                                clr::mdMethodDef method,
                                                                uint64_t client_id) {
    const uint8_t* header = nullptr;
    uint32_t bytes = 0;
    if (clr::failed(info_.GetILFunctionBody(module, method, &header, &bytes)) ||
        header == nullptr) {
        return refused("the runtime does not tell its code");
    }
    const auto body = il::MethodBody::parse({header, bytes});
    const auto metadata = clr::MetadataReader::of_module(info_, module);
    const auto properties = metadata ? metadata->method(method) : std::nullopt;
    const auto result = properties ? il::return_type(properties->signature) : std::nullopt;
    if (!body || !result) {
        return refused(il::reason(il::Refusal::kMalformed));
    }
    const il::Bytes own_locals =
        body->local_signature == 0 ? il::Bytes() : metadata->signature(body->local_signature);
    const auto locals = il::probe_locals(own_locals, *result);
    if (!locals || (own_locals.empty() && body->local_signature != 0)) {
        return refused("the signature of its locals is malformed");
    }
    const Tokens tokens = this->tokens(module, method, locals->signature);
    if (tokens.locals == 0) {
        return refused("its module's metadata cannot be written to");
    }
    auto made = il::instrument(
        *body,
        {.client_id = client_id, .enter = enter_, .leave = leave_, .signature = tokens.probe},
        *locals, tokens.locals);
    if (!made) {
        return refused(il::reason(made.error()));
    }
    return *std::move(made);
}

void IlRewriter::forget_module(clr::ModuleID module) {
    const std::lock_guard lock(mutex_);
    modules_.erase(module);
}

}  // namespace umbra::agent
