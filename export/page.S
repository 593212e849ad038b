// SPDX-License-Identifier: MIT
// The page of export/html.cpp as the build has made it from web/; empty where it was made without.
    .section .rodata
    .globl umbra_page_begin
    .hidden umbra_page_begin
    .globl umbra_page_end
    .hidden umbra_page_end
umbra_page_begin:
    .incbin UMBRA_PAGE
umbra_page_end:
    .byte 0
    .section .note.GNU-stack, "", @progbits
