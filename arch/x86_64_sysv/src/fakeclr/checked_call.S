// SPDX-License-Identifier: MIT
// umbra_fakeclr_checked_call for the System V ABI: see arch/x86_64_checked_call.inc.

    .intel_syntax noprefix
    .text

#include "arch/elf_functions.inc"
#include "arch/x86_64_checked_call.inc"

    .section .note.GNU-stack, "", @progbits
