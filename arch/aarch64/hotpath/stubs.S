// SPDX-License-Identifier: MIT
// The Enter, Leave and Tailcall hooks for AArch64, AAPCS64 (Linux).
//
// Called by    Code the CLR's JIT compiled with hooks, through a slot of the runtime's helper table:
//              no thunk in between (SetEnterLeaveFunctionHooks3, the fast path). The JIT loads the
//              slot's content into x12 and calls with blr.
// Arrives in   Enter, Leave, Tailcall: x10 = client id, x11 = caller SP
//              The client id is client_id() of hotpath/record.h.
// Preserved    every register but x9, x12-x15 and nzcv, at full width. What matters of them:
//              Enter:           the arguments in x0-x7 and v0-v7 (128 bits live), the address of a
//                               returned structure in x8
//              Leave, Tailcall: the return value in x0 x1 v0-v3 (128 bits live); the JIT counts all
//                               of x0-x8 and v0-v7 as kept
// Clobbered    x9, x12-x15, nzcv. The JIT counts x9-x17 and v16-v31 as lost, x30 too; x18 belongs to
//              the platform and is never touched. Vector registers are not touched here; the slow
//              path saves them all around C++, SVE's at their whole length.
// Stack        sp mod 16 = 0, as the processor demands; nothing lies below it. The stubs push nothing.
// Unwind       at every instruction of the stubs the CFA is sp and the return address is in x30;
//              in umbra_make_room the CFA is x29 + UMBRA_FRAME_BYTES once x29 is set. Managed frames
//              above have no unwind data of their own.

#include "hotpath/abi_layout.inc"
#include "hotpath/layout.inc"

    .text
    .arch   armv8.2-a+sve

#include "arch/elf_functions.inc"

// ---- the words of the probe (arch/elt_stubs.inc) -------------------------------------------------

// x12 = the thread's cursor, at a distance from the thread pointer that is fixed when the agent is
// loaded; x14 = where the next record goes, x15 = where its room ends.
.macro PROBE_CURSOR full
    mrs     x13, tpidr_el0
    adrp    x12, :gottprel:umbra_cursor
    ldr     x12, [x12, :gottprel_lo12:umbra_cursor]
    add     x12, x12, x13
    ldp     x14, x15, [x12, UMBRA_CURSOR_NEXT]
    cmp     x14, x15
    b.hs    \full
.endm

// Slot 1 is the clock. Slot 0, in x13: caller SP, then index and kind. It publishes the record: a
// store-release, which is not seen before the clock is (letter G in hotpath/ring.h). Moving on may come
// last: the cursor is this thread's alone.
.macro PROBE_RECORD kind, id, sp, id_low, read_clock
    \read_clock
    str     x13, [x14, UMBRA_RECORD_TICKS]
    add     w13, \id_low, \kind
    orr     x13, x13, \sp, lsl 32
    stlr    x13, [x14]
    add     x14, x14, UMBRA_RECORD_BYTES
    str     x14, [x12, UMBRA_CURSOR_NEXT]
.endm

// umbra_make_room returns for us, or goes to the address in x9 if there is room now.
.macro PROBE_ROOM name, off
    adrp    x13, umbra_probes_off
    ldr     w13, [x13, :lo12:umbra_probes_off]
    cbnz    w13, \off
    adr     x9, \name
    b       umbra_make_room
.endm

#include "arch/elt_stubs.inc"

// ---- the probes ----------------------------------------------------------------------------------

// The clock, into x13.
.macro READ_COUNTER
    mrs     x13, cntvct_el0
.endm

UMBRA_PROBE umbra_enter,       UMBRA_KIND_ENTER,    x10, x11, w10, READ_COUNTER
UMBRA_PROBE umbra_leave,       UMBRA_KIND_LEAVE,    x10, x11, w10, READ_COUNTER
UMBRA_PROBE umbra_tailcall,    UMBRA_KIND_TAILCALL, x10, x11, w10, READ_COUNTER

