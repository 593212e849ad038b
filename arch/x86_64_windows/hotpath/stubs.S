// SPDX-License-Identifier: MIT
// The Enter, Leave and Tailcall hooks for x86-64, Windows.
//
// Called by    Code the CLR's JIT compiled with hooks, through a slot of the runtime's helper table:
//              no thunk in between (SetEnterLeaveFunctionHooks3, the fast path).
// Arrives in   Enter, Leave, Tailcall: rcx = client id, rdx = caller SP
//              The client id is client_id() of hotpath/record.h.
// Preserved    Enter:           every register but rax, r8, r10, r11 and flags. The contract asks for
//                               the callee-saved ones: rbx rbp rsi rdi r12-r15 xmm6-15 (128 bits); the
//                               arguments are in their homes, and loaded again behind the hook
//              Leave, Tailcall: every register but r8 r9 r10 r11 and flags. Asked for, besides the
//                               callee-saved ones: the return value in rax or xmm0 (128 bits)
//              Vector registers are kept at full width, by the probes that read the system's clock
//              at the 128 bits that the convention knows.
// Clobbered    what is left of the two lines above. The slow path saves the vectors with XSAVE.
// Stack        at the first instruction, growing down:
//                  [rsp + 40] frame of the hooked method, 16-byte aligned (its SP mod 16 = 0)
//                  [rsp + 8]  home area: 32 bytes, the callee's to use; the stubs leave it alone
//                  [rsp]      return address into the hooked method, so rsp mod 16 = 8
//              The stubs push nothing. The slow path aligns by itself and relies on no alignment.
// Unwind       SEH data, which RtlVirtualUnwind reads: the probes are functions without a frame;
//              umbra_make_room has rbp as frame register.

#include "hotpath/abi_layout.inc"
#include "hotpath/layout.inc"

    .intel_syntax noprefix
    .text

.macro UMBRA_FUNCTION name
    .globl  \name
    .def    \name
    .scl    2
    .type   32
    .endef
    .seh_proc \name
\name:
.endm

.macro UMBRA_END name
    .seh_endproc
.endm

// next and limit of the thread's cursor are two neighbouring slots of TlsAlloc below 64: those lie in
// the thread's environment block, at a fixed distance from gs, and are 0 in a new thread. A variable of
// the compiler's (__declspec(thread)) would take two loads more. The word is a probe's first, and so has
// the end of its prologue, which is empty.
#define CURSOR(field) gs:[r11 + field]
.macro PROBE_CURSOR_BASE
    mov     r11, qword ptr [rip + umbra_cursor_slots]
    .seh_endprologue
.endm

.macro CALL_SLOW_PATH
    sub     rsp, UMBRA_HOME_BYTES
    call    umbra_slow_path
    add     rsp, UMBRA_HOME_BYTES
.endm

#include "arch/x86_64.inc"
#include "arch/elt_stubs.inc"

// rdtsc destroys rax and rdx; rdx is the caller SP, at Leave rax the return value.
.macro ENTER_SAVE_CLOCK
    mov     r8, rdx
.endm
.macro ENTER_RESTORE_HIGH
    mov     rdx, r8
.endm
.macro ENTER_RESTORE_LOW
.endm

.macro LEAVE_SAVE_CLOCK
    mov     r9, rax
    mov     r8, rdx
.endm
.macro LEAVE_RESTORE_HIGH
    mov     rdx, r8
.endm
.macro LEAVE_RESTORE_LOW
    mov     rax, r9
.endm

UMBRA_PROBE umbra_enter,       UMBRA_KIND_ENTER,    rcx, edx, ecx, rdtsc, ENTER_SAVE_CLOCK, ENTER_RESTORE_HIGH, ENTER_RESTORE_LOW
UMBRA_PROBE umbra_leave,       UMBRA_KIND_LEAVE,    rcx, edx, ecx, rdtsc, LEAVE_SAVE_CLOCK, LEAVE_RESTORE_HIGH, LEAVE_RESTORE_LOW
UMBRA_PROBE umbra_tailcall,    UMBRA_KIND_TAILCALL, rcx, edx, ecx, rdtsc, LEAVE_SAVE_CLOCK, LEAVE_RESTORE_HIGH, LEAVE_RESTORE_LOW

UMBRA_PROBE umbra_enter_os,    UMBRA_KIND_ENTER,    rcx, edx, ecx, READ_OS_CLOCK, ENTER_SAVE_CLOCK, ENTER_RESTORE_HIGH, ENTER_RESTORE_LOW
UMBRA_PROBE umbra_leave_os,    UMBRA_KIND_LEAVE,    rcx, edx, ecx, READ_OS_CLOCK, LEAVE_SAVE_CLOCK, LEAVE_RESTORE_HIGH, LEAVE_RESTORE_LOW
UMBRA_PROBE umbra_tailcall_os, UMBRA_KIND_TAILCALL, rcx, edx, ecx, READ_OS_CLOCK, LEAVE_SAVE_CLOCK, LEAVE_RESTORE_HIGH, LEAVE_RESTORE_LOW

