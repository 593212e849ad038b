// SPDX-License-Identifier: MIT
// The x86-64 registers that hooks have to preserve under the System V ABI.
#include "src/fakeclr/register_file.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "src/fakeclr/register_check.h"
#include "src/fakeclr/register_layout.inc"

#define UMBRA_CHECKED_CALL_ABI

namespace umbra::fakeclr {
namespace {

constexpr int kEnterId = GPR_R14;
constexpr int kEnterSp = GPR_R15;
constexpr int kLeaveId = GPR_RDI;
constexpr int kLeaveSp = GPR_RSI;

bool is_callee_saved(std::string_view name) {
    constexpr std::string_view kCalleeSaved[] = {"rbx", "rbp", "rsp",   "r12",   "r13",    "r14",
                                                 "r15", "df",  "mxcsr", "x87cw", "x87tags"};
    return std::ranges::find(kCalleeSaved, name) != std::end(kCalleeSaved);
}

/// Incoming arguments: Enter runs before the prolog has stored them.
bool is_argument(std::string_view name) {
    constexpr std::string_view kArguments[] = {"rdi",  "rsi",  "rdx",  "rcx",  "r8",
                                               "r9",   "xmm0", "xmm1", "xmm2", "xmm3",
                                               "xmm4", "xmm5", "xmm6", "xmm7"};
    return std::ranges::find(kArguments, name) != std::end(kArguments);
}

/// The return value, and RCX, in which newer JITs return an async continuation.
bool is_return_value(std::string_view name) {
    constexpr std::string_view kReturns[] = {"rax", "rdx", "rcx", "xmm0", "xmm1"};
    return std::ranges::find(kReturns, name) != std::end(kReturns);
}

}  // namespace
}  // namespace umbra::fakeclr

#include "arch/x86_64_register_file.inc"
