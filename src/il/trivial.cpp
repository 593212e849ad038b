// SPDX-License-Identifier: MIT
#include "src/il/trivial.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace umbra::il {
namespace {

constexpr std::array<const char*, 12> kReasons = {
    "it is trivial",
    "it passes on to what is timed",
    "its code is malformed",
    "it is too long",
    "it is too long with what it calls",
    "it has a loop",
    "it handles exceptions",
    "it throws",
    "it never returns",
    "it allocates",
    "it works on memory of any length",
    "it calls what may take time",
};

/// All of a body's instructions. None: one cannot be read.
std::optional<std::vector<Instruction>> all_of(Bytes code) {
    std::vector<Instruction> all;
    for (uint32_t at = 0; at < code.size();) {
        const std::optional<Instruction> next = decode(code, at);
        if (!next) {
            return std::nullopt;
        }
        all.push_back(*next);
        at = next->end;
    }
    return all;
}

bool goes_back(const Instruction& instruction, Bytes code) {
    for (uint32_t i = 0; i < instruction.target_count(code); ++i) {
        if (instruction.target(code, i) <= instruction.begin) {
            return true;
        }
    }
    return false;
}

/// What an instruction itself speaks against; kTrivial: nothing. Calls are judged by what they
/// call.
Finding own_finding(Opcode opcode) {
    switch (opcode) {
        case Opcode::kBox:
        case Opcode::kNewarr:
            return Finding::kAllocates;
        case Opcode::kLocalloc:
        case Opcode::kCpblk:
        case Opcode::kInitblk:
            return Finding::kTakesTime;
        case Opcode::kCalli:
            return Finding::kCalls;
        default:
            return Finding::kTrivial;
    }
}

/// Goes through a body from its end to its begin: all branches lead onwards, so what follows an
/// instruction is known when its turn comes.
class Walk {
  public:
    Walk(Bytes code, std::span<const Instruction> all, const CalleeOf& callee_of)
        : code_(code), all_(all), callee_of_(callee_of), returns_(all.size() + 1) {}

    Judgement run() {
        for (size_t i = all_.size(); i-- > 0 && finding_ == Finding::kTrivial;) {
            returns_[i] = returns_from(i);
        }
        if (finding_ != Finding::kTrivial) {
            return {finding_, 0};
        }
        if (!returns_[0]) {
            return {Finding::kNeverReturns, 0};
        }
        const auto own = static_cast<uint32_t>(code_.size());
        if (passes_on_) {
            return {own <= kMostAccessorBytes ? Finding::kPassesOn : Finding::kCalls, 0};
        }
        return own + called_ <= kMostBytesTogether ? Judgement{Finding::kTrivial, own + called_}
                                                   : Judgement{Finding::kTooMuch, 0};
    }

  private:
    /// Whether a return can be reached from an instruction on.
    bool returns_from(size_t i) {
        const Instruction& instruction = all_[i];
        if (instruction.opcode == Opcode::kRet) {
            return true;
        }
        bool returns = !instruction.ends_flow() && returns_[i + 1];
        for (uint32_t target = 0; target < instruction.target_count(code_); ++target) {
            returns = returns_at(instruction.target(code_, target)) || returns;
        }
        if (!returns) {
            return false;  // whatever it does, it is on no way to a return
        }
        if (const Finding own = own_finding(instruction.opcode); own != Finding::kTrivial) {
            finding_ = own;
        }
        return instruction.is_call() || instruction.opcode == Opcode::kNewobj
                   ? call_returns(i, instruction)
                   : true;
    }

    bool returns_at(int64_t offset) const {
        const auto found = std::ranges::find_if(
            all_, [&](const Instruction& one) { return int64_t{one.begin} == offset; });
        return found != all_.end() && returns_[static_cast<size_t>(found - all_.begin())];
    }

    bool call_returns(size_t i, const Instruction& call) {
        // What a type variable's method is depends on the type.
        if (call.opcode == Opcode::kCalli ||
            (i > 0 && all_[i - 1].opcode == Opcode::kConstrained)) {
            finding_ = Finding::kCalls;
            return true;
        }
        const Callee callee = callee_of_(call.number(code_), call.opcode);
        switch (callee.kind) {
            case Callee::kTrivial:
                called_ += callee.bytes;
                break;
            case Callee::kNeverReturns:
                return false;
            case Callee::kTimed:
                passes_on_ = true;
                break;
            case Callee::kAllocates:
                finding_ = Finding::kAllocates;
                break;
            case Callee::kOther:
                finding_ = Finding::kCalls;
                break;
        }
        return true;
    }

    Bytes code_;
    std::span<const Instruction> all_;
    const CalleeOf& callee_of_;
    std::vector<bool> returns_;  // by instruction; behind the last one: no
    Finding finding_ = Finding::kTrivial;
    uint32_t called_ = 0;
    bool passes_on_ = false;
};

}  // namespace

const char* reason(Finding finding) {
    return kReasons.at(static_cast<size_t>(finding));
}

Judgement judge(const MethodBody& body, const CalleeOf& callee_of) {
    const Bytes code = body.code;
    if (code.empty()) {
        return {Finding::kMalformed, 0};
    }
    if (code.size() > kMostTrivialBytes) {
        return {Finding::kTooLong, 0};
    }
    if (!body.clauses.empty()) {
        return {Finding::kHandler, 0};
    }
    const auto all = all_of(code);
    if (!all) {
        return {Finding::kMalformed, 0};
    }
    for (const Instruction& instruction : *all) {
        if (goes_back(instruction, code)) {
            return {Finding::kLoop, 0};
        }
        if (instruction.opcode == Opcode::kThrow || instruction.opcode == Opcode::kRethrow) {
            return {Finding::kThrows, 0};
        }
        if (instruction.opcode == Opcode::kJmp) {
            return {Finding::kCalls, 0};  // goes on in another method
        }
    }
    return Walk(code, *all, callee_of).run();
}

bool never_returns(const MethodBody& body) {
    constexpr size_t kMostBytes = 512;  // a throw helper makes a message and an exception
    if (body.code.size() > kMostBytes || !body.clauses.empty()) {
        return false;
    }
    const auto all = all_of(body.code);
    return all &&
           std::ranges::any_of(
               *all, [](const Instruction& one) { return one.opcode == Opcode::kThrow; }) &&
           std::ranges::none_of(*all, [&](const Instruction& one) {
               return one.opcode == Opcode::kRet || one.opcode == Opcode::kJmp ||
                      goes_back(one, body.code);
           });
}

}  // namespace umbra::il
