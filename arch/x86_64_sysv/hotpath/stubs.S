// SPDX-License-Identifier: MIT
// The Enter, Leave and Tailcall hooks for x86-64, System V ABI (Linux).
//
// Called by    Code the CLR's JIT compiled with hooks, through a slot of the runtime's helper table:
//              no thunk in between (SetEnterLeaveFunctionHooks3, the fast path).
// Arrives in   Enter:           r14 = client id, r15 = caller SP
//              Leave, Tailcall: rdi = client id, rsi = caller SP
//              The client id is client_id() of hotpath/record.h.
// Preserved    Enter:           every register but rax, r10, r11 and flags, at full width:
//                               the arguments are still in rdi rsi rdx rcx r8 r9 xmm0-7
//              Leave, Tailcall: every register but rdi rsi r8 r9 r10 r11 and flags, at full width:
//                               the return value is in rax rdx xmm0 xmm1 (128 bits are live; all
//                               of the register is kept)
// Clobbered    what is left of the two lines above. Vector registers are never touched here; the
//              slow path saves them all with XSAVE around C++.
// Stack        at the first instruction, growing down:
//                  [rsp + 8]  frame of the hooked method, 16-byte aligned (its SP mod 16 = 0)
//                  [rsp]      return address into the hooked method, so rsp mod 16 = 8
//              The stubs push nothing. The slow path aligns by itself and relies on no alignment.
// Unwind       at every instruction the CFA is rsp + 8 in the stubs; in umbra_make_room it is
//              rbp + 16 once rbp is set. Managed frames above have no unwind data of their own.

#include "hotpath/abi_layout.inc"
#include "hotpath/layout.inc"

    .intel_syntax noprefix
    .text

#include "arch/elf_functions.inc"

// The cursor is thread-local, at a distance from fs that is fixed when the agent is loaded.
#define CURSOR(field) fs:[r11 + field]
#ifndef UMBRA_TLS_DESCRIPTORS
.macro PROBE_CURSOR_BASE
    mov     r11, qword ptr umbra_cursor@GOTTPOFF[rip]
.endm
#else
// For musl, where the distance is another in each thread (hotpath/tls_model.h). The call of a TLS
// descriptor takes and answers in rax, keeps every other register but the flags, and asks for no alignment
// of the stack. r10 keeps rax, which is the return value at Leave; both r10 and r11 are free throughout.
.macro PROBE_CURSOR_BASE
    mov     r10, rax
    lea     rax, umbra_cursor@TLSDESC[rip]
    call    qword ptr umbra_cursor@TLSCALL[rax]
    mov     r11, rax
    mov     rax, r10
.endm
#endif

.macro CALL_SLOW_PATH
    call    umbra_slow_path
.endm

#include "arch/x86_64.inc"
#include "arch/elt_stubs.inc"

// rdtsc destroys rax and rdx. At Enter rdx is the third argument, rax is nobody's; r11 is free while
// the clock is read. At Leave both hold the return value; r8 and r9 are free throughout.
.macro ENTER_SAVE_CLOCK
    mov     r11, rdx
.endm
.macro ENTER_RESTORE_HIGH
    mov     rdx, r11
.endm
.macro ENTER_RESTORE_LOW
.endm

.macro LEAVE_SAVE_CLOCK
    mov     r8, rax
    mov     r9, rdx
.endm
.macro LEAVE_RESTORE_HIGH
    mov     rdx, r9
.endm
.macro LEAVE_RESTORE_LOW
    mov     rax, r8
.endm

UMBRA_PROBE umbra_enter,       UMBRA_KIND_ENTER,    r14, r15d, r14d, rdtsc, ENTER_SAVE_CLOCK, ENTER_RESTORE_HIGH, ENTER_RESTORE_LOW
UMBRA_PROBE umbra_leave,       UMBRA_KIND_LEAVE,    rdi, esi, edi, rdtsc, LEAVE_SAVE_CLOCK, LEAVE_RESTORE_HIGH, LEAVE_RESTORE_LOW
UMBRA_PROBE umbra_tailcall,    UMBRA_KIND_TAILCALL, rdi, esi, edi, rdtsc, LEAVE_SAVE_CLOCK, LEAVE_RESTORE_HIGH, LEAVE_RESTORE_LOW

UMBRA_PROBE umbra_enter_os,    UMBRA_KIND_ENTER,    r14, r15d, r14d, READ_OS_CLOCK, ENTER_SAVE_CLOCK, ENTER_RESTORE_HIGH, ENTER_RESTORE_LOW
UMBRA_PROBE umbra_leave_os,    UMBRA_KIND_LEAVE,    rdi, esi, edi, READ_OS_CLOCK, LEAVE_SAVE_CLOCK, LEAVE_RESTORE_HIGH, LEAVE_RESTORE_LOW
UMBRA_PROBE umbra_tailcall_os, UMBRA_KIND_TAILCALL, rdi, esi, edi, READ_OS_CLOCK, LEAVE_SAVE_CLOCK, LEAVE_RESTORE_HIGH, LEAVE_RESTORE_LOW

