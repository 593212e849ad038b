// SPDX-License-Identifier: MIT
// The vtables of the proxies that stand between a runtime and its profiler (proxies.h): a thunk for
// each slot, 16 bytes apart, which passes the slot's number on.
//
// Called by  either side, as any virtual method: x0 = the proxy, up to seven more arguments in
//            registers. Nothing is copied from the stack: no method called through a callback proxy
//            has more arguments; a call through an info proxy keeps the stack as it was.
// Calls      void* umbra_runsxs_info_call(CallRegisters*, uint32_t slot)
//            void* umbra_runsxs_callback_begin(CallRegisters*, uint32_t slot)
//            Both look at the arguments, put the real object into x0's place, and answer the
//            address to go on to. void umbra_runsxs_callback_end() when a callback has returned.
// Unwind     an exception thrown by the callee passes through.

    .text

#define FRAME_BYTES 96
#define FRAME_REGISTERS 16  /* x0-x7: CallRegisters and two more; then x8 */

.macro SAVE_ARGUMENTS
    stp     x29, x30, [sp, -FRAME_BYTES]!
    .cfi_def_cfa_offset FRAME_BYTES
    .cfi_offset x29, -FRAME_BYTES
    .cfi_offset x30, -FRAME_BYTES + 8
    mov     x29, sp
    stp     x0, x1, [sp, FRAME_REGISTERS]
    stp     x2, x3, [sp, FRAME_REGISTERS + 16]
    stp     x4, x5, [sp, FRAME_REGISTERS + 32]
    stp     x6, x7, [sp, FRAME_REGISTERS + 48]
    str     x8, [sp, FRAME_REGISTERS + 64]
    add     x0, sp, FRAME_REGISTERS
    mov     w1, w16
.endm

.macro RESTORE_ARGUMENTS
    mov     x16, x0
    ldp     x0, x1, [sp, FRAME_REGISTERS]
    ldp     x2, x3, [sp, FRAME_REGISTERS + 16]
    ldp     x4, x5, [sp, FRAME_REGISTERS + 32]
    ldp     x6, x7, [sp, FRAME_REGISTERS + 48]
    ldr     x8, [sp, FRAME_REGISTERS + 64]
.endm

.macro END_FRAME
    ldp     x29, x30, [sp], FRAME_BYTES
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
.endm

    .type   info_call, %function
info_call:
    .cfi_startproc
    SAVE_ARGUMENTS
    bl      umbra_runsxs_info_call
    RESTORE_ARGUMENTS
    END_FRAME
    br      x16
    .cfi_endproc
    .size   info_call, . - info_call

    .type   callback_call, %function
callback_call:
    .cfi_startproc
    SAVE_ARGUMENTS
    bl      umbra_runsxs_callback_begin
    RESTORE_ARGUMENTS
    blr     x16
    str     x0, [sp, FRAME_REGISTERS]
    bl      umbra_runsxs_callback_end
    ldr     x0, [sp, FRAME_REGISTERS]
    END_FRAME
    ret
    .cfi_endproc
    .size   callback_call, . - callback_call

.macro THUNKS name, target
    .globl  \name
    .hidden \name
    .type   \name, %function
    .balign 16
\name:
    .set number, 0
    .rept   128
    .balign 16
    mov     w16, number
    b       \target
    .set number, number + 1
    .endr
    .size   \name, . - \name
.endm

    THUNKS umbra_runsxs_info_thunks, info_call
    THUNKS umbra_runsxs_callback_thunks, callback_call

    .section .note.GNU-stack, "", %progbits
