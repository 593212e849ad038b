// SPDX-License-Identifier: MIT
// One pass decides, one writes; branches are all written long and filled in at the end.
#include "src/il/instrument.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "src/il/byte_writer.h"
#include "src/il/probe_writer.h"

namespace umbra::il {
namespace {

constexpr uint16_t kProbeStack = 3;   // client id, frame, function
constexpr uint16_t kFailedStack = 7;  // two keys, two objects, frame, runtime, function
constexpr uint32_t kNowhere = UINT32_MAX;
constexpr size_t kMostCode = size_t{1} << 31;
// What an instruction grows by at most: ret by stloc, leave, ldloc, and the probes of an end.
constexpr size_t kMostGrowth = 24;

size_t most_growth(const ProbeCode& probes) {
    return kMostGrowth + probes.leave.size() + probes.result.size() + probes.again.size();
}

/// What the instructions of a body are, once they are known to make sense.
struct Outline {
    std::vector<Instruction> instructions;
    std::vector<bool> targets;  ///< by offset: a branch goes there
    bool has_tail_calls = false;
};

class Scan {
  public:
    explicit Scan(const MethodBody& body) : body_(body), starts_(body.code.size() + 1) {}

    tl::expected<Outline, Refusal> run() {
        if (!decode_all() || !branches_are_sound() || !clauses_are_sound()) {
            return tl::unexpected(Refusal::kMalformed);
        }
        const std::vector<Instruction>& all = outline_.instructions;
        if (std::ranges::any_of(all, [](auto& one) { return one.opcode == Opcode::kJmp; })) {
            return tl::unexpected(Refusal::kJump);
        }
        if (!all.back().ends_flow()) {
            return tl::unexpected(Refusal::kFallsOff);
        }
        return std::move(outline_);
    }

  private:
    bool decode_all() {
        const Bytes code = body_.code;
        bool prefixed = false;
        bool tail = false;
        for (uint32_t offset = 0; offset < code.size();) {
            const std::optional<Instruction> one = decode(code, offset);
            if (!one) {
                return false;
            }
            starts_[offset] = !prefixed;  // nothing leads between a prefix and what it belongs to
            prefixed = one->is_prefix();
            if (tail && !prefixed && !one->is_call()) {
                return false;
            }
            tail = one->opcode == Opcode::kTail || (tail && prefixed);
            outline_.has_tail_calls = outline_.has_tail_calls || tail;
            outline_.instructions.push_back(*one);
            offset = one->end;
        }
        starts_[code.size()] = true;  // where regions may end
        return !outline_.instructions.empty() && !prefixed;
    }

    bool branches_are_sound() {
        const Bytes code = body_.code;
        outline_.targets.resize(code.size());
        for (const Instruction& one : outline_.instructions) {
            const uint32_t count = one.target_count(code);
            for (uint32_t number = 0; number < count; ++number) {
                const int64_t target = one.target(code, number);
                if (target < 0 || target >= static_cast<int64_t>(code.size()) ||
                    !starts_[static_cast<size_t>(target)]) {
                    return false;
                }
                outline_.targets[static_cast<size_t>(target)] = true;
            }
        }
        return true;
    }

    [[nodiscard]] bool is_region(uint32_t begin, uint32_t end) const {
        return begin < end && end < starts_.size() && starts_[begin] && starts_[end];
    }
    [[nodiscard]] bool clauses_are_sound() const {
        return std::ranges::all_of(body_.clauses, [this](const Clause& clause) {
            return is_region(clause.try_begin, clause.try_end) &&
                   is_region(clause.handler_begin, clause.handler_end) &&
                   (clause.kind != Clause::kFilter ||
                    is_region(clause.type_or_filter, clause.handler_begin));
        });
    }

    const MethodBody& body_;
    std::vector<bool> starts_;  ///< by offset: control may come there, or the code ends
    Outline outline_;
};

class Writer {
  public:
    Writer(const MethodBody& body, const Outline& outline, const ProbeCode& probes,
           const ProbeLocals& locals)
        : body_(body),
          outline_(outline),
          probes_(probes),
          locals_(locals),
          moved_to_(body.code.size() + 1, kNowhere) {
        if (!probes.again.empty()) {
            for (const Clause& clause : body.clauses) {
                handlers_.push_back(clause.handler_begin);
            }
        }
        std::ranges::sort(handlers_);
    }