// The probes of rewritten IL, which calls them as managed functions of two arguments:
// Arrives in   rdi = client id, rsi = address of a local of the method: the same at enter and leave,
//              lower in callees, so it stands for the caller SP
// Clobbered    rax rdx r10 r11 and flags; the convention would allow every caller-saved register
// Stack        as above: rsp mod 16 = 8
.macro IL_NOTHING
.endm

UMBRA_PROBE umbra_il_enter,    UMBRA_KIND_ENTER,    rdi, esi, edi, rdtsc, IL_NOTHING, IL_NOTHING, IL_NOTHING
UMBRA_PROBE umbra_il_leave,    UMBRA_KIND_LEAVE,    rdi, esi, edi, rdtsc, IL_NOTHING, IL_NOTHING, IL_NOTHING
UMBRA_PROBE umbra_il_enter_os, UMBRA_KIND_ENTER,    rdi, esi, edi, READ_OS_CLOCK, IL_NOTHING, IL_NOTHING, IL_NOTHING
UMBRA_PROBE umbra_il_leave_os, UMBRA_KIND_LEAVE,    rdi, esi, edi, READ_OS_CLOCK, IL_NOTHING, IL_NOTHING, IL_NOTHING

// Does nothing: what the calls of the hooks cost by themselves.
    .p2align 4
    UMBRA_FUNCTION umbra_no_probe
    ret
    UMBRA_END umbra_no_probe

// CLOCK_MONOTONIC_RAW in nanoseconds, in edx:eax; every other register is kept. The system call
// itself, not libc's way to it: that may use vector registers.
    .p2align 4
    UMBRA_FUNCTION umbra_read_os_clock
    push    rcx
    push    rsi
    push    rdi
    push    r11
    sub     rsp, 16
    .cfi_def_cfa_offset 56
    mov     eax, UMBRA_SYS_CLOCK_GETTIME
    mov     edi, UMBRA_CLOCK_MONOTONIC_RAW
    mov     rsi, rsp
    syscall
    imul    rax, qword ptr [rsp], 1000000000
    add     rax, qword ptr [rsp + 8]
    mov     rdx, rax
    shr     rdx, 32
    add     rsp, 16
    pop     r11
    pop     rdi
    pop     rsi
    pop     rcx
    .cfi_def_cfa_offset 8
    ret
    UMBRA_END umbra_read_os_clock

// void umbra_call_pairs(enter, leave, client id, count): calls the two hooks in turn as compiled
// code does, `count` times (not 0). For the calibration.
    .p2align 4
    UMBRA_FUNCTION umbra_call_pairs
    push    rbx
    push    rbp
    push    r12
    push    r14
    push    r15
    .cfi_def_cfa_offset 48
    .cfi_offset rbx, -16
    .cfi_offset rbp, -24
    .cfi_offset r12, -32
    .cfi_offset r14, -40
    .cfi_offset r15, -48
    mov     rbx, rdi
    mov     rbp, rsi
    mov     r14, rdx
    mov     r12, rcx
    mov     r15, rsp
    .p2align 4
1:  call    rbx
    mov     rdi, r14
    mov     rsi, r15
    call    rbp
    dec     r12
    jnz     1b
    pop     r15
    pop     r14
    pop     r12
    pop     rbp
    pop     rbx
    .cfi_def_cfa_offset 8
    ret
    UMBRA_END umbra_call_pairs

// Every register C++ may destroy; the mirror of RESTORE_GENERAL.
// rdi rsi rdx rcx r8 r9: arguments at Enter; client id and caller SP at Leave.
// rax: the return value at Leave. r10 r11: free, saved so that a retry is a plain repetition.
.macro SAVE_GENERAL
    push    rax
    push    rcx
    push    rdx
    push    rsi
    push    rdi
    push    r8
    push    r9
    push    r10
    push    r11
.endm
.macro RESTORE_GENERAL
    pop     r11
    pop     r10
    pop     r9
    pop     r8
    pop     rdi
    pop     rsi
    pop     rdx
    pop     rcx
    pop     rax
.endm

// Calls umbra_slow_path with nothing lost. Answers in the zero flag: not zero = there is room now.
    .p2align 4
    UMBRA_FUNCTION umbra_make_room
    push    rbp
    .cfi_def_cfa_offset 16
    .cfi_offset rbp, -16
    mov     rbp, rsp
    .cfi_def_cfa_register rbp
    SAVE_GENERAL
    CALL_AND_KEEP_VECTORS
    lea     rsp, [rbp - 9 * 8]
    test    r10b, r10b            // pops and ret leave flags alone
    RESTORE_GENERAL
    pop     rbp
    .cfi_def_cfa rsp, 8
    ret
    UMBRA_END umbra_make_room

    .section .note.GNU-stack, "", @progbits
