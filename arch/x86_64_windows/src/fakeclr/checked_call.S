// SPDX-License-Identifier: MIT
// umbra_fakeclr_checked_call in an object file for Windows: see arch/x86_64_checked_call.inc. It has no
// SEH unwind data: the tests unwind no further than into it.

    .intel_syntax noprefix
    .text

.macro UMBRA_FUNCTION name
    .globl  \name
\name:
    .cfi_startproc
.endm

.macro UMBRA_END name
    .cfi_endproc
.endm

#include "arch/x86_64_checked_call.inc"
