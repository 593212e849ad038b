// SPDX-License-Identifier: MIT
// Calls Enter, Leave and Tailcall hooks the way jitted code does on x86_64 SysV.
#pragma once

#include <cstddef>
#include <cstdint>

namespace umbra::fakeclr {

/// A hook's address. Its register contract is private to jitted code, so C++ never calls it.
using Hook = void (*)();

/// The runtime's helper table: compiled code calls the hooks through these slots, so a slot changed
/// later takes effect in code that exists already. No slot is ever null.
struct HookSlots {
    Hook enter;
    Hook leave;
    Hook tailcall;
};
static_assert(sizeof(Hook) == 8 && offsetof(HookSlots, enter) == 0 &&
              offsetof(HookSlots, leave) == 8 && offsetof(HookSlots, tailcall) == 16);

/// What a hooked method does between Enter and Leave. May throw: the frames below unwind.
using Body = uint64_t (*)(void* context);

// Every function below is safe on any thread. Any `caller_sp` is allowed: hooks take it as data.
extern "C" {

/// What the runtime puts into a slot for which the profiler gave no hook: a bare return.
void umbra_fakeclr_no_hook();

/// Calls `*slot` as a method's prolog does: R14 = id, R15 = caller SP, R11 = slot.
void umbra_fakeclr_enter(const Hook* slot, uintptr_t client_id, uintptr_t caller_sp);

/// Calls `*slot` as an epilog or a tail call site does: RDI = id, RSI = caller SP, R11 = slot.
/// Serves Leave and Tailcall.
void umbra_fakeclr_leave(const Hook* slot, uintptr_t client_id, uintptr_t caller_sp);

/// A jitted method: Enter, `body(context)`, Leave, with the true caller SP of this call.
/// Returns what the body returned, which had to survive Leave in RAX.
uint64_t umbra_fakeclr_call(const HookSlots* slots, uintptr_t client_id, Body body, void* context);

/// `count` pairs of Enter and Leave back to back, with nothing between them: the loop that probe
/// costs are measured with. Its floor is the same loop over umbra_fakeclr_no_hook. count >= 1.
void umbra_fakeclr_pairs(const HookSlots* slots, uintptr_t client_id, uint64_t count);

/// Jitted recursive fib(n): every call has a real frame, an Enter and a Leave.
/// Makes 2 F(n + 1) - 1 calls and returns F(n).
uint64_t umbra_fakeclr_fib(const HookSlots* slots, uintptr_t client_id, uint64_t n);

}  // extern "C"

}  // namespace umbra::fakeclr
