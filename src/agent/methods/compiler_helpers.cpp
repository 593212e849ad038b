// SPDX-License-Identifier: MIT
#include "src/agent/methods/compiler_helpers.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/clr/bytes.h"
#include "src/il/method_body.h"

namespace umbra::agent {
namespace {

struct HelperType {
    std::string_view namespace_;
    std::string_view name;
    std::vector<std::string_view> methods;
};

// Those that .NET 9.0 looks up so, in the order of its helpers (seen in 9.0.18; the same methods in
// 9.0.23). Its other helpers are native, or are called through an indirection.
std::vector<HelperType> helper_types() {
    return {
        {"System",
         "Math",
         {"ConvertToInt32Checked", "ConvertToUInt32Checked", "ConvertToInt64Checked",
          "ConvertToUInt64Checked"}},
        {"System.Runtime.CompilerServices",
         "CastHelpers",
         {"IsInstanceOfInterface", "IsInstanceOfAny", "IsInstanceOfClass", "ChkCastInterface",
          "ChkCastAny", "ChkCastClass", "ChkCastClassSpecial", "Unbox", "StelemRef", "LdelemaRef"}},
        {"System", "Buffer", {"BulkMoveWithWriteBarrier"}},
        {"System", "SpanHelpers", {"Fill", "ClearWithoutReferences", "Memmove"}},
    };
}

// MethodImplAttributes.
constexpr uint32_t kNoInlining = 0x0008;
constexpr uint32_t kNoOptimization = 0x0040;
constexpr uint32_t kAggressiveInlining = 0x0100;
// Larger code is not inlined unless its method asks for it, whatever a profile says of its calls.
constexpr size_t kMaxInlinedBytes = 1024;

bool is_generic(clr::Bytes signature) {
    constexpr uint8_t kGeneric = 0x10;
    return (clr::load<uint8_t>(signature, 0) & kGeneric) != 0;
}

bool calls(il::Opcode opcode) {
    return opcode == il::Opcode::kCall || opcode == il::Opcode::kCallvirt ||
           opcode == il::Opcode::kNewobj;
}

bool returns(il::Bytes code) {
    bool found = false;
    il::for_instructions(code, [&](const il::Instruction& instruction) {
        found = found || instruction.opcode == il::Opcode::kRet;
    });
    return found;
}

// .NET 9 inlines nothing that handles exceptions.
bool may_be_inlined(const clr::MethodProperties& method, const il::MethodBody& body) {
    return (method.implementation & (kNoInlining | kNoOptimization)) == 0 && body.clauses.empty() &&
           (body.code.size() <= kMaxInlinedBytes ||
            (method.implementation & kAggressiveInlining) != 0);
}

std::vector<clr::mdMethodDef> helpers_in(const clr::MetadataReader& metadata) {
    std::vector<clr::mdMethodDef> found;
    for (const HelperType& type : helper_types()) {
        const clr::mdTypeDef token = metadata.find_type(
            {.namespace_ = std::string(type.namespace_), .names = {std::string(type.name)}});
        for (const std::string_view name : type.methods) {
            for (const clr::mdMethodDef method : metadata.methods_named(token, name)) {
                const auto properties = metadata.method(method);
                if (properties && !is_generic(properties->signature)) {
                    found.push_back(method);
                }
            }
        }
    }
    return found;
}

}  // namespace

CompilerHelpers::CompilerHelpers(const clr::MetadataReader& metadata, const BodyOf& body_of) {
    std::vector<clr::mdMethodDef> rest = helpers_in(metadata);
    methods_.insert(rest.begin(), rest.end());
    const auto look_at = [&](clr::mdMethodDef called) {
        const auto properties = metadata.method(called);
        const auto body = il::MethodBody::parse(body_of(called));
        if (properties && body && may_be_inlined(*properties, *body) &&
            methods_.insert(called).second && returns(body->code)) {
            // What only throws is inlined, so its caller is requested with it; no call in it is.
            rest.push_back(called);
        }
    };
    while (!rest.empty()) {
        const auto body = il::MethodBody::parse(body_of(rest.back()));
        rest.pop_back();
        if (!body) {
            continue;
        }
        il::for_instructions(body->code, [&](const il::Instruction& instruction) {
            if (calls(instruction.opcode) && metadata.image() != nullptr) {
                for (const clr::mdMethodDef called :
                     metadata.image()->methods_called(instruction.number(body->code))) {
                    look_at(called);
                }
            }
        });
    }
}

}  // namespace umbra::agent
