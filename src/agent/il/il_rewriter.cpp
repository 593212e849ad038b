// SPDX-License-Identifier: MIT
#include "src/agent/il/il_rewriter.h"

#include <set>
#include <utility>

#include "hotpath/arguments.h"
#include "hotpath/async_calls.h"
#include "src/clr/metadata_reader.h"

namespace umbra::agent {
namespace {

tl::unexpected<std::string> refused(const char* why) {
    return tl::unexpected<std::string>(why);
}

constexpr char kRefusedSuspension[] =
    "the runtime suspends it (runtime async), which probes in the IL can follow on .NET 11, "
    "outside the core library and without --no-async; a program started with the variables of "
    "'umbra env' is timed by hooks";

template <typename... Values>
uint64_t address_of(void (*function)(Values...) noexcept) {
    return reinterpret_cast<uintptr_t>(function);
}

/// Tokens of what the body calls to await something, ascending.
std::vector<uint32_t> awaits_in(const il::MethodBody& body, const clr::MetadataReader& metadata) {
    const clr::TypeChain helpers{.namespace_ = "System.Runtime.CompilerServices",
                                 .names = {"AsyncHelpers"}};
    std::set<uint32_t> called;
    il::for_instructions(body.code, [&](const il::Instruction& one) {
        if (one.is_call()) {
            called.insert(one.number(body.code));
        }
    });
    std::erase_if(called, [&](uint32_t token) {
        const clr::TypeChain type = metadata.foreign_type_called(token);
        return type.namespace_ != helpers.namespace_ || type.names != helpers.names;
    });
    return {called.begin(), called.end()};
}

}  // namespace

clr::mdSignature IlRewriter::token_of(clr::IMetaDataEmit& emit, il::Bytes signature) {
    clr::mdSignature token = 0;
    const clr::HRESULT status =
        emit.GetTokenFromSig(signature.data(), static_cast<uint32_t>(signature.size()), &token);
    return clr::succeeded(status) ? token : 0;
}

bool IlRewriter::open(clr::ModuleID id, Module& module) {
    module.emit = metadata_.find(id);
    module.probe = module.emit != nullptr ? token_of(*module.emit, il::kProbeSignature) : 0;
    return module.probe != 0;
}

clr::mdSignature IlRewriter::locals_token(clr::ModuleID id, clr::mdMethodDef method,
                                          il::Bytes locals) {
    Module& module = modules_[id];
    if (module.probe == 0 && !open(id, module)) {
        return 0;
    }
    clr::mdSignature& token = module.locals[method];
    if (token == 0) {
        token = token_of(*module.emit, locals);
    }
    return token;
}

clr::mdMemberRef IlRewriter::count_token(Module& module, il::Bytes type) {
    constexpr uint8_t kReturnsInt[] = {0x20, 0x00, clr::ELEMENT_TYPE_I4};
    clr::mdMemberRef& token = module.counts[{type.begin(), type.end()}];
    clr::mdTypeSpec spec = 0;
    if (token == 0 &&
        clr::succeeded(module.emit->GetTokenFromTypeSpec(
            type.data(), static_cast<uint32_t>(type.size()), &spec)) &&
        clr::failed(module.emit->DefineMemberRef(spec, u"get_Count", kReturnsInt,
                                                 sizeof kReturnsInt, &token))) {
        token = 0;
    }
    return token;
}

bool IlRewriter::add_arguments(Module& module, const MethodProbes& method, il::Probes& probes) {
    if (module.number == 0) {
        module.number = token_of(*module.emit, il::kNumberSignature);
        module.real = token_of(*module.emit, il::kRealSignature);
        module.object = token_of(*module.emit, il::kObjectSignature);
    }
    const auto function = [&](ArgumentCall call) -> il::NativeFunction {
        switch (call) {
            case ArgumentCall::kReal:
                return {address_of(umbra_argument_real), module.real};
            case ArgumentCall::kText:
                return {address_of(umbra_argument_text), module.object};
            case ArgumentCall::kLength:
                return {address_of(umbra_argument_length), module.object};
            case ArgumentCall::kSpanLength:
                return {address_of(umbra_argument_span_length), module.probe};
            case ArgumentCall::kMemoryLength:
                return {address_of(umbra_argument_memory_length), module.probe};
            case ArgumentCall::kNumber:
                break;
        }
        return {address_of(umbra_argument_number), module.number};
    };
    bool all = true;
    for (const Argument& argument : method.arguments) {
        il::ArgumentProbe probe;
        probe.number = argument.number;
        probe.source = argument.source;
        probe.form = argument.type.form;
        probe.function = function(argument.type.call);
        if (!argument.type.counted.empty()) {
            probe.getter = count_token(module, argument.type.counted);
            probe.null_function = {address_of(umbra_argument_null), module.number};
            all = all && probe.getter != 0;
        }
        probes.arguments.push_back(probe);
    }
    probes.arguments_end = {address_of(umbra_arguments_end), module.number};
    probes.function = method.index;
    return all && module.number != 0 && module.real != 0 && module.object != 0;
}

bool IlRewriter::add_suspension(Module& module, const clr::MetadataReader& metadata,
                                const il::MethodBody& body, uint32_t runtime, il::Probes& probes) {
    if (module.async == 0) {
        module.async = token_of(*module.emit, il::kAsyncSignature);
    }
    probes.suspension = {.awaits = awaits_in(body, metadata),
                         .failed = {address_of(umbra_async_faulted), module.async},
                         .runtime = runtime};
    return module.async != 0;
}

tl::expected<il::Instrumented, std::string> IlRewriter::rewrite(clr::ModuleID module,
                                                                clr::mdMethodDef method,
                                                                const MethodProbes& asked) {
    const clr::Bytes code = clr::method_code(info_, module, method);
    if (code.empty()) {
        return refused("the runtime does not tell its code");
    }
    const auto body = il::MethodBody::parse(code);
    const auto metadata = clr::MetadataReader::of_module(info_, module);
    const auto properties = metadata ? metadata->method(method) : std::nullopt;
    auto result = properties ? il::return_type(properties->signature) : std::nullopt;
    const bool suspends = properties && (properties->implementation & clr::kAsyncCode) != 0;
    if (suspends && !asked.runtime) {
        return refused(kRefusedSuspension);
    }
    result = result && suspends ? il::result_in_task(*result) : result;
    if (!body || !result) {
        return refused(il::reason(il::Refusal::kMalformed));
    }
    const il::Bytes own_locals =
        body->local_signature == 0 ? il::Bytes() : metadata->signature(body->local_signature);
    const auto locals = il::probe_locals(own_locals, *result, suspends);
    if (!locals || (own_locals.empty() && body->local_signature != 0)) {
        return refused("the signature of its locals is malformed");
    }
    il::Probes probes;
    probes.client_id = asked.client_id;
    probes.enter = enter_;
    probes.leave = leave_;
    clr::mdSignature locals_token = 0;
    {
        const std::lock_guard lock(mutex_);
        locals_token = this->locals_token(module, method, locals->signature);
        Module& known = modules_[module];
        probes.signature = known.probe;
        if (locals_token == 0 ||
            (!asked.arguments.empty() && !add_arguments(known, asked, probes)) ||
            (suspends && !add_suspension(known, *metadata, *body, *asked.runtime, probes))) {
            return refused("its module's metadata cannot be written to");
        }
    }
    auto made = il::instrument(*body, probes, *locals, locals_token);
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
