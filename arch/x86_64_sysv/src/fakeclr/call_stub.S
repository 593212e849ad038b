/* SPDX-License-Identifier: MIT
 * Calls the hooks with the register contract of jitted code on x86_64 SysV; see call_stub.h.
 *
 * Contract   Enter: R14 = client id, R15 = caller SP. Leave, Tailcall: RDI = client id,
 *            RSI = caller SP. R11 = address of the slot the hook is called through.
 * Preserved  the hook preserves what its contract says (register_check.h); the functions here
 *            preserve what SysV asks of any function.
 * Stack      every frame is RBP based and 16-byte aligned at the call, as the JIT's are, so
 *            RSP % 16 == 8 at the hook's first instruction.
 * Unwind     every push carries its directive; the CFA is RBP + 16 from the prolog's end on.
 */
    .intel_syntax noprefix
    .text

/* Offsets into HookSlots, proven in call_stub.h. */
#define SLOT_ENTER 0
#define SLOT_LEAVE 8
/* From RBP to the caller SP: the saved RBP and the return address. */
#define CALLER_SP 16

#include "arch/elf_functions.inc"

.macro FRAME_BEGIN
    push rbp
    .cfi_def_cfa_offset 16
    .cfi_offset rbp, -16
    mov rbp, rsp
    .cfi_def_cfa_register rbp
.endm

/* Saves a callee-saved register in the frame's `index`th word below RBP. */
.macro SAVE reg, index
    push \reg
    .cfi_offset \reg, -16 - 8 * \index
.endm

.macro RESTORE reg
    pop \reg
    .cfi_restore \reg
.endm

.macro FRAME_END
    pop rbp
    .cfi_restore rbp
    .cfi_def_cfa rsp, 8
    ret
.endm

    .p2align 4
    UMBRA_FUNCTION umbra_fakeclr_no_hook
    ret
    UMBRA_END umbra_fakeclr_no_hook

/* RDI = slot, RSI = client id, RDX = caller SP */
    .p2align 4
    UMBRA_FUNCTION umbra_fakeclr_enter
    FRAME_BEGIN
    SAVE r14, 1
    SAVE r15, 2
    mov r14, rsi
    mov r15, rdx
    mov r11, rdi
    call [r11]
    RESTORE r15
    RESTORE r14
    FRAME_END
    UMBRA_END umbra_fakeclr_enter

/* RDI = slot, RSI = client id, RDX = caller SP */
    .p2align 4
    UMBRA_FUNCTION umbra_fakeclr_leave
    FRAME_BEGIN
    mov r11, rdi
    mov rdi, rsi
    mov rsi, rdx
    call [r11]
    FRAME_END
    UMBRA_END umbra_fakeclr_leave

/* RDI = slots, RSI = client id, RDX = body, RCX = context. Body and context wait in the argument
 * registers while Enter runs, as a method's arguments do. */
    .p2align 4
    UMBRA_FUNCTION umbra_fakeclr_call
    FRAME_BEGIN
    SAVE rbx, 1
    SAVE r14, 2
    SAVE r15, 3
    sub rsp, 8
    mov rbx, rdi
    mov r14, rsi
    lea r15, [rbp + CALLER_SP]
    lea r11, [rbx + SLOT_ENTER]
    call [r11]
    mov rdi, rcx
    call rdx
    mov rdi, r14
    lea rsi, [rbp + CALLER_SP]
    lea r11, [rbx + SLOT_LEAVE]
    call [r11]
    add rsp, 8
    RESTORE r15
    RESTORE r14
    RESTORE rbx
    FRAME_END
    UMBRA_END umbra_fakeclr_call

/* RDI = slots, RSI = client id, RDX = count */
    .p2align 4
    UMBRA_FUNCTION umbra_fakeclr_pairs
    FRAME_BEGIN
    SAVE rbx, 1
    SAVE r12, 2
    SAVE r14, 3
    SAVE r15, 4
    mov rbx, rdi
    mov r12, rdx
    mov r14, rsi
    lea r15, [rbp + CALLER_SP]
    .p2align 4
1:  lea r11, [rbx + SLOT_ENTER]
    call [r11]
    mov rdi, r14
    mov rsi, r15
    lea r11, [rbx + SLOT_LEAVE]
    call [r11]
    dec r12
    jnz 1b
    RESTORE r15
    RESTORE r14
    RESTORE r12
    RESTORE rbx
    FRAME_END
    UMBRA_END umbra_fakeclr_pairs

/* RDI = slots, RSI = client id, RDX = n. R14 and R15 are reloaded at every Enter, as jitted code
 * does; the arguments arrive in registers that Enter preserves. */
    .p2align 4
    UMBRA_FUNCTION umbra_fakeclr_fib
    FRAME_BEGIN
    SAVE rbx, 1
    SAVE r12, 2
    SAVE r13, 3
    SAVE r14, 4
    SAVE r15, 5
    sub rsp, 8
    mov rbx, rdi
    mov r14, rsi
    lea r15, [rbp + CALLER_SP]
    lea r11, [rbx + SLOT_ENTER]
    call [r11]
    mov r12, rdx
    mov rax, rdx
    cmp r12, 2
    jb 1f
    mov rdi, rbx
    mov rsi, r14
    lea rdx, [r12 - 1]
    call umbra_fakeclr_fib
    mov r13, rax
    mov rdi, rbx
    mov rsi, r14
    lea rdx, [r12 - 2]
    call umbra_fakeclr_fib
    add rax, r13
1:  mov rdi, r14
    lea rsi, [rbp + CALLER_SP]
    lea r11, [rbx + SLOT_LEAVE]
    call [r11]
    add rsp, 8
    RESTORE r15
    RESTORE r14
    RESTORE r13
    RESTORE r12
    RESTORE rbx
    FRAME_END
    UMBRA_END umbra_fakeclr_fib

    .section .note.GNU-stack, "", @progbits
