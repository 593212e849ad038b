// SPDX-License-Identifier: MIT
#include "src/il/async_probe.h"

#include <utility>
#include <vector>

#include "src/il/byte_writer.h"
#include "src/il/probe_writer.h"

namespace umbra::il {
namespace {

// Two keys, two objects, frame, runtime, function.
constexpr uint16_t kBeginStack = 7;
constexpr uint32_t kNoTask = 0x80000000;
constexpr size_t kAwaitedBytes = 11;

class AsyncProbeWriter {
  public:
    AsyncProbeWriter(const AsyncProbe& probe, const CoreTokens& tokens, uint16_t marker, Bytes body)
        : probe_(probe), tokens_(tokens), marker_(marker), body_(body) {}

    [[nodiscard]] std::vector<uint8_t> begin() {
        put_key(probe_.first);
        load(probe_.first);
        put_second_key();
        load(probe_.second);
        load_told_frame();
        code_.put(Opcode::kLdcI4, probe_.runtime);
        call_native(code_, probe_.begin);
        return std::exchange(code_, {}).take();
    }

    [[nodiscard]] std::vector<uint8_t> end() {
        code_.put(Opcode::kLdcI8, uint64_t{0});
        load_frame(code_, marker_);
        call_native(code_, probe_.end);
        return std::exchange(code_, {}).take();
    }

  private:
    void load_argument(uint16_t number) { code_.put(Opcode::kLdarg, number); }
    void load_told_frame() {
        if (probe_.frame_field == 0) {
            return load_frame(code_, marker_);
        }
        load_argument(1);
        code_.put(Opcode::kLdfld, probe_.frame_field);
        code_.put(Opcode::kConvU);
    }
    void load(ObjectSource source) {
        switch (source) {
            case ObjectSource::kNone:
                return code_.put(Opcode::kLdnull);
            case ObjectSource::kArgument0:
                return load_argument(0);
            case ObjectSource::kArgument1:
                return load_argument(1);
            case ObjectSource::kArgument2:
                return load_argument(2);
            case ObjectSource::kReferenced1:
                load_argument(1);
                return code_.put(Opcode::kLdindRef);
            case ObjectSource::kVoidTask:
                load_argument(0);
                code_.put(Opcode::kLdflda, tokens_.void_builder);
                return code_.put(Opcode::kLdindRef);
            case ObjectSource::kAwaited:
                return code_.put_bytes(body_.first(kAwaitedBytes));
            case ObjectSource::kStackAwaited:
                return load_stack_awaited();
        }
    }

    void load_stack_field(uint32_t field) {
        load_argument(1);
        code_.put(Opcode::kLdfld, tokens_.stack.state);
        code_.put(Opcode::kLdfld, field);
        code_.put(Opcode::kDup);
    }

    void load_stack_awaited() {
        const StackFields& stack = tokens_.stack;
        load_stack_field(stack.task_continuation);
        const size_t to_task = code_.branch(Opcode::kBrtrue);
        code_.put(Opcode::kPop);
        load_stack_field(stack.source_continuation);
        const size_t to_source = code_.branch(Opcode::kBrtrue);
        code_.put(Opcode::kPop);
        code_.put(Opcode::kLdnull);
        const size_t to_end = code_.branch(Opcode::kBr);
        code_.end_branch(to_task);
        code_.put(Opcode::kLdfld, stack.continuation_task);
        const size_t from_task = code_.branch(Opcode::kBr);
        code_.end_branch(to_source);
        code_.put(Opcode::kLdfld, stack.continuation_source);
        code_.end_branch(to_end);
        code_.end_branch(from_task);
    }

    void load_field_address(ObjectSource source) {
        if (source == ObjectSource::kVoidTask) {
            load_argument(0);
            code_.put(Opcode::kLdflda, tokens_.void_builder);
        } else {
            load_argument(source == ObjectSource::kNone ? 0 : 1);
        }
        code_.put(Opcode::kConvU);
        code_.put(Opcode::kConvU4);
    }

    void put_second_key() {
        switch (probe_.second_key) {
            case SecondKey::kOwn:
                return put_key(probe_.second);
            case SecondKey::kNone:
                return code_.put(Opcode::kLdcI4, uint32_t{0});
            case SecondKey::kField:
                return load_field_address(probe_.first);
        }
    }

    void put_key(ObjectSource source) {
        if (source == ObjectSource::kNone) {
            return code_.put(Opcode::kLdcI4, uint32_t{0});
        }
        load(source);
        code_.put(Opcode::kIsinst, tokens_.task);
        code_.put(Opcode::kDup);
        const size_t to_task = code_.branch(Opcode::kBrtrue);
        code_.put(Opcode::kPop);
        load(source);
        code_.put(Opcode::kCall, tokens_.get_hash_code);
        code_.put(Opcode::kLdcI4, kNoTask);
        code_.put(Opcode::kOr);
        const size_t to_end = code_.branch(Opcode::kBr);
        code_.end_branch(to_task);
        code_.put(Opcode::kCall, tokens_.get_id);
        code_.end_branch(to_end);
    }

    const AsyncProbe& probe_;
    const CoreTokens& tokens_;
    const uint16_t marker_;
    const Bytes body_;
    ByteWriter code_;
};

}  // namespace

bool begins_with_awaited(Bytes code) {
    constexpr uint8_t kLdarg0 = 0x02;
    const auto is = [&](size_t at, Opcode opcode) {
        return code[at] == static_cast<uint8_t>(opcode);
    };
    return code.size() >= kAwaitedBytes && code[0] == kLdarg0 &&
           (is(1, Opcode::kLdfld) || is(1, Opcode::kLdflda)) && is(6, Opcode::kLdfld);
}

tl::expected<Instrumented, Refusal> instrument(const MethodBody& body, const AsyncProbe& probe,
                                               const CoreTokens& tokens, const ProbeLocals& locals,
                                               uint32_t local_signature) {
    const bool reads_awaited =
        probe.first == ObjectSource::kAwaited || probe.second == ObjectSource::kAwaited;
    if (reads_awaited && !begins_with_awaited(body.code)) {
        return tl::unexpected(Refusal::kMalformed);
    }
    AsyncProbeWriter writer(probe, tokens, locals.marker, body.code);
    ProbeCode code{.enter = writer.begin(), .enter_stack = kBeginStack};
    if (probe.end.address == 0) {
        return put_in_front(body, code, local_signature);
    }
    code.leave = writer.end();
    return wrap(body, code, locals, local_signature);
}

}  // namespace umbra::il
