// SPDX-License-Identifier: MIT
// Calls the hooks with the register contract of jitted code on AArch64; see call_stub.h.
//
// Contract   Enter, Leave, Tailcall: x10 = client id, x11 = caller SP; x12 = the hook, called with blr.
// Preserved  the hook preserves what its contract says (register_check.h); the functions here
//            preserve what AAPCS64 asks of any function.
// Stack      every frame begins with x29 and x30, x29 points at them; sp mod 16 = 0 throughout.
// Unwind     the CFA is x29 plus the frame's size from the prolog's end on.

    .text

// Offsets into HookSlots, proven in call_stub.h.
#define SLOT_ENTER 0
#define SLOT_LEAVE 8

#include "arch/elf_functions.inc"

// A frame of x29, x30 and the words at sp + 16 and up; the caller SP is x29 + bytes.
.macro FRAME_BEGIN bytes
    stp     x29, x30, [sp, -\bytes]!
    .cfi_def_cfa_offset \bytes
    .cfi_offset x29, -\bytes
    .cfi_offset x30, -\bytes + 8
    mov     x29, sp
    .cfi_def_cfa_register x29
.endm

.macro FRAME_END bytes
    ldp     x29, x30, [sp], \bytes
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa sp, 0
    ret
.endm

// Keeps a pair of callee-saved registers at sp + `at` of a frame of `bytes`.
.macro SAVE first, second, at, bytes
    stp     \first, \second, [sp, \at]
    .cfi_offset \first, \at - \bytes
    .cfi_offset \second, \at - \bytes + 8
.endm

.macro RESTORE first, second, at
    ldp     \first, \second, [sp, \at]
    .cfi_restore \first
    .cfi_restore \second
.endm

    .p2align 4
    UMBRA_FUNCTION umbra_fakeclr_no_hook
    ret
    UMBRA_END umbra_fakeclr_no_hook

// x0 = slot, x1 = client id, x2 = caller SP
    .p2align 4
    UMBRA_FUNCTION umbra_fakeclr_enter
    FRAME_BEGIN 16
    mov     x10, x1
    mov     x11, x2
    ldr     x12, [x0]
    blr     x12
    FRAME_END 16
    UMBRA_END umbra_fakeclr_enter

    .p2align 4
    UMBRA_FUNCTION umbra_fakeclr_leave
    FRAME_BEGIN 16
    mov     x10, x1
    mov     x11, x2
    ldr     x12, [x0]
    blr     x12
    FRAME_END 16
    UMBRA_END umbra_fakeclr_leave

// x0 = slots, x1 = client id, x2 = body, x3 = context. Body and context wait in the argument registers
// while Enter runs, as a method's arguments do.
    .p2align 4
    UMBRA_FUNCTION umbra_fakeclr_call
    FRAME_BEGIN 32
    SAVE    x19, x20, 16, 32
    mov     x19, x0
    mov     x20, x1
    mov     x10, x1
    add     x11, x29, 32
    ldr     x12, [x19, SLOT_ENTER]
    blr     x12
    mov     x0, x3
    blr     x2
    mov     x10, x20
    add     x11, x29, 32
    ldr     x12, [x19, SLOT_LEAVE]
    blr     x12
    RESTORE x19, x20, 16
    FRAME_END 32
    UMBRA_END umbra_fakeclr_call

// x0 = slots, x1 = client id, x2 = count
    .p2align 4
    UMBRA_FUNCTION umbra_fakeclr_pairs
    FRAME_BEGIN 48
    SAVE    x19, x20, 16, 48
    SAVE    x21, x22, 32, 48
    mov     x19, x0
    mov     x20, x1
    mov     x21, x2
    .p2align 4
1:  mov     x10, x20
    add     x11, x29, 48
    ldr     x12, [x19, SLOT_ENTER]
    blr     x12
    mov     x10, x20
    add     x11, x29, 48
    ldr     x12, [x19, SLOT_LEAVE]
    blr     x12
    subs    x21, x21, 1
    b.ne    1b
    RESTORE x21, x22, 32
    RESTORE x19, x20, 16
    FRAME_END 48
    UMBRA_END umbra_fakeclr_pairs

// x0 = slots, x1 = client id, x2 = n
    .p2align 4
    UMBRA_FUNCTION umbra_fakeclr_fib
    FRAME_BEGIN 48
    SAVE    x19, x20, 16, 48
    SAVE    x21, x22, 32, 48
    mov     x19, x0
    mov     x20, x1
    mov     x10, x1
    add     x11, x29, 48
    ldr     x12, [x19, SLOT_ENTER]
    blr     x12
    mov     x21, x2
    mov     x0, x2
    cmp     x2, 2
    b.lo    1f
    mov     x0, x19
    mov     x1, x20
    sub     x2, x21, 1
    bl      umbra_fakeclr_fib
    mov     x22, x0
    mov     x0, x19
    mov     x1, x20
    sub     x2, x21, 2
    bl      umbra_fakeclr_fib
    add     x0, x0, x22
1:  mov     x10, x20
    add     x11, x29, 48
    ldr     x12, [x19, SLOT_LEAVE]
    blr     x12
    RESTORE x21, x22, 32
    RESTORE x19, x20, 16
    FRAME_END 48
    UMBRA_END umbra_fakeclr_fib

    .section .note.GNU-stack, "", %progbits
