// SPDX-License-Identifier: MIT
#include "src/il/method_judge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "src/clr/metadata_schema.h"
#include "src/clr/signature.h"

namespace umbra::il {
namespace {

using clr::mdMethodDef;
using clr::mdToken;

// A method that calls has six bytes: what lies deeper is too much together.
constexpr size_t kMostDepth = kMostBytesTogether / 6 + 1;
// From an assembly that forwards a type to the one that has it.
constexpr int kMostForwards = 8;
constexpr size_t kMostNesting = 64;
// A finding as a byte: 0 none yet, up to kMostBytesTogether the bytes of a trivial method, others
// from here on.
constexpr uint8_t kFirstOther = 0x80;

uint8_t packed(const Judgement& judgement) {
    return judgement.finding == Finding::kTrivial
               ? static_cast<uint8_t>(judgement.bytes)
               : static_cast<uint8_t>(kFirstOther + static_cast<uint8_t>(judgement.finding));
}

Judgement unpacked(uint8_t finding) {
    return finding < kFirstOther ? Judgement{Finding::kTrivial, finding}
                                 : Judgement{static_cast<Finding>(finding - kFirstOther), 0};
}

/// Of a property, an indexer, an event or an operator; "Acme.ICart.get_Total" where it implements
/// an interface's.
bool is_accessor(const clr::MethodRow& method) {
    if ((method.flags & clr::kSpecialName) == 0) {
        return false;
    }
    const std::string_view name = method.name.substr(method.name.rfind('.') + 1);
    constexpr std::array<std::string_view, 5> kKinds = {"get_", "set_", "add_", "remove_", "op_"};
    return std::ranges::any_of(kKinds,
                               [&](std::string_view kind) { return name.starts_with(kind); });
}

/// Its body throws, and the compiler puts something else in its place.
bool is_intrinsic(const CodeImage& image, mdMethodDef method) {
    return !image.metadata()
                .attribute(method, "System.Runtime.CompilerServices.IntrinsicAttribute")
                .empty();
}

bool is_marked_not_to_inline(const clr::MethodRow& method) {
    return (method.implementation &
            (clr::kNoInlining | clr::kNoOptimization | clr::kSynchronized | clr::kAsyncCode)) != 0;
}

}  // namespace

bool MethodJudge::leaves_out(CodeImage& image, mdMethodDef method) {
    const auto row = image.metadata().method_row(method);
    if (!row || row->code == 0 || is_marked_not_to_inline(*row)) {
        return false;
    }
    if ((row->implementation & clr::kAggressiveInlining) != 0) {
        return true;
    }
    const Finding finding = judgement(image, method).finding;
    return finding == Finding::kTrivial || finding == Finding::kPassesOn;
}

bool MethodJudge::calls_nothing_timed(CodeImage& image, mdMethodDef method) {
    return judgement(image, method).finding == Finding::kTrivial;
}

Judgement MethodJudge::judgement(CodeImage& image, mdMethodDef method) {
    if (const uint8_t known = image.finding(method); known != 0) {
        return unpacked(known);
    }
    const std::lock_guard lock(mutex_);
    judging_.clear();
    return find({&image, method}).judgement;
}

MethodJudge::Found MethodJudge::find(MethodPlace method) {
    if (const uint8_t known = method.image->finding(method.token); known != 0) {
        return {unpacked(known)};
    }
    const auto row = method.image->metadata().method_row(method.token);
    if (!row) {
        return {{Finding::kMalformed}};
    }
    // Whatever comes back to itself has no end that a count of bytes could find.
    const bool within_itself = std::ranges::find(judging_, method) != judging_.end();
    if (within_itself || judging_.size() == kMostDepth) {
        return {{Finding::kCalls}, false};
    }
    judging_.push_back(method);
    Found found = look_at(method, *row);
    judging_.pop_back();
    if (found.certain || judging_.empty()) {
        method.image->note_finding(method.token, packed(found.judgement));
    }
    return found;
}

MethodJudge::Found MethodJudge::look_at(MethodPlace method, const clr::MethodRow& row) {
    const auto body = method.image->body(row);
    if (!body) {
        return {{Finding::kMalformed}};
    }
    const bool by_accessor = is_accessor(row);
    Found found;
    found.judgement = judge(*body, [&](mdToken token, Opcode call) {
        return callee(*method.image, token, call, by_accessor, found.certain);
    });
    return found;
}

Callee MethodJudge::callee(CodeImage& image, mdToken token, Opcode call, bool by_accessor,
                           bool& certain) {
    const MethodPlace called = resolve(image, token);
    const auto row =
        called.image != nullptr ? called.image->metadata().method_row(called.token) : std::nullopt;
    if (!row) {
        return {};
    }
    const clr::ImageMetadata& metadata = called.image->metadata();
    if (call == Opcode::kNewobj && !is_value_type(*called.image, row->type)) {
        return {Callee::kAllocates};
    }
    const auto otherwise = [&]() -> Callee {
        const bool own_row =
            (row->implementation & clr::kAggressiveInlining) == 0 && called != judging_.back();
        return {by_accessor && own_row && is_selected_(*called.image, called.token)
                    ? Callee::kTimed
                    : Callee::kOther};
    };
    const bool known = call != Opcode::kCallvirt || (row->flags & clr::kVirtualMethod) == 0 ||
                       (row->flags & clr::kFinalMethod) != 0 ||
                       (metadata.type_flags(row->type) & clr::kSealedType) != 0;
    const auto body = known ? called.image->body(*row) : std::nullopt;
    if (!body) {
        return otherwise();
    }
    if (never_returns(*body)) {
        return is_intrinsic(*called.image, called.token)
                   ? Callee{Callee::kTrivial, static_cast<uint32_t>(body->code.size())}
                   : Callee{Callee::kNeverReturns};
    }
    if (is_marked_not_to_inline(*row)) {
        return otherwise();
    }
    const Found found = find(called);
    if (found.judgement.finding == Finding::kTrivial) {
        return {Callee::kTrivial, found.judgement.bytes};
    }
    certain = certain && found.certain;
    return otherwise();
}

// ---- from tokens to methods ------------------------------------------------------------------

MethodPlace MethodJudge::resolve(CodeImage& image, mdToken token) {
    if (clr::table_of(token) == clr::kMethodSpec) {
        token = image.metadata().generic_method(token);
    }
    if (clr::table_of(token) == clr::kMethodDef) {
        return {&image, token};
    }
    const auto known = image.methods.find(token);
    if (known != image.methods.end()) {
        return known->second;
    }
    MethodPlace place;
    if (const auto reference = image.metadata().member_reference(token)) {
        const auto [in, type] = resolve_type(image, reference->parent);
        const mdMethodDef method = type != 0 ? in->find_method(type, *reference, image) : 0;
        place = method != 0 ? MethodPlace{in, method} : MethodPlace();
    }
    return image.methods[token] = place;
}

CodeImage::TypePlace MethodJudge::resolve_type(CodeImage& image, mdToken token) {
    if (clr::table_of(token) == clr::kTypeSpec) {
        // Of a generic type's instance the type; arrays and pointers are the runtime's.
        Bytes rest = image.metadata().type_specification(token);
        uint8_t kind = 0;
        if (!clr::take_byte(rest, kind) || kind != clr::ELEMENT_TYPE_GENERICINST ||
            !clr::take_byte(rest, kind)) {
            return {};
        }
        token = clr::take_type_token(rest).value_or(0);
    }
    if (clr::table_of(token) == clr::kTypeDef) {
        return {&image, token};
    }
    if (clr::table_of(token) != clr::kTypeRef) {
        return {};
    }
    const auto known = image.types.find(token);
    return known != image.types.end() ? known->second
                                      : image.types[token] = find_type(image, token);
}

CodeImage::TypePlace MethodJudge::find_type(CodeImage& image, mdToken type_ref) {
    const clr::TypeChain chain = clr::MetadataReader(image.metadata()).chain(type_ref);
    mdToken scope = type_ref;
    for (size_t i = 0; i < kMostNesting && clr::table_of(scope) == clr::kTypeRef; ++i) {
        scope = image.metadata().scope(scope);
    }
    CodeImage* in = clr::table_of(scope) == clr::kModule ? &image : nullptr;
    const CodeImage* from = &image;
    for (int i = 0; i < kMostForwards; ++i) {
        if (clr::table_of(scope) == clr::kAssemblyRef) {
            in = assemblies_.find(from->metadata().assembly_name(scope), *from);
        }
        if (in == nullptr) {
            break;
        }
        if (const clr::mdTypeDef type = in->find_type(chain)) {
            return {in, type};
        }
        from = in;
        scope = in->forwarded_to(chain);
        in = nullptr;
    }
    // The parts of a single file are no files.
    CodeImage* core = assemblies_.core();
    const clr::mdTypeDef type = core != nullptr ? core->find_type(chain) : 0;
    return type != 0 ? CodeImage::TypePlace(core, type) : CodeImage::TypePlace();
}

bool MethodJudge::is_value_type(CodeImage& image, clr::mdTypeDef type) {
    const mdToken base = image.metadata().base_type(type);
    if (base == 0) {
        return false;
    }
    const clr::TypeChain chain = clr::MetadataReader(image.metadata()).chain(base);
    return chain.namespace_ == "System" && chain.names.size() == 1 &&
           (chain.names.front() == "ValueType" || chain.names.front() == "Enum");
}

}  // namespace umbra::il
