// SPDX-License-Identifier: MIT
#include "src/fakeclr/il_code.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "src/clr/types.h"
#include "src/il/signature.h"

namespace umbra::fakeclr {
namespace {

using il::Bytes;
using il::Instruction;
using il::Opcode;

constexpr uint8_t kVoid[] = {0x0a, 0x01, 0x2a};              // tiny header; break; ret
constexpr uint8_t kNumber[] = {0x0e, 0x01, 0x16, 0x2a};      // break; ldc.i4.0; ret
constexpr uint8_t kLong[] = {0x12, 0x01, 0x16, 0x6a, 0x2a};  // break; ldc.i4.0; conv.i8; ret
constexpr uint8_t kObject[] = {0x0e, 0x01, 0x14, 0x2a};      // break; ldnull; ret

constexpr uint64_t kLocalBytes = 8;
constexpr size_t kMostSteps = 100'000;

// Instructions of which only their meaning here has no name in opcodes.h.
constexpr uint16_t kLdnull = 0x14;
constexpr uint16_t kLdcI4M1 = 0x15;
constexpr uint16_t kLdcI4Zero = 0x16;
constexpr uint16_t kLdcI4Eight = 0x1e;
constexpr uint16_t kLdcI4S = 0x1f;
constexpr uint16_t kLdcI4 = 0x20;
constexpr uint16_t kPop = 0x26;

template <typename Number>
Number operand(Bytes code, const Instruction& one) {
    Number number{};
    std::memcpy(&number, &code[one.end - sizeof number], sizeof number);
    return number;
}

/// What an instruction pushes that takes nothing and names no local.
std::optional<uint64_t> constant(Bytes code, const Instruction& one) {
    const auto number = static_cast<uint16_t>(one.opcode);
    if (number == kLdnull) {
        return 0;
    }
    if (number >= kLdcI4M1 && number <= kLdcI4Eight) {
        return static_cast<uint64_t>(int64_t{number} - kLdcI4Zero);
    }
    if (number == kLdcI4S) {
        return static_cast<uint64_t>(operand<int8_t>(code, one));
    }
    if (number == kLdcI4) {
        return static_cast<uint64_t>(operand<int32_t>(code, one));
    }
    if (one.opcode == Opcode::kLdcI8) {
        return operand<uint64_t>(code, one);
    }
    return std::nullopt;
}

/// How many integers a managed static function without a result takes. Empty: it is none.
std::optional<size_t> integers_taken(Bytes signature) {
    if (signature.size() < 3 || signature[0] != 0 || signature[1] != signature.size() - 3 ||
        signature[2] != clr::ELEMENT_TYPE_VOID) {
        return std::nullopt;
    }
    const bool all = std::ranges::all_of(signature.subspan(3), [](uint8_t type) {
        return (type >= clr::ELEMENT_TYPE_BOOLEAN && type <= clr::ELEMENT_TYPE_U8) ||
               type == clr::ELEMENT_TYPE_I || type == clr::ELEMENT_TYPE_U ||
               type == clr::ELEMENT_TYPE_OBJECT;
    });
    return all ? std::optional<size_t>(signature[1]) : std::nullopt;
}

bool contains(uint32_t begin, uint32_t end, int64_t offset) {
    return offset >= begin && offset < end;
}

}  // namespace

Bytes own_il(Bytes method_signature) {
    const auto types = il::return_type(method_signature);
    if (!types || types->is_void || types->type.empty()) {
        return types && types->is_void ? Bytes(kVoid) : Bytes();
    }
    const uint8_t result = types->type[0];
    switch (result) {
        case clr::ELEMENT_TYPE_I8:
        case clr::ELEMENT_TYPE_U8:
            return kLong;
        case clr::ELEMENT_TYPE_STRING:
        case clr::ELEMENT_TYPE_CLASS:
        case clr::ELEMENT_TYPE_OBJECT:
        case clr::ELEMENT_TYPE_SZARRAY:
            return kObject;
        default:
            return result >= clr::ELEMENT_TYPE_BOOLEAN && result <= clr::ELEMENT_TYPE_U4
                       ? Bytes(kNumber)
                       : Bytes();
    }
}

/// Follows the code from one place to another and notes the calls on the way.
class IlCode::Reader {
  public:
    Reader(il::MethodBody body, const SignatureOf& signature_of)
        : body_(std::move(body)), signature_of_(signature_of) {}

    Result<IlCode> read() {
        IlCode code;
        uint32_t at = 0;
        if (Status done = follow(at, kBodyOpcode, code.enter_); !done) {
            return tl::unexpected<Error>(done.error());
        }
        const uint32_t body_at = at - 1;
        const auto locals = locals_;
        // Inner clauses come first.
        for (const il::Clause& clause : body_.clauses) {
            if ((clause.kind == il::Clause::kFault || clause.kind == il::Clause::kFinally) &&
                contains(clause.try_begin, clause.try_end, body_at)) {
                if (Status done = run_handler(clause, code.unwind_); !done) {
                    return tl::unexpected<Error>(done.error());
                }
            }
        }
        locals_ = locals;
        if (Status done = follow(at, Opcode::kRet, code.leave_); !done) {
            return tl::unexpected<Error>(done.error());
        }
        return code;
    }

  private:
    [[nodiscard]] static tl::unexpected<Error> wrong(const std::string& what, uint32_t at) {
        return fail(ErrorCode::kUnsupported,
                    what + " at offset " + std::to_string(at) + " of the IL: fakeclr runs none");
    }

