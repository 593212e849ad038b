// SPDX-License-Identifier: MIT
// Compares a body with what became of it, instruction by instruction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/il/instrument.h"
#include "tests/il/body_builder.h"

namespace umbra::il::testing {

/// Says what is wrong with a rewritten body; "" if nothing is. Independent of how it was written:
/// decodes both.
class SameCode {
  public:
    SameCode(const MethodBody& before, const Instrumented& made, const ProbeLocals& locals,
             const Probes& probes = kProbes)
        : before_(before),
          made_(made),
          locals_(locals),
          enter_(joined({enter(locals.marker), told(probes, locals, false)})),
          result_(told(probes, locals, true)),
          leave_(leave(locals.marker)) {
        if (!probes.arguments.empty()) {
            leave_ = joined({two_numbers(probes.function, probes.arguments_end), leave_});
        }
        for (const MovedOffset& one : made.moved) {
            to_[one.from] = one.to;
        }
    }

    std::string difference() {
        const std::optional<MethodBody> after = MethodBody::parse(made_.body);
        if (!after) {
            return "no body";
        }
        after_ = *after;
        if (after_.local_signature != kLocalSignature ||
            after_.init_locals != before_.init_locals ||
            after_.max_stack != before_.max_stack + 3) {
            return "the header differs";
        }
        if (!read_all() || !starts_with(0, enter_)) {
            return "no enter probe in front";
        }
        to_[static_cast<uint32_t>(before_.code.size())] = body_end();
        for (uint32_t offset = 0; offset < before_.code.size();) {
            const Instruction one = *decode(before_.code, offset);
            if (!to_.contains(offset)) {
                return "instruction " + std::to_string(offset) + " is missing";
            }
            if (!same(one)) {
                return "instruction " + std::to_string(offset) + " differs";
            }
            offset = one.end;
            if (one.is_prefix()) {
                inside_.insert(offset);
            }
        }
        return clauses();
    }

  private:
    /// All of the new code decodes.
    bool read_all() {
        for (uint32_t offset = 0; offset < after_.code.size();) {
            const auto one = decode(after_.code, offset);
            if (!one) {
                return false;
            }
            offset = one->end;
        }
        return true;
    }
    [[nodiscard]] bool starts_with(uint32_t offset, const std::vector<uint8_t>& expected) const {
        return offset <= after_.code.size() && after_.code.size() - offset >= expected.size() &&
               std::equal(expected.begin(), expected.end(), after_.code.begin() + offset);
    }
    [[nodiscard]] uint32_t body_end() const {
        return made_.has_tail_calls ? static_cast<uint32_t>(after_.code.size())
                                    : after_.clauses.back().try_end;
    }
    [[nodiscard]] bool has_result() const { return locals_.result != locals_.marker; }
    [[nodiscard]] uint32_t end() const { return after_.clauses.back().handler_end; }

    [[nodiscard]] bool same(const Instruction& one) const {
        uint32_t at = to_.at(one.begin);
        if (one.opcode == Opcode::kRet) {
            return returns(at);
        }
        if (begins_tail_call(one)) {
            if (!starts_with(at, leave_)) {
                return false;
            }
            at += static_cast<uint32_t>(leave_.size());
        }
        const std::optional<Instruction> other = decode(after_.code, at);
        if (!other || other->opcode != long_form(one.opcode)) {
            return false;
        }
        const uint32_t targets = one.target_count(before_.code);
        if (targets != other->target_count(after_.code)) {
            return false;
        }
        for (uint32_t number = 0; number < targets; ++number) {
            if (to_.at(static_cast<uint32_t>(one.target(before_.code, number))) !=
                other->target(after_.code, number)) {
                return false;
            }
        }
        return targets != 0 || one.operand == Operand::kTargets ||
               std::equal(before_.code.begin() + one.begin, before_.code.begin() + one.end,
                          after_.code.begin() + other->begin, after_.code.begin() + other->end);
    }

    /// The first of the prefixes of a tail call.
    [[nodiscard]] bool begins_tail_call(Instruction one) const {
        if (inside_.contains(one.begin)) {
            return false;
        }
        bool tail = false;
        while (one.is_prefix()) {
            tail = tail || one.opcode == Opcode::kTail;
            one = *decode(before_.code, one.end);
        }
        return tail;
    }

    /// The value is kept, the frame leaves once.
    [[nodiscard]] bool returns(uint32_t at) const {
        if (made_.has_tail_calls) {
            const std::vector<uint8_t> ret = bytes({0x2a});
            return starts_with(at, ret) || starts_with(at, joined({told_in_place(), ret}));
        }
        if (has_result()) {
            const std::optional<Instruction> store = decode(after_.code, at);
            if (!store || store->opcode != Opcode::kStloc) {
                return false;
            }
            at = store->end;
        }
        const std::optional<Instruction> away = decode(after_.code, at);
        return away && away->opcode == Opcode::kLeave && away->target(after_.code, 0) == end();
    }

    /// What stands in front of a ret that stays where it is.
    [[nodiscard]] std::vector<uint8_t> told_in_place() const {
        return result_.empty() ? leave_
                               : joined({of_result(Opcode::kStloc), result_, leave_,
                                         of_result(Opcode::kLdloc)});
    }
    [[nodiscard]] std::vector<uint8_t> of_result(Opcode opcode) const {
        ByteWriter out;
        out.put(opcode);
        out.put(locals_.result);
        return std::move(out).take();
    }

    [[nodiscard]] std::string clauses() const {
        std::vector<Clause> expected;
        for (Clause clause : before_.clauses) {
            for (uint32_t* offset :
                 {&clause.try_begin, &clause.try_end, &clause.handler_begin, &clause.handler_end}) {
                *offset = to_.at(*offset);
            }
            if (clause.kind == Clause::kFilter) {
                clause.type_or_filter = to_.at(clause.type_or_filter);
            }
            expected.push_back(clause);
        }
        if (made_.has_tail_calls) {
            return after_.clauses == expected ? "" : "the clauses differ";
        }
        expected.push_back(
            clause(Clause::kFault, {static_cast<uint32_t>(enter_.size()), body_end()},
                   {body_end(), body_end() + static_cast<uint32_t>(leave_.size()) + 1}));
        if (after_.clauses != expected) {
            return "the clauses differ";
        }
        if (!starts_with(body_end(), joined({leave_, {0xdc}}))) {
            return "the fault handler differs";
        }
        const std::vector<uint8_t> load =
            has_result() ? of_result(Opcode::kLdloc) : std::vector<uint8_t>();
        const std::vector<uint8_t> tail = joined({result_, leave_, load, bytes({0x2a})});
        return starts_with(end(), tail) && end() + tail.size() == after_.code.size()
                   ? ""
                   : "the end differs";
    }

    const MethodBody& before_;
    const Instrumented& made_;
    const ProbeLocals& locals_;
    const std::vector<uint8_t> enter_;  ///< with the arguments, as told_in_place() and what follows
    const std::vector<uint8_t> result_;
    std::vector<uint8_t> leave_;
    MethodBody after_;
    std::map<uint32_t, uint32_t> to_;
    std::set<uint32_t> inside_;  ///< instructions that prefixes belong to
};

}  // namespace umbra::il::testing
