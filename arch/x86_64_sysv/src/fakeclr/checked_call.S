/* SPDX-License-Identifier: MIT
 * Calls a hook with every register set from one RegisterFile and stores all of them into another.
 *
 * Called by  checked_call() in register_file.cpp, as
 *            void umbra_fakeclr_checked_call[_misaligned](
 *                Hook hook, RegisterFile* before, RegisterFile* after, uint32_t vector_level)
 * Arrives    RDI = hook, RSI = before, RDX = after, ECX = vector level.
 * Stack      RSP % 16 == 8 at the hook's first instruction, 0 in the misaligned variant. No register
 *            is free to hold an address across the hook, so all of them lie on the stack:
 *              RSP + FRAME_AFTER   ten copies of `after`: found even if the hook returns with RSP
 *                                  wrong by a few words
 *              RSP + FRAME_HOOK    the hook, called through this slot
 *              RSP + FRAME_...     vector level and the caller's MXCSR and x87 control word
 * Unwind     the CFA is RSP plus a constant, because RBP carries a pattern; the callee-saved
 *            registers lie at their pushes.
 */
#include "src/fakeclr/register_layout.inc"

    .intel_syntax noprefix
    .text

#define GPR(reg) REGS_GPR + 8 * GPR_##reg
#define NUMBERS_8 0, 1, 2, 3, 4, 5, 6, 7
#define NUMBERS_16 NUMBERS_8, 8, 9, 10, 11, 12, 13, 14, 15
#define NUMBERS_32 NUMBERS_16, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

#define AFTER_COPIES 10
#define AFTER_MIDDLE 32
#define FRAME_AFTER 0
#define FRAME_HOOK 80
#define FRAME_LEVEL 88
#define FRAME_MXCSR 92
#define FRAME_X87 96
#define FRAME_BYTES 104

.macro PUSH_SAVED reg
    push \reg
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset \reg, 0
.endm

.macro POP_SAVED reg
    pop \reg
    .cfi_adjust_cfa_offset -8
    .cfi_restore \reg
.endm

/* Moves the vector registers in `numbers` between the file at a base register and the CPU. */
.macro LOAD_VECTORS op, prefix, base, numbers:vararg
    .irp number, \numbers
    \op \prefix\number, [\base + REGS_ZMM + 64 * \number]
    .endr
.endm
.macro STORE_VECTORS op, prefix, base, numbers:vararg
    .irp number, \numbers
    \op [\base + REGS_ZMM + 64 * \number], \prefix\number
    .endr
.endm

.macro CHECKED_CALL name, pad
    .globl \name
    .hidden \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
    PUSH_SAVED rbp
    PUSH_SAVED rbx
    PUSH_SAVED r12
    PUSH_SAVED r13
    PUSH_SAVED r14
    PUSH_SAVED r15
    sub rsp, FRAME_BYTES + \pad
    .cfi_adjust_cfa_offset FRAME_BYTES + \pad

    .set copy, 0
    .rept AFTER_COPIES
    mov [rsp + FRAME_AFTER + 8 * copy], rdx
    .set copy, copy + 1
    .endr
    mov [rsp + FRAME_HOOK], rdi
    mov [rsp + FRAME_LEVEL], ecx
    stmxcsr [rsp + FRAME_MXCSR]
    fnstcw [rsp + FRAME_X87]
    mov [rsi + GPR(RSP)], rsp
    mov [rdx + GPR(RSP)], rsp

    cmp ecx, VECTORS_AVX
    jb 1f
    je 2f
    LOAD_VECTORS vmovdqu64, zmm, rsi, NUMBERS_32
    .irp number, NUMBERS_8
    kmovq k\number, [rsi + REGS_MASK + 8 * \number]
    .endr
    jmp 3f
1:  LOAD_VECTORS movups, xmm, rsi, NUMBERS_16
    jmp 3f
