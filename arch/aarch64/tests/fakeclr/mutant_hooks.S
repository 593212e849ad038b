// SPDX-License-Identifier: MIT
// Hooks that each break one promise, and one that uses all it may: the register check must tell
// them apart. mutants.h lists them.

    .text
    .arch   armv8.2-a+sve

.macro HOOK name
    .globl  \name
    .type   \name, %function
\name:
    .cfi_startproc
.endm
.macro END_HOOK name
    .cfi_endproc
    .size   \name, . - \name
.endm

// One general register loses its lowest bit, which is always set in a pattern.
.macro GENERAL_MUTANT reg
    HOOK mutant_\reg
    sub     \reg, \reg, 1
    ret
    END_HOOK mutant_\reg
.endm
.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    GENERAL_MUTANT x\n
.endr

// The low half of a vector register; the high one.
.macro VECTOR_MUTANT number
    HOOK mutant_v\number
    mov     v\number\().d[0], xzr
    ret
    END_HOOK mutant_v\number
    HOOK mutant_q\number
    mov     v\number\().d[1], xzr
    ret
    END_HOOK mutant_q\number
.endm
.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 31
    VECTOR_MUTANT \n
.endr

HOOK mutant_sp
    add     sp, sp, 16
    ret
END_HOOK mutant_sp

HOOK mutant_flags
    msr     nzcv, xzr
    ret
END_HOOK mutant_flags

HOOK mutant_fpcr
    msr     fpcr, xzr
    ret
END_HOOK mutant_fpcr

// For processors with SVE.
HOOK mutant_z3
    mov     v3.16b, v3.16b
    ret
END_HOOK mutant_z3

HOOK mutant_p5
    pfalse  p5.b
    ret
END_HOOK mutant_p5

HOOK mutant_ffr
    setffr
    ret
END_HOOK mutant_ffr

// Everything a hook may change.
.macro GREEDY name
    HOOK \name
    .irp n, 9, 10, 11, 12, 13, 14, 15, 16, 17
    mov     x\n, 2
    .endr
    .irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    movi    d\n, 0
    .endr
    msr     nzcv, xzr
    ret
    END_HOOK \name
.endm
    GREEDY greedy_enter
    GREEDY greedy_leave

// Calls C++ as a slow path does, for the unwinder to look at. Saves the arguments that jitted code
// goes on to use, and no vector register.
HOOK unwinding_hook
    stp     x29, x30, [sp, -96]!
    .cfi_def_cfa_offset 96
    .cfi_offset x29, -96
    .cfi_offset x30, -88
    mov     x29, sp
    .cfi_def_cfa_register x29
    stp     x0, x1, [sp, 16]
    stp     x2, x3, [sp, 32]
    stp     x4, x5, [sp, 48]
    stp     x6, x7, [sp, 64]
    str     x8, [sp, 80]
    bl      note_backtrace
    ldp     x0, x1, [sp, 16]
    ldp     x2, x3, [sp, 32]
    ldp     x4, x5, [sp, 48]
    ldp     x6, x7, [sp, 64]
    ldr     x8, [sp, 80]
    ldp     x29, x30, [sp], 96
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa sp, 0
    ret
END_HOOK unwinding_hook

// Stores sp % 16 of its first instruction in what the client id of an Enter points at.
HOOK alignment_hook
    mov     x12, sp
    and     x12, x12, 15
    str     x12, [x10]
    ret
END_HOOK alignment_hook

    .section .note.GNU-stack, "", %progbits
