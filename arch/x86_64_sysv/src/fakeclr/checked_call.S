// SPDX-License-Identifier: MIT
// umbra_fakeclr_checked_call for the System V ABI: see arch/x86_64_checked_call.inc.

    .intel_syntax noprefix
    .text

.macro UMBRA_FUNCTION name
    .globl  \name
    .hidden \name
    .type   \name, @function
\name:
    .cfi_startproc
.endm

.macro UMBRA_END name
    .cfi_endproc
    .size   \name, . - \name
.endm

#include "arch/x86_64_checked_call.inc"

    .section .note.GNU-stack, "", @progbits