    Instrumented run(uint32_t local_signature) {
        code_.reserve(body_.code.size() + body_.code.size() / 4 + probes_.enter.size() +
                      2 * most_growth(probes_));
        code_.put_bytes(probes_.enter);
        const auto begin = static_cast<uint32_t>(code_.size());
        write_body();
        moved_to_[body_.code.size()] = static_cast<uint32_t>(code_.size());

        MethodBody result;
        result.clauses = moved_clauses();
        if (!outline_.has_tail_calls) {
            if (!probes_.failed.empty()) {
                result.clauses.push_back(write_filter(begin));
            }
            result.clauses.push_back(write_fault_handler(begin));
            write_end();
        }
        fill_in_branches();
        result.init_locals = body_.init_locals;
        result.max_stack = static_cast<uint16_t>(
            std::max<int>(body_.max_stack + kProbeStack, probes_.enter_stack));
        result.local_signature = local_signature;
        result.code = code_.bytes();
        return {.body = result.encode(),
                .moved = std::move(moved_),
                .has_tail_calls = outline_.has_tail_calls};
    }

    /// None: `calls_other` says so of no call in front of a return.
    template <typename CallsOther>
    std::optional<Instrumented> keep_frame(const CallsOther& calls_other) {
        const std::vector<Instruction>& all = outline_.instructions;
        bool tail = false;
        bool kept = false;
        for (size_t number = 0; number < all.size(); ++number) {
            const Instruction& one = all[number];
            note_moved(one);
            copy(one);
            tail = one.opcode == Opcode::kTail || (tail && all[number - 1].is_prefix());
            if (!tail && number + 1 < all.size() && all[number + 1].opcode == Opcode::kRet &&
                calls_other(one)) {
                note_moved(all[number + 1]);
                code_.put(Opcode::kNop);
                kept = true;
            }
        }
        if (!kept) {
            return std::nullopt;
        }
        moved_to_[body_.code.size()] = static_cast<uint32_t>(code_.size());
        fill_in_branches();
        MethodBody result = body_;
        result.clauses = moved_clauses();
        result.code = code_.bytes();
        return Instrumented{.body = result.encode(),
                            .moved = std::move(moved_),
                            .has_tail_calls = outline_.has_tail_calls};
    }

  private:
    /// A branch whose target is known only when all is written.
    struct Open {
        size_t at;            ///< of the distance
        uint32_t from;        ///< where the distance counts from
        uint32_t old_target;  ///< kNowhere: the method's end
    };

    void write_body() {
        const std::vector<Instruction>& all = outline_.instructions;
        for (size_t number = 0; number < all.size();) {
            size_t last = number;  // of the prefixes and what they belong to
            bool tail = false;
            while (all[last].is_prefix()) {
                tail = tail || all[last].opcode == Opcode::kTail;
                ++last;
            }
            if (tail) {
                note_moved(all[number]);
                code_.put_bytes(probes_.leave);
            }
            if (std::ranges::binary_search(handlers_, all[number].begin)) {
                note_moved(all[number]);
                code_.put_bytes(probes_.again);
            }
            for (; number <= last; ++number) {
                write(all[number]);
            }
            if (may_suspend(all[last])) {
                code_.put_bytes(probes_.again);
            }
            if (tail && number < all.size() && all[number].opcode == Opcode::kRet) {
                // Where the runtime makes an ordinary call of it: this call has left already. Who
                // comes by a branch has not.
                if (!outline_.targets[all[number].begin]) {
                    note_moved(all[number]);
                    ++number;
                }
                code_.put(Opcode::kRet);
            }
        }
    }

    [[nodiscard]] bool may_suspend(const Instruction& one) const {
        return one.is_call() && std::ranges::binary_search(probes_.awaits, one.number(body_.code));
    }

    void note_moved(const Instruction& one) {
        if (moved_to_[one.begin] == kNowhere) {
            const auto to = static_cast<uint32_t>(code_.size());
            moved_to_[one.begin] = to;
            moved_.push_back({.from = one.begin, .to = to});
        }
    }

    void write(const Instruction& one) {
        note_moved(one);
        return one.opcode == Opcode::kRet ? write_return() : copy(one);
    }

