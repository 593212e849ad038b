/* SPDX-License-Identifier: MIT
 * Hooks that count: the client id is the address of a FunctionCounters. Clobber nothing but flags.
 */
    .intel_syntax noprefix
    .text

#define COUNTERS_ENTERS 0
#define COUNTERS_LEAVES 8
#define COUNTERS_TAILCALLS 16
#define COUNTERS_ENTER_SP 24
#define COUNTERS_LEAVE_SP 32

    .globl test_profiler_enter
    .type test_profiler_enter, @function
test_profiler_enter:
    .cfi_startproc
    lock inc qword ptr [r14 + COUNTERS_ENTERS]
    mov [r14 + COUNTERS_ENTER_SP], r15
    ret
    .cfi_endproc
    .size test_profiler_enter, . - test_profiler_enter

    .globl test_profiler_leave
    .type test_profiler_leave, @function
test_profiler_leave:
    .cfi_startproc
    lock inc qword ptr [rdi + COUNTERS_LEAVES]
    mov [rdi + COUNTERS_LEAVE_SP], rsi
    ret
    .cfi_endproc
    .size test_profiler_leave, . - test_profiler_leave

    .globl test_profiler_tailcall
    .type test_profiler_tailcall, @function
test_profiler_tailcall:
    .cfi_startproc
    lock inc qword ptr [rdi + COUNTERS_TAILCALLS]
    mov [rdi + COUNTERS_LEAVE_SP], rsi
    ret
    .cfi_endproc
    .size test_profiler_tailcall, . - test_profiler_tailcall

    .section .note.GNU-stack, "", @progbits
