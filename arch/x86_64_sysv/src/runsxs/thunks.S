/* SPDX-License-Identifier: MIT
 * The vtables of the proxies that stand between a runtime and its profiler (proxies.h): a thunk for
 * each slot, 16 bytes apart, which passes the slot's number on.
 *
 * Called by  either side, as any virtual method: RDI = the proxy, up to five more arguments in
 *            registers. Nothing is copied from the stack: no method called through a callback proxy
 *            has more arguments; a call through an info proxy keeps the stack as it was.
 * Calls      void* umbra_runsxs_info_call(CallRegisters*, uint32_t slot)
 *            void* umbra_runsxs_callback_begin(CallRegisters*, uint32_t slot)
 *            Both look at the arguments, put the real object into RDI's place, and answer the
 *            address to go on to. void umbra_runsxs_callback_end() when a callback has returned.
 * Unwind     an exception thrown by the callee passes through.
 */
    .intel_syntax noprefix
    .altmacro
    .text

#define FRAME_BYTES 64

.macro SAVE_ARGUMENTS
    push rbp
    .cfi_def_cfa_offset 16
    .cfi_offset rbp, -16
    mov rbp, rsp
    .cfi_def_cfa_register rbp
    sub rsp, FRAME_BYTES
    mov [rsp], rdi
    mov [rsp + 8], rsi
    mov [rsp + 16], rdx
    mov [rsp + 24], rcx
    mov [rsp + 32], r8
    mov [rsp + 40], r9
    mov rdi, rsp
    mov esi, r11d
.endm

.macro RESTORE_ARGUMENTS
    mov rdi, [rsp]
    mov rsi, [rsp + 8]
    mov rdx, [rsp + 16]
    mov rcx, [rsp + 24]
    mov r8, [rsp + 32]
    mov r9, [rsp + 40]
.endm

    .type info_call, @function
info_call:
    .cfi_startproc
    SAVE_ARGUMENTS
    call umbra_runsxs_info_call
    RESTORE_ARGUMENTS
    leave
    .cfi_def_cfa rsp, 8
    jmp rax
    .cfi_endproc
    .size info_call, . - info_call

    .type callback_call, @function
callback_call:
    .cfi_startproc
    SAVE_ARGUMENTS
    call umbra_runsxs_callback_begin
    RESTORE_ARGUMENTS
    call rax
    mov [rsp], rax
    call umbra_runsxs_callback_end
    mov rax, [rsp]
    leave
    .cfi_def_cfa rsp, 8
    ret
    .cfi_endproc
    .size callback_call, . - callback_call

.macro THUNK slot, target
    .balign 16
    mov r11d, \slot
    jmp \target
.endm

.macro THUNKS name, target
    .globl \name
    .hidden \name
    .type \name, @function
    .balign 16
\name:
    .set number, 0
    .rept 128
    THUNK %number, \target
    .set number, number + 1
    .endr
    .size \name, . - \name
.endm

    THUNKS umbra_runsxs_info_thunks, info_call
    THUNKS umbra_runsxs_callback_thunks, callback_call

    .section .note.GNU-stack, "", @progbits