    void copy(const Instruction& one) {
        const uint32_t targets = one.target_count(body_.code);
        if (targets == 0 && one.operand != Operand::kTargets) {
            return code_.put_bytes(body_.code.subspan(one.begin, one.end - one.begin));
        }
        code_.put(long_form(one.opcode));
        if (one.operand == Operand::kTargets) {
            code_.put(targets);
        }
        const auto end = static_cast<uint32_t>(code_.size() + size_t{4} * targets);
        for (uint32_t number = 0; number < targets; ++number) {
            branch(end, static_cast<uint32_t>(one.target(body_.code, number)));
        }
    }

    void branch(uint32_t from, uint32_t old_target) {
        open_.push_back({.at = code_.size(), .from = from, .old_target = old_target});
        code_.put(uint32_t{0});
    }

    void write_return() {
        if (outline_.has_tail_calls) {
            return write_return_in_place();
        }
        store_result();
        code_.put(Opcode::kLeave);
        branch(static_cast<uint32_t>(code_.size() + 4), kNowhere);
    }

    void write_return_in_place() {
        const bool tells_result = !probes_.result.empty();
        if (tells_result) {
            store_result();
            code_.put_bytes(probes_.result);
        }
        code_.put_bytes(probes_.leave);
        if (tells_result) {
            load_result();
        }
        code_.put(Opcode::kRet);
    }

    void store_result() {
        if (has_result()) {
            code_.put(Opcode::kStloc, locals_.result);
        }
    }
    void load_result() {
        if (has_result()) {
            code_.put(Opcode::kLdloc, locals_.result);
        }
    }

    Clause write_filter(uint32_t begin) {
        const auto filter = static_cast<uint32_t>(code_.size());
        code_.put(Opcode::kStloc, locals_.exception);
        code_.put_bytes(probes_.failed);
        code_.put(Opcode::kLdcI4, uint32_t{0});
        code_.put(Opcode::kEndfilter);
        const auto handler = static_cast<uint32_t>(code_.size());
        code_.put(Opcode::kPop);
        code_.put(Opcode::kRethrow);
        return {.kind = Clause::kFilter,
                .try_begin = begin,
                .try_end = filter,
                .handler_begin = handler,
                .handler_end = static_cast<uint32_t>(code_.size()),
                .type_or_filter = filter};
    }

    Clause write_fault_handler(uint32_t begin) {
        const auto end = static_cast<uint32_t>(code_.size());
        code_.put_bytes(probes_.again);
        code_.put_bytes(probes_.leave);
        code_.put(Opcode::kEndfinally);
        return {.kind = Clause::kFault,
                .try_begin = begin,
                .try_end = end,
                .handler_begin = end,
                .handler_end = static_cast<uint32_t>(code_.size()),
                .type_or_filter = 0};
    }

    void write_end() {
        end_ = static_cast<uint32_t>(code_.size());
        code_.put_bytes(probes_.result);
        code_.put_bytes(probes_.leave);
        load_result();
        code_.put(Opcode::kRet);
    }

    [[nodiscard]] bool has_result() const { return locals_.result != locals_.marker; }

    [[nodiscard]] std::vector<Clause> moved_clauses() const {
        std::vector<Clause> clauses;
        clauses.reserve(body_.clauses.size() + 2);
        for (Clause clause : body_.clauses) {
            clause.try_begin = moved_to_[clause.try_begin];
            clause.try_end = moved_to_[clause.try_end];
            clause.handler_begin = moved_to_[clause.handler_begin];
            clause.handler_end = moved_to_[clause.handler_end];
            if (clause.kind == Clause::kFilter) {
                clause.type_or_filter = moved_to_[clause.type_or_filter];
            }
            clauses.push_back(clause);
        }
        return clauses;
    }

    void fill_in_branches() {
        for (const Open& open : open_) {
            const uint32_t target = open.old_target == kNowhere ? end_ : moved_to_[open.old_target];
            code_.set(open.at, target - open.from);
        }
    }

