/* SPDX-License-Identifier: MIT
 * Hooks that each break one promise, and one that uses all it may: the register check must tell
 * them apart. register_check_test.cpp lists them.
 */
    .intel_syntax noprefix
    .text

.macro HOOK name
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
.endm
.macro END_HOOK name
    .cfi_endproc
    .size \name, . - \name
.endm

/* One general register loses its lowest bit, which is always set in a pattern. */
.macro GPR_MUTANT reg
    HOOK mutant_\reg
    lea \reg, [\reg - 1]
    ret
    END_HOOK mutant_\reg
.endm
.irp reg, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
    GPR_MUTANT \reg
.endr

.macro XMM_MUTANT number
    HOOK mutant_xmm\number
    pxor xmm\number, xmm\number
    ret
    END_HOOK mutant_xmm\number
.endm
.irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 15
    XMM_MUTANT \number
.endr

HOOK mutant_rsp
    ret 8
END_HOOK mutant_rsp

HOOK mutant_upper_halves
    vzeroupper
    ret
END_HOOK mutant_upper_halves

HOOK mutant_zmm20
    vpxorq zmm20, zmm20, zmm20
    ret
END_HOOK mutant_zmm20

HOOK mutant_k3
    kxorq k3, k3, k3
    ret
END_HOOK mutant_k3

HOOK mutant_flags
    clc
    ret
END_HOOK mutant_flags

HOOK mutant_df
    std
    ret
END_HOOK mutant_df

HOOK mutant_mxcsr
    mov dword ptr [rsp - 8], 0x1f80
    ldmxcsr [rsp - 8]
    ret
END_HOOK mutant_mxcsr

HOOK mutant_x87cw
    mov word ptr [rsp - 8], 0x37f
    fldcw [rsp - 8]
    ret
END_HOOK mutant_x87cw

HOOK mutant_x87tags
    fldz
    ret
END_HOOK mutant_x87tags

/* Everything an Enter hook may change, and the most it may. */
HOOK greedy_enter
    mov eax, 1
    mov r10d, 2
    mov r11d, 3
    .irp number, 8, 9, 10, 11, 12, 13, 14, 15
    pxor xmm\number, xmm\number
    .endr
    ret
END_HOOK greedy_enter

HOOK greedy_leave
    xor edi, edi
    xor esi, esi
    mov r8d, 1
    mov r9d, 1
    mov r10d, 2
    mov r11d, 3
    .irp number, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    pxor xmm\number, xmm\number
    .endr
    ret
END_HOOK greedy_leave

/* Calls C++ as a slow path does, for the unwinder to look at. Saves the arguments that jitted code
 * goes on to use, and no vector register. */
HOOK unwinding_hook
    push rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    mov rbp, rsp
    .cfi_def_cfa_register rbp
    .irp reg, rax, rdi, rsi, rdx, rcx, r8, r9, rbx
    push \reg
    .endr
    .cfi_offset rbx, -80
    mov rbx, rsp
    and rsp, -16
    cld
    call note_backtrace@PLT
    mov rsp, rbx
    .irp reg, rbx, r9, r8, rcx, rdx, rsi, rdi, rax
    pop \reg
    .endr
    .cfi_restore rbx
    pop rbp
    .cfi_def_cfa rsp, 8
    ret
END_HOOK unwinding_hook

/* Stores RSP % 16 of its first instruction in what the client id of an Enter points at. */
HOOK alignment_hook
    mov rax, rsp
    and eax, 15
    mov [r14], rax
    ret
END_HOOK alignment_hook

    .section .note.GNU-stack, "", @progbits
