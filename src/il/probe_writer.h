// SPDX-License-Identifier: MIT
// ProbeWriter: the instructions of the probes that tell of calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/il/byte_writer.h"
#include "src/il/instrument.h"
#include "src/il/signature.h"

namespace umbra::il {

/// The address of the local that tells the frame.
inline void load_frame(ByteWriter& code, uint16_t marker) {
    code.put(Opcode::kLdloca, marker);
    code.put(Opcode::kConvU);
}

inline void call_native(ByteWriter& code, const NativeFunction& function) {
    code.put(Opcode::kLdcI8, function.address);
    code.put(Opcode::kConvI);
    code.put(Opcode::kCalli, function.signature);
}

/// Each function answers code for where the evaluation stack is empty or holds what a tail call
/// hands over; it uses three slots more of it. `probes` and `locals` outlive the writer.
class ProbeWriter {
  public:
    ProbeWriter(const Probes& probes, const ProbeLocals& locals)
        : probes_(probes), locals_(locals) {}

    /// The call begins, and with which arguments.
    [[nodiscard]] std::vector<uint8_t> enter() {
        probe(probes_.enter);
        tell_those([](const ArgumentProbe& argument) { return !is_result(argument); });
        return take();
    }
    /// It goes on, if it was suspended.
    [[nodiscard]] std::vector<uint8_t> again() {
        probe(probes_.enter);
        return take();
    }
    /// The exception in its local leaves it. Uses seven slots of the stack.
    [[nodiscard]] std::vector<uint8_t> failed(const SuspensionProbes& suspension) {
        code_.put(Opcode::kLdcI4, uint32_t{0});
        code_.put(Opcode::kLdnull);
        load_frame(code_, locals_.marker);
        code_.put(Opcode::kConvU4);
        code_.put(Opcode::kLdloc, locals_.exception);
        load_frame(code_, locals_.marker);
        code_.put(Opcode::kLdcI4, suspension.runtime);
        call_native(code_, suspension.failed);
        return take();
    }
    /// It ends; if it has told values, these are over before that.
    [[nodiscard]] std::vector<uint8_t> leave() {
        if (!probes_.arguments.empty()) {
            tell_number(probes_.function, probes_.arguments_end);
        }
        probe(probes_.leave);
        return take();
    }
    /// What is given back lies in its local. Empty: it is not told.
    [[nodiscard]] std::vector<uint8_t> result() {
        tell_those(is_result);
        return take();
    }

  private:
    [[nodiscard]] std::vector<uint8_t> take() { return std::exchange(code_, {}).take(); }

    static bool is_result(const ArgumentProbe& argument) {
        return argument.source == ArgumentProbe::kResult;
    }

    void probe(uint64_t function) {
        code_.put(Opcode::kLdcI8, probes_.client_id);
        load_frame(code_, locals_.marker);
        call_native(code_, {.address = function, .signature = probes_.signature});
    }

    void tell_number(uint64_t number, const NativeFunction& function) {
        code_.put(Opcode::kLdcI8, number);
        code_.put(Opcode::kLdcI8, uint64_t{0});
        call_native(code_, function);
    }

    template <typename Which>
    void tell_those(Which which) {
        for (const ArgumentProbe& argument : probes_.arguments) {
            if (which(argument)) {
                tell(argument);
            }
        }
    }

    void tell(const ArgumentProbe& argument) {
        if (argument.getter == 0) {
            return tell_value(argument);
        }
        load(argument);
        const size_t to_value = code_.branch(Opcode::kBrtrue);
        tell_number(argument.number, argument.null_function);
        const size_t to_end = code_.branch(Opcode::kBr);
        code_.end_branch(to_value);
        tell_value(argument);
        code_.end_branch(to_end);
    }

    void tell_value(const ArgumentProbe& argument) {
        code_.put(Opcode::kLdcI8, argument.number);
        load(argument);
        if (argument.getter != 0) {
            code_.put(Opcode::kCallvirt, argument.getter);
        }
        switch (argument.form) {
            case ArgumentProbe::Form::kAsItIs:
                break;
            case ArgumentProbe::Form::kSigned:
                code_.put(Opcode::kConvI8);
                break;
            case ArgumentProbe::Form::kUnsigned:
                code_.put(Opcode::kConvU8);
                break;
            case ArgumentProbe::Form::kReal:
                code_.put(Opcode::kConvR8);
                break;
            case ArgumentProbe::Form::kAddress:
                code_.put(Opcode::kConvU);
                break;
        }
        call_native(code_, argument.function);
    }

    void load(const ArgumentProbe& argument) {
        const bool by_address = argument.form == ArgumentProbe::Form::kAddress;
        if (is_result(argument)) {
            code_.put(by_address ? Opcode::kLdloca : Opcode::kLdloc, locals_.result);
        } else {
            code_.put(by_address ? Opcode::kLdarga : Opcode::kLdarg, argument.source);
        }
    }

    ByteWriter code_;
    const Probes& probes_;
    const ProbeLocals& locals_;
};

}  // namespace umbra::il