2:  LOAD_VECTORS vmovdqu, ymm, rsi, NUMBERS_16
3:  ldmxcsr [rsi + REGS_MXCSR]
    fldcw [rsi + REGS_X87]
    push qword ptr [rsi + REGS_RFLAGS]
    .cfi_adjust_cfa_offset 8
    popfq
    .cfi_adjust_cfa_offset -8
    mov rax, [rsi + GPR(RAX)]
    mov rbx, [rsi + GPR(RBX)]
    mov rcx, [rsi + GPR(RCX)]
    mov rdx, [rsi + GPR(RDX)]
    mov rdi, [rsi + GPR(RDI)]
    mov rbp, [rsi + GPR(RBP)]
    mov r8, [rsi + GPR(R8)]
    mov r9, [rsi + GPR(R9)]
    mov r10, [rsi + GPR(R10)]
    mov r11, [rsi + GPR(R11)]
    mov r12, [rsi + GPR(R12)]
    mov r13, [rsi + GPR(R13)]
    mov r14, [rsi + GPR(R14)]
    mov r15, [rsi + GPR(R15)]
    mov rsi, [rsi + GPR(RSI)]

    call [rsp + FRAME_HOOK]

    /* Only instructions that leave the flags alone until they are stored. */
    push rax
    .cfi_adjust_cfa_offset 8
    mov rax, [rsp + 8 + FRAME_AFTER + AFTER_MIDDLE]
    mov [rax + GPR(RBX)], rbx
    mov [rax + GPR(RCX)], rcx
    mov [rax + GPR(RDX)], rdx
    mov [rax + GPR(RDI)], rdi
    mov [rax + GPR(RBP)], rbp
    mov [rax + GPR(R8)], r8
    mov [rax + GPR(R9)], r9
    mov [rax + GPR(R10)], r10
    mov [rax + GPR(R11)], r11
    mov [rax + GPR(R12)], r12
    mov [rax + GPR(R13)], r13
    mov [rax + GPR(R14)], r14
    mov [rax + GPR(R15)], r15
    mov [rax + GPR(RSI)], rsi
    pop rcx
    .cfi_adjust_cfa_offset -8
    mov [rax + GPR(RAX)], rcx
    mov rcx, rsp
    mov rdx, [rax + GPR(RSP)]
    mov [rax + GPR(RSP)], rcx
    mov rsp, rdx
    pushfq
    .cfi_adjust_cfa_offset 8
    pop [rax + REGS_RFLAGS]
    .cfi_adjust_cfa_offset -8
    cld

    stmxcsr [rax + REGS_MXCSR]
    ldmxcsr [rsp + FRAME_MXCSR]
    fnstenv [rax + REGS_X87]
    fninit
    fldcw [rsp + FRAME_X87]
    cmp dword ptr [rsp + FRAME_LEVEL], VECTORS_AVX
    jb 4f
    je 5f
    STORE_VECTORS vmovdqu64, zmm, rax, NUMBERS_32
    .irp number, NUMBERS_8
    kmovq [rax + REGS_MASK + 8 * \number], k\number
    .endr
    vzeroupper
    jmp 6f
4:  STORE_VECTORS movups, xmm, rax, NUMBERS_16
    jmp 6f
5:  STORE_VECTORS vmovdqu, ymm, rax, NUMBERS_16
    vzeroupper
6:  add rsp, FRAME_BYTES + \pad
    .cfi_adjust_cfa_offset -(FRAME_BYTES + \pad)
    POP_SAVED r15
    POP_SAVED r14
    POP_SAVED r13
    POP_SAVED r12
    POP_SAVED rbx
    POP_SAVED rbp
    ret
    .cfi_endproc
    .size \name, . - \name
.endm

/* Six pushes and the return address leave RSP % 16 == 8; FRAME_BYTES % 16 == 8 brings it to 0. */
CHECKED_CALL umbra_fakeclr_checked_call, 0
CHECKED_CALL umbra_fakeclr_checked_call_misaligned, 8

    .section .note.GNU-stack, "", @progbits
