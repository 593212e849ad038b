// SPDX-License-Identifier: MIT
// The x86-64 registers that hooks have to preserve under Windows.
#include "src/fakeclr/register_file.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "src/fakeclr/register_check.h"
#include "src/fakeclr/register_layout.inc"

#define UMBRA_CHECKED_CALL_ABI __attribute__((sysv_abi))

namespace umbra::fakeclr {
namespace {

constexpr int kEnterId = GPR_RCX;
constexpr int kEnterSp = GPR_RDX;
constexpr int kLeaveId = GPR_RCX;
constexpr int kLeaveSp = GPR_RDX;

bool is_callee_saved(std::string_view name) {
    constexpr std::string_view kCalleeSaved[] = {
        "rbx",   "rbp",   "rsp",   "rsi",  "rdi",   "r12",   "r13",    "r14",
        "r15",   "xmm6",  "xmm7",  "xmm8", "xmm9",  "xmm10", "xmm11",  "xmm12",
        "xmm13", "xmm14", "xmm15", "df",   "mxcsr", "x87cw", "x87tags"};
    return std::ranges::find(kCalleeSaved, name) != std::end(kCalleeSaved);
}

/// Enter runs in front of nothing that is live: the JIT has stored the arguments in their homes,
/// and loads them again behind it.
bool is_argument(std::string_view /*name*/) {
    return false;
}

/// Integers and addresses, and floating point. RCX and RDX come back unchanged besides, for JITs
/// that return an async continuation in one of them.
bool is_return_value(std::string_view name) {
    return name == "rax" || name == "xmm0" || name == "rcx" || name == "rdx";
}

}  // namespace
}  // namespace umbra::fakeclr

#include "arch/x86_64_register_file.inc"