// The system's clock, into x13, for the probes where the counter will not do: at many times the
// price. The return address waits in x9.
.macro READ_OS_CLOCK
    mov     x9, x30
    .cfi_register x30, x9
    bl      umbra_read_os_clock
    mov     x30, x9
    .cfi_restore x30
.endm

UMBRA_PROBE umbra_enter_os,    UMBRA_KIND_ENTER,    x10, x11, w10, READ_OS_CLOCK
UMBRA_PROBE umbra_leave_os,    UMBRA_KIND_LEAVE,    x10, x11, w10, READ_OS_CLOCK
UMBRA_PROBE umbra_tailcall_os, UMBRA_KIND_TAILCALL, x10, x11, w10, READ_OS_CLOCK

// The probes of rewritten IL, which calls them as functions of two arguments:
// Arrives in   x0 = client id, x1 = address of a local of the method: the same at enter and leave,
//              lower in callees, so it stands for the caller SP
// Clobbered    x9, x12-x15, nzcv; the convention would allow every caller-saved register
UMBRA_PROBE umbra_il_enter,    UMBRA_KIND_ENTER,    x0, x1, w0, READ_COUNTER
UMBRA_PROBE umbra_il_leave,    UMBRA_KIND_LEAVE,    x0, x1, w0, READ_COUNTER
UMBRA_PROBE umbra_il_enter_os, UMBRA_KIND_ENTER,    x0, x1, w0, READ_OS_CLOCK
UMBRA_PROBE umbra_il_leave_os, UMBRA_KIND_LEAVE,    x0, x1, w0, READ_OS_CLOCK

// Does nothing: what the calls of the hooks cost by themselves.
    .p2align 4
    UMBRA_FUNCTION umbra_no_probe
    ret
    UMBRA_END umbra_no_probe

// CLOCK_MONOTONIC_RAW in nanoseconds, in x13; every other register but nzcv is kept. The system call
// itself, not libc's way to it: that may use vector registers. It does not keep what SVE has of them
// beyond 128 bits, which no argument and no result of a managed method has.
    .p2align 4
    UMBRA_FUNCTION umbra_read_os_clock
    sub     sp, sp, 48
    .cfi_def_cfa_offset 48
    stp     x0, x1, [sp, 16]
    str     x8, [sp, 32]
    mov     x0, UMBRA_CLOCK_MONOTONIC_RAW
    mov     x1, sp
    mov     x8, UMBRA_SYS_CLOCK_GETTIME
    svc     0
    ldp     x0, x1, [sp]                    // seconds, nanoseconds
    mov     w13, 51712                      // 1,000,000,000 = 15258 * 65,536 + 51,712
    movk    w13, 15258, lsl 16
    madd    x13, x0, x13, x1
    ldp     x0, x1, [sp, 16]
    ldr     x8, [sp, 32]
    add     sp, sp, 48
    .cfi_def_cfa_offset 0
    ret
    UMBRA_END umbra_read_os_clock

// void umbra_call_pairs(enter, leave, client id, count): calls the two hooks in turn as compiled code
// does, `count` times (not 0). For the calibration.
    .p2align 4
    UMBRA_FUNCTION umbra_call_pairs
    stp     x29, x30, [sp, -48]!
    .cfi_def_cfa_offset 48
    .cfi_offset x29, -48
    .cfi_offset x30, -40
    mov     x29, sp
    stp     x19, x20, [sp, 16]
    .cfi_offset x19, -32
    .cfi_offset x20, -24
    stp     x21, x22, [sp, 32]
    .cfi_offset x21, -16
    .cfi_offset x22, -8
    mov     x19, x0
    mov     x20, x1
    mov     x21, x2
    mov     x22, x3
    .p2align 4
1:  mov     x10, x21
    add     x11, x29, 48
    blr     x19
    mov     x10, x21
    add     x11, x29, 48
    blr     x20
    subs    x22, x22, 1
    b.ne    1b
    ldp     x21, x22, [sp, 32]
    ldp     x19, x20, [sp, 16]
    ldp     x29, x30, [sp], 48
    .cfi_restore x19
    .cfi_restore x20
    .cfi_restore x21
    .cfi_restore x22
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    ret
    UMBRA_END umbra_call_pairs

