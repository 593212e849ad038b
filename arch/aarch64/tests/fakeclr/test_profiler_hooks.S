// SPDX-License-Identifier: MIT
// Hooks that count: the client id is the address of a FunctionCounters. Clobber x12-x14 and flags.

    .text

#define COUNTERS_ENTERS 0
#define COUNTERS_LEAVES 8
#define COUNTERS_TAILCALLS 16
#define COUNTERS_ENTER_SP 24
#define COUNTERS_LEAVE_SP 32

.macro COUNTING_HOOK name, counter, stack_pointer
    .globl  \name
    .type   \name, %function
\name:
    .cfi_startproc
    add     x12, x10, \counter
1:  ldxr    x13, [x12]
    add     x13, x13, 1
    stxr    w14, x13, [x12]
    cbnz    w14, 1b
    str     x11, [x10, \stack_pointer]
    ret
    .cfi_endproc
    .size   \name, . - \name
.endm

    COUNTING_HOOK test_profiler_enter, COUNTERS_ENTERS, COUNTERS_ENTER_SP
    COUNTING_HOOK test_profiler_leave, COUNTERS_LEAVES, COUNTERS_LEAVE_SP
    COUNTING_HOOK test_profiler_tailcall, COUNTERS_TAILCALLS, COUNTERS_LEAVE_SP

    .section .note.GNU-stack, "", %progbits
