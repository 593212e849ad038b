// SPDX-License-Identifier: MIT
// Calls a hook with every register set from one RegisterFile and stores all of them into another.
//
// Called by  checked_call() in register_file.cpp, as
//            void umbra_fakeclr_checked_call(Hook hook, RegisterFile* before, RegisterFile* after)
// Arrives    x0 = hook, x1 = before, x2 = after.
// Stack      no register is free to hold an address across the hook, so all lie on the stack:
//              sp + FRAME_AFTER  ten copies of `after`: found even if the hook returns with sp wrong by
//                                a few words
//              sp + FRAME_...    what this function has to give back to its caller
//            The hook's address is in x30 when it is called: a hook finds its return address there.
// Unwind     the CFA is sp plus a constant, because x29 carries a pattern.

#include "arch/elf_functions.inc"
#include "src/fakeclr/register_layout.inc"

    .text
    .arch   armv8.2-a+sve

#define NUMBERS_16 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define NUMBERS_32 NUMBERS_16, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

#define FRAME_AFTER 0
#define AFTER_MIDDLE 32
#define FRAME_FPCR 80
#define FRAME_SAVED 96      /* x19-x30, then d8-d15 */
#define FRAME_BYTES 256

// Where xn lies in the register file.
#define X(n) REGS_X + 8 * (n)

.macro VECTORS op, base, scratch
    add     \scratch, \base, REGS_Z
    .irp n, NUMBERS_32
    \op     q\n, [\scratch, 16 * \n]
    .endr
.endm

.macro SCALABLE op, base, scratch
    add     \scratch, \base, REGS_Z
    .irp n, NUMBERS_32
    \op     z\n, [\scratch, \n, mul vl]
    .endr
    mov     \scratch, REGS_P
    add     \scratch, \scratch, \base
    .irp n, NUMBERS_16
    \op     p\n, [\scratch, \n, mul vl]
    .endr
.endm

    .p2align 4
    UMBRA_FUNCTION umbra_fakeclr_checked_call
    sub     sp, sp, FRAME_BYTES
    .cfi_def_cfa_offset FRAME_BYTES
    .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    str     x\n, [sp, FRAME_SAVED + 8 * (\n - 19)]
    .cfi_offset x\n, FRAME_SAVED + 8 * (\n - 19) - FRAME_BYTES
    .endr
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    str     d\n, [sp, FRAME_SAVED + 96 + 8 * (\n - 8)]
    .cfi_offset d\n, FRAME_SAVED + 96 + 8 * (\n - 8) - FRAME_BYTES
    .endr
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    str     x2, [sp, FRAME_AFTER + 8 * \n]
    .endr
    mrs     x3, fpcr
    str     x3, [sp, FRAME_FPCR]
    mov     x3, sp
    str     x3, [x1, REGS_SP]
    str     x3, [x2, REGS_SP]
    mov     x30, x0

    // In: vectors first, then control registers, then x2 to x29, last x0 and x1.
    ldr     x3, [x1, REGS_VECTOR_BYTES]
    cmp     x3, 16
    b.hi    1f
    VECTORS ldr, x1, x4
    b       2f
1:  mov     x4, REGS_FFR
    add     x4, x4, x1
    ldr     p0, [x4]
    wrffr   p0.b
    SCALABLE ldr, x1, x4
2:  ldr     x3, [x1, REGS_FPCR]
    msr     fpcr, x3
    ldr     x3, [x1, REGS_NZCV]
    msr     nzcv, x3
    .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    ldr     x\n, [x1, X(\n)]
    .endr
    ldr     x0, [x1, X(0)]
    ldr     x1, [x1, X(1)]

    blr     x30

    // Out: only instructions that leave the flags alone until they are stored. x30 is free.
    ldr     x30, [sp, FRAME_AFTER + AFTER_MIDDLE]
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    str     x\n, [x30, X(\n)]
    .endr
    mrs     x3, nzcv
    str     x3, [x30, REGS_NZCV]
    mrs     x3, fpcr
    str     x3, [x30, REGS_FPCR]
    mov     x3, sp
    ldr     x4, [x30, REGS_SP]
    str     x3, [x30, REGS_SP]
    mov     sp, x4
    ldr     x3, [sp, FRAME_FPCR]
    msr     fpcr, x3
    ldr     x3, [x30, REGS_VECTOR_BYTES]
    cmp     x3, 16
    b.hi    3f
    VECTORS str, x30, x4
    b       4f
3:  SCALABLE str, x30, x4
    rdffr   p0.b
    mov     x4, REGS_FFR
    add     x4, x4, x30
    str     p0, [x4]
4:  .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    ldr     d\n, [sp, FRAME_SAVED + 96 + 8 * (\n - 8)]
    .cfi_restore d\n
    .endr
    .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    ldr     x\n, [sp, FRAME_SAVED + 8 * (\n - 19)]
    .cfi_restore x\n
    .endr
    add     sp, sp, FRAME_BYTES
    .cfi_def_cfa_offset 0
    ret
    UMBRA_END umbra_fakeclr_checked_call

    .section .note.GNU-stack, "", %progbits