    /// From `at` until behind the first `last`, where `at` is then.
    Status follow(uint32_t& at, Opcode last, std::vector<Call>& calls) {
        for (;;) {
            const auto one = il::decode(body_.code, at);
            if (!one || ++steps_ > kMostSteps) {
                return wrong("no instruction, or one reached too often,", at);
            }
            at = one->end;
            if (one->opcode == last) {
                return {};
            }
            if (Status done = step(*one, at, calls); !done) {
                return done;
            }
        }
    }

    Status step(const Instruction& one, uint32_t& at, std::vector<Call>& calls) {
        if (const auto number = constant(body_.code, one)) {
            stack_.push_back({.number = *number});
            return {};
        }
        if (const auto loaded = one.local(body_.code, Opcode::kLdloc)) {
            stack_.push_back(locals_[*loaded]);
            return {};
        }
        if (const auto address = one.local(body_.code, Opcode::kLdloca)) {
            stack_.push_back({.is_local = true, .number = *address});
            return {};
        }
        if (const auto stored = one.local(body_.code, Opcode::kStloc)) {
            return pop(one, locals_[*stored]);
        }
        switch (il::long_form(one.opcode)) {
            case Opcode::kNop:
            case Opcode::kConvI8:
            case Opcode::kConvU8:
            case Opcode::kConvI:
            case Opcode::kConvU:
                return {};
            case Opcode::kBr:
                at = static_cast<uint32_t>(one.target(body_.code, 0));
                return {};
            case Opcode::kLeave:
                return leave_to(one, at, calls);
            case Opcode::kCalli:
                return call(one, calls);
            default:
                break;
        }
        Value dropped;
        return static_cast<uint16_t>(one.opcode) == kPop
                   ? pop(one, dropped)
                   : Status(
                         wrong("instruction " + std::to_string(static_cast<uint16_t>(one.opcode)),
                               one.begin));
    }

    Status pop(const Instruction& one, Value& value) {
        if (stack_.empty()) {
            return wrong("an instruction that finds no value", one.begin);
        }
        value = stack_.back();
        stack_.pop_back();
        return {};
    }

    Status leave_to(const Instruction& one, uint32_t& at, std::vector<Call>& calls) {
        const int64_t target = one.target(body_.code, 0);
        for (const il::Clause& clause : body_.clauses) {
            if (clause.kind == il::Clause::kFinally &&
                contains(clause.try_begin, clause.try_end, one.begin) &&
                !contains(clause.try_begin, clause.try_end, target)) {
                if (Status done = run_handler(clause, calls); !done) {
                    return done;
                }
            }
        }
        stack_.clear();
        at = static_cast<uint32_t>(target);
        return {};
    }

    Status run_handler(const il::Clause& clause, std::vector<Call>& calls) {
        uint32_t at = clause.handler_begin;
        return follow(at, Opcode::kEndfinally, calls);
    }

    Status call(const Instruction& one, std::vector<Call>& calls) {
        const auto taken = integers_taken(signature_of_(operand<uint32_t>(body_.code, one)));
        if (!taken || *taken > kMostArguments) {
            return wrong("a call with a signature", one.begin);
        }
        Call call;
        Value function;
        if (Status done = pop(one, function); !done) {
            return done;
        }
        call.function = function.number;
        call.taken = *taken;
        for (size_t i = *taken; i-- > 0;) {
            if (Status done = pop(one, call.arguments.at(i)); !done) {
                return done;
            }
        }
        if (function.is_local || call.function == 0) {
            return wrong("a call of nothing", one.begin);
        }
        calls.push_back(call);
        return {};
    }

    const il::MethodBody body_;
    const SignatureOf& signature_of_;
    std::map<uint32_t, Value> locals_;
    std::vector<Value> stack_;
    size_t steps_ = 0;
};

Result<IlCode> IlCode::parse(Bytes body, const SignatureOf& signature_of) {
    auto parsed = il::MethodBody::parse(body);
    if (!parsed) {
        return fail(ErrorCode::kInvalid, "that is no method body");
    }
    return Reader(*std::move(parsed), signature_of).read();
}

namespace {

template <size_t>
using Integer = uint64_t;

template <size_t... kIndexes>
void call_native(uint64_t function, [[maybe_unused]] std::span<const uint64_t> values,
                 std::index_sequence<kIndexes...>) {
    // Managed calls of integers pass them as C does.
    reinterpret_cast<void (*)(Integer<kIndexes>...)>(function)(values[kIndexes]...);
}

template <size_t... kCounts>
void call_native(uint64_t function, std::span<const uint64_t> values, size_t taken,
                 std::index_sequence<kCounts...>) {
    ((taken == kCounts ? call_native(function, values, std::make_index_sequence<kCounts>())
                       : void()),
     ...);
}

}  // namespace

void IlCode::run(const std::vector<Call>& calls, uint64_t frame) {
    for (const Call& call : calls) {
        std::array<uint64_t, kMostArguments> values{};
        std::ranges::transform(call.arguments, values.begin(), [frame](const Value& value) {
            return value.is_local ? frame + value.number * kLocalBytes : value.number;
        });
        call_native(call.function, values, call.taken,
                    std::make_index_sequence<kMostArguments + 1>());
    }
}

}  // namespace umbra::fakeclr