    const MethodBody& body_;
    const Outline& outline_;
    const ProbeCode& probes_;
    const ProbeLocals& locals_;
    ByteWriter code_;
    std::vector<uint32_t> handlers_;  ///< where they begin, ascending; of those that have `again`
    std::vector<uint32_t> moved_to_;  ///< by old offset
    std::vector<MovedOffset> moved_;
    std::vector<Open> open_;
    uint32_t end_ = 0;  ///< where a return goes
};

}  // namespace

const char* reason(Refusal refusal) {
    switch (refusal) {
        case Refusal::kMalformed:
            return "its code is malformed";
        case Refusal::kJump:
            return "it ends in a jmp instruction";
        case Refusal::kFallsOff:
            return "its code has no end";
        case Refusal::kTooLarge:
            return "its code is too large";
        case Refusal::kTailCall:
            return "the runtime suspends it (runtime async), and it makes tail calls";
    }
    return "unknown";
}

tl::expected<Instrumented, Refusal> wrap(const MethodBody& body, const ProbeCode& probes,
                                         const ProbeLocals& locals, uint32_t local_signature) {
    if (body.code.size() * most_growth(probes) > kMostCode ||
        body.clauses.size() + (probes.failed.empty() ? 1 : 2) > kMaxClauses ||
        body.max_stack > std::numeric_limits<uint16_t>::max() - kProbeStack) {
        return tl::unexpected(Refusal::kTooLarge);
    }
    const tl::expected<Outline, Refusal> outline = Scan(body).run();
    if (!outline) {
        return tl::unexpected(outline.error());
    }
    if (outline->has_tail_calls && !probes.again.empty()) {
        return tl::unexpected(Refusal::kTailCall);
    }
    return Writer(body, *outline, probes, locals).run(local_signature);
}

tl::expected<Instrumented, Refusal> put_in_front(const MethodBody& body, const ProbeCode& probe,
                                                 uint32_t local_signature) {
    const tl::expected<Outline, Refusal> outline = Scan(body).run();
    if (!outline) {
        return tl::unexpected(outline.error());
    }
    const auto by = static_cast<uint32_t>(probe.enter.size());
    Instrumented made;
    made.has_tail_calls = outline->has_tail_calls;
    for (const Instruction& one : outline->instructions) {
        made.moved.push_back({.from = one.begin, .to = one.begin + by});
    }
    std::vector<uint8_t> code = probe.enter;
    code.insert(code.end(), body.code.begin(), body.code.end());
    MethodBody result = body;
    result.code = code;
    result.max_stack = std::max(body.max_stack, probe.enter_stack);
    result.local_signature = local_signature;
    for (Clause& clause : result.clauses) {
        for (uint32_t* offset :
             {&clause.try_begin, &clause.try_end, &clause.handler_begin, &clause.handler_end}) {
            *offset += by;
        }
        if (clause.kind == Clause::kFilter) {
            clause.type_or_filter += by;
        }
    }
    made.body = result.encode();
    return made;
}

bool may_end_in_call(Bytes code) {
    constexpr size_t kCallBytes = 5;
    for (size_t at = kCallBytes; at < code.size(); ++at) {
        const auto call = static_cast<Opcode>(code[at - kCallBytes]);
        if (code[at] == static_cast<uint8_t>(Opcode::kRet) &&
            (call == Opcode::kCall || call == Opcode::kCalli || call == Opcode::kCallvirt)) {
            return true;
        }
    }
    return false;
}

std::optional<Instrumented> keep_frame(const MethodBody& body,
                                       const std::function<bool(uint32_t token)>& is_own) {
    if (body.code.size() * kMostGrowth > kMostCode || body.clauses.size() > kMaxClauses) {
        return std::nullopt;
    }
    const tl::expected<Outline, Refusal> outline = Scan(body).run();
    if (!outline) {
        return std::nullopt;
    }
    return Writer(body, *outline, {}, {}).keep_frame([&](const Instruction& one) {
        return one.is_call() && (one.opcode == Opcode::kCalli || !is_own(one.number(body.code)));
    });
}

tl::expected<Instrumented, Refusal> instrument(const MethodBody& body, const Probes& probes,
                                               const ProbeLocals& locals,
                                               uint32_t local_signature) {
    if (probes.arguments.size() > kMaxArguments) {
        return tl::unexpected(Refusal::kTooLarge);
    }
    ProbeWriter writer(probes, locals);
    ProbeCode code{.enter = writer.enter(), .leave = writer.leave(), .result = writer.result()};
    if (probes.suspension) {
        code.again = writer.again();
        code.failed = writer.failed(*probes.suspension);
        code.enter_stack = kFailedStack;
        code.awaits = probes.suspension->awaits;
    }
    return wrap(body, code, locals, local_signature);
}

}  // namespace umbra::il
