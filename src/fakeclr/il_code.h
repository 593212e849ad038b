// SPDX-License-Identifier: MIT
// IlCode: the IL that a profiler has given a method, run as far as its probes need it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "src/base/result.h"
#include "src/il/method_body.h"

namespace umbra::fakeclr {

/// The one instruction of a made-up method's own IL that stands for what it does: a Player's calls
/// happen there.
inline constexpr auto kBodyOpcode = static_cast<il::Opcode>(0x01);  // break

/// What a method's own IL is: kBodyOpcode, a value where its signature gives one back, ret. Empty:
/// it gives back a structure or a reference, and has no IL here.
[[nodiscard]] il::Bytes own_il(il::Bytes method_signature);

/// Calls of native functions before, behind and around kBodyOpcode, found by following the code
/// once: nothing in it may depend on data. Calls are managed calli's of void functions with
/// integers and addresses of locals for arguments. Safe on any thread.
class IlCode {
  public:
    /// The blob of a StandAloneSig token; empty: there is none.
    using SignatureOf = std::function<il::Bytes(uint32_t token)>;

    /// An error says what in `body` (with its header) cannot be run.
    [[nodiscard]] static Result<IlCode> parse(il::Bytes body, const SignatureOf& signature_of);

    /// `frame`: the lowest address of the activation's locals; equal in all three.
    void enter(uint64_t frame) const { run(enter_, frame); }
    /// From behind kBodyOpcode to the return.
    void leave(uint64_t frame) const { run(leave_, frame); }
    /// The finally and fault handlers around kBodyOpcode: an exception passes.
    void unwind(uint64_t frame) const { run(unwind_, frame); }

  private:
    class Reader;

    struct Value {
        bool is_local = false;  ///< an address: of the local with this number
        uint64_t number = 0;
    };
    static constexpr size_t kMostArguments = 6;  // that are passed in registers
    struct Call {
        uint64_t function = 0;
        size_t taken = 0;  ///< of the arguments
        std::array<Value, kMostArguments> arguments{};
    };

    static void run(const std::vector<Call>& calls, uint64_t frame);

    std::vector<Call> enter_;
    std::vector<Call> leave_;
    std::vector<Call> unwind_;
};

}  // namespace umbra::fakeclr