// ---- the slow path -------------------------------------------------------------------------------

// The frame of umbra_make_room, from x29 up: x29 and x30, then every general register C++ may destroy.
// x0-x8: arguments and the result's address at Enter, results at Leave. x10 x11: client id and caller
// SP. x9: where the probe begins. x12-x17: x16 and x17 are the linker's in between, the others free;
// saved so that nothing depends on that.
#define UMBRA_FRAME_BYTES 160

.macro MOVE_GENERAL move
    \move   x0, x1, [sp, 16]
    \move   x2, x3, [sp, 32]
    \move   x4, x5, [sp, 48]
    \move   x6, x7, [sp, 64]
    \move   x8, x9, [sp, 80]
    \move   x10, x11, [sp, 96]
    \move   x12, x13, [sp, 112]
    \move   x14, x15, [sp, 128]
    \move   x16, x17, [sp, 144]
.endm

#define NUMBERS_16 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define NUMBERS_32 NUMBERS_16, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

// v0-v31, 128 bits each, in 512 bytes at sp. C++ keeps no more than the low halves of v8-v15.
.macro SAVE_VECTORS
    .irp n, NUMBERS_32
    str     q\n, [sp, 16 * \n]
    .endr
.endm
.macro RESTORE_VECTORS
    .irp n, NUMBERS_32
    ldr     q\n, [sp, 16 * \n]
    .endr
.endm

// z0-z31 at sp, one vector length each; above them p0-p15 and ffr, an eighth of that each: 34 vector
// lengths and an eighth, and the stack moves by whole ones.
#define SVE_VECTORS 35
.macro SAVE_SVE
    .irp n, NUMBERS_32
    str     z\n, [sp, \n, mul vl]
    .endr
    addvl   x9, sp, 16
    addvl   x9, x9, 16
    .irp n, NUMBERS_16
    str     p\n, [x9, \n, mul vl]
    .endr
    rdffr   p0.b
    str     p0, [x9, 16, mul vl]
.endm
.macro RESTORE_SVE
    addvl   x9, sp, 16
    addvl   x9, x9, 16
    ldr     p0, [x9, 16, mul vl]
    wrffr   p0.b
    .irp n, NUMBERS_16
    ldr     p\n, [x9, \n, mul vl]
    .endr
    .irp n, NUMBERS_32
    ldr     z\n, [sp, \n, mul vl]
    .endr
.endm

// Calls umbra_slow_path with nothing lost, then goes to the probe (x9) if there is room now, else back
// to the hooked method.
    .p2align 4
    UMBRA_FUNCTION umbra_make_room
    stp     x29, x30, [sp, -UMBRA_FRAME_BYTES]!
    .cfi_def_cfa_offset UMBRA_FRAME_BYTES
    .cfi_offset x29, -UMBRA_FRAME_BYTES
    .cfi_offset x30, -UMBRA_FRAME_BYTES + 8
    mov     x29, sp
    .cfi_def_cfa_register x29
    MOVE_GENERAL stp
    adrp    x9, umbra_has_sve
    ldr     x9, [x9, :lo12:umbra_has_sve]
    cbnz    x9, 3f

    sub     sp, sp, 512
    SAVE_VECTORS
    bl      umbra_slow_path
    RESTORE_VECTORS
    b       4f

3:  addvl   sp, sp, -32
    addvl   sp, sp, -(SVE_VECTORS - 32)
    SAVE_SVE
    bl      umbra_slow_path
    RESTORE_SVE

4:  mov     sp, x29
    .cfi_def_cfa_register sp
    tst     w0, 0xff                        // what follows leaves flags alone
    MOVE_GENERAL ldp
    ldp     x29, x30, [sp], UMBRA_FRAME_BYTES
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    b.ne    5f
    ret
5:  br      x9
    UMBRA_END umbra_make_room

    .section .note.GNU-stack, "", %progbits