// The probes of rewritten IL, which calls them as managed functions of two arguments: those of the hooks,
// in the same registers; the second is the address of a local of the method. Nothing is returned through
// them, so Enter's words do for both.
UMBRA_PROBE umbra_il_enter,    UMBRA_KIND_ENTER,    rcx, edx, ecx, rdtsc, ENTER_SAVE_CLOCK, ENTER_RESTORE_HIGH, ENTER_RESTORE_LOW
UMBRA_PROBE umbra_il_leave,    UMBRA_KIND_LEAVE,    rcx, edx, ecx, rdtsc, ENTER_SAVE_CLOCK, ENTER_RESTORE_HIGH, ENTER_RESTORE_LOW
UMBRA_PROBE umbra_il_enter_os, UMBRA_KIND_ENTER,    rcx, edx, ecx, READ_OS_CLOCK, ENTER_SAVE_CLOCK, ENTER_RESTORE_HIGH, ENTER_RESTORE_LOW
UMBRA_PROBE umbra_il_leave_os, UMBRA_KIND_LEAVE,    rcx, edx, ecx, READ_OS_CLOCK, ENTER_SAVE_CLOCK, ENTER_RESTORE_HIGH, ENTER_RESTORE_LOW

// Does nothing: what the calls of the hooks cost by themselves.
    .p2align 4
    UMBRA_FUNCTION umbra_no_probe
    .seh_endprologue
    ret
    UMBRA_END umbra_no_probe

// A volatile register needs no unwinding; its place on the stack does.
.macro PUSH_VOLATILE reg
    push    \reg
    .seh_stackalloc 8
.endm

// Nanoseconds of the system's clock, in edx:eax; every other register is kept, vectors at the 128 bits
// that the convention knows. Windows promises no number of a system call, so C++ asks (umbra_os_ns).
#define CLOCK_FRAME (UMBRA_HOME_BYTES + 6 * 16 + 8)
    .p2align 4
    UMBRA_FUNCTION umbra_read_os_clock
    push    rbp
    .seh_pushreg rbp
    PUSH_VOLATILE rcx
    PUSH_VOLATILE r8
    PUSH_VOLATILE r9
    PUSH_VOLATILE r10
    PUSH_VOLATILE r11
    mov     rbp, rsp
    .seh_setframe rbp, 0
    .seh_endprologue
    sub     rsp, CLOCK_FRAME
    and     rsp, -16
    movaps  xmmword ptr [rsp + UMBRA_HOME_BYTES], xmm0
    movaps  xmmword ptr [rsp + UMBRA_HOME_BYTES + 16], xmm1
    movaps  xmmword ptr [rsp + UMBRA_HOME_BYTES + 32], xmm2
    movaps  xmmword ptr [rsp + UMBRA_HOME_BYTES + 48], xmm3
    movaps  xmmword ptr [rsp + UMBRA_HOME_BYTES + 64], xmm4
    movaps  xmmword ptr [rsp + UMBRA_HOME_BYTES + 80], xmm5
    cld
    call    umbra_os_ns
    movaps  xmm5, xmmword ptr [rsp + UMBRA_HOME_BYTES + 80]
    movaps  xmm4, xmmword ptr [rsp + UMBRA_HOME_BYTES + 64]
    movaps  xmm3, xmmword ptr [rsp + UMBRA_HOME_BYTES + 48]
    movaps  xmm2, xmmword ptr [rsp + UMBRA_HOME_BYTES + 32]
    movaps  xmm1, xmmword ptr [rsp + UMBRA_HOME_BYTES + 16]
    movaps  xmm0, xmmword ptr [rsp + UMBRA_HOME_BYTES]
    mov     rdx, rax
    shr     rdx, 32
    lea     rsp, [rbp]
    pop     r11
    pop     r10
    pop     r9
    pop     r8
    pop     rcx
    pop     rbp
    ret
    UMBRA_END umbra_read_os_clock

// Every register C++ may destroy; the mirror of RESTORE_GENERAL.
// rcx rdx: client id and caller SP. rax: the return value at Leave. r8 to r11: free, saved so that a
// retry is a plain repetition.
.macro SAVE_GENERAL
    PUSH_VOLATILE rax
    PUSH_VOLATILE rcx
    PUSH_VOLATILE rdx
    PUSH_VOLATILE r8
    PUSH_VOLATILE r9
    PUSH_VOLATILE r10
    PUSH_VOLATILE r11
.endm
.macro RESTORE_GENERAL
    pop     r11
    pop     r10
    pop     r9
    pop     r8
    pop     rdx
    pop     rcx
    pop     rax
.endm

// Calls umbra_slow_path with nothing lost. Answers in the zero flag: not zero = there is room now.
// What is taken from the stack is less than a page, so its guard page is met in order.
    .p2align 4
    UMBRA_FUNCTION umbra_make_room
    push    rbp
    .seh_pushreg rbp
    SAVE_GENERAL
    mov     rbp, rsp
    .seh_setframe rbp, 0
    .seh_endprologue
    CALL_AND_KEEP_VECTORS
    test    r10b, r10b            // lea, pops and ret leave flags alone
    lea     rsp, [rbp]            // the unwinder knows an epilogue by this, pops and ret
    RESTORE_GENERAL
    pop     rbp
    ret
    UMBRA_END umbra_make_room

    .globl  umbra_stubs_end
umbra_stubs_end:
