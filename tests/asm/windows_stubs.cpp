// SPDX-License-Identifier: MIT
// The probes for Windows: every register through every probe on every path, what they record, and
// unwinding from each of their instructions. Built with mingw-w64, run under wine, by
// test_windows_stubs.py; prints a line for each thing that is wrong and answers 1 if there is any.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <windows.h>

#include "hotpath/abi_layout.inc"
#include "hotpath/layout.inc"
#include "hotpath/vector_save.h"
#include "src/fakeclr/register_check.h"
#include "tests/asm/clobbered.h"

extern "C" {
void umbra_enter();
void umbra_leave();
void umbra_tailcall();
void umbra_enter_os();
void umbra_leave_os();
void umbra_tailcall_os();
void umbra_il_enter();
void umbra_il_leave();
void umbra_il_enter_os();
void umbra_il_leave_os();
void umbra_stubs_end();
extern uint64_t umbra_xsave_mask;

/// Distance from gs of the two slots that hold next and limit of the thread's cursor.
uint64_t umbra_cursor_slots = 0;
uint32_t umbra_probes_off = 0;
/// Defined below: what the slow path and the system's clock are to the probes. Both spoil every
/// register that the convention lets them.
uint32_t umbra_slow_path();
uint64_t umbra_os_ns();
}

namespace umbra::fakeclr {
namespace {

using Names = std::span<const std::string_view>;

struct Probe {
    std::string_view name;
    Hook hook;
    HookKind kind;
    uint64_t recorded;  ///< UMBRA_KIND_...
    Names clobbered;
    bool os_clock;
};

const Probe kProbes[] = {
    {"umbra_enter", umbra_enter, HookKind::kEnter, UMBRA_KIND_ENTER, hotpath::kClobberedByEnter,
     false},
    {"umbra_leave", umbra_leave, HookKind::kLeave, UMBRA_KIND_LEAVE, hotpath::kClobberedByLeave,
     false},
    {"umbra_tailcall", umbra_tailcall, HookKind::kTailcall, UMBRA_KIND_TAILCALL,
     hotpath::kClobberedByLeave, false},
    {"umbra_enter_os", umbra_enter_os, HookKind::kEnter, UMBRA_KIND_ENTER,
     hotpath::kClobberedByEnter, true},
    {"umbra_leave_os", umbra_leave_os, HookKind::kLeave, UMBRA_KIND_LEAVE,
     hotpath::kClobberedByLeave, true},
    {"umbra_tailcall_os", umbra_tailcall_os, HookKind::kTailcall, UMBRA_KIND_TAILCALL,
     hotpath::kClobberedByLeave, true},
    {"umbra_il_enter", umbra_il_enter, HookKind::kEnter, UMBRA_KIND_ENTER,
     hotpath::kClobberedByIlProbe, false},
    {"umbra_il_leave", umbra_il_leave, HookKind::kEnter, UMBRA_KIND_LEAVE,
     hotpath::kClobberedByIlProbe, false},
    {"umbra_il_enter_os", umbra_il_enter_os, HookKind::kEnter, UMBRA_KIND_ENTER,
     hotpath::kClobberedByIlProbe, true},
    {"umbra_il_leave_os", umbra_il_leave_os, HookKind::kEnter, UMBRA_KIND_LEAVE,
     hotpath::kClobberedByIlProbe, true},
};

constexpr uintptr_t kCallerSp = 0x7f'1234'5670;
constexpr uint64_t kClientId = 4711 << 3;  // hotpath/record.h
constexpr uint64_t kOsClock = 0x1234'5678'9abc'def0;
constexpr size_t kSlots = 64;
uint64_t g_records[kSlots];
bool g_slow_path_finds_room = false;
uint64_t g_slow_calls = 0;
int g_wrong = 0;

void wrong(const std::string& what) {
    ++g_wrong;
    if (g_wrong < 50) {
        std::printf("%s\n", what.c_str());
    }
}

/// A field of this thread's cursor, where the probes look for it.
uint64_t* cursor(uint64_t field) {
    return reinterpret_cast<uint64_t*>(reinterpret_cast<uintptr_t>(NtCurrentTeb()) +
                                       umbra_cursor_slots + field);
}

/// `free` slots are left.
void set_ring(size_t free) {
    std::memset(g_records, 0, sizeof g_records);
    *cursor(UMBRA_CURSOR_NEXT) = reinterpret_cast<uintptr_t>(g_records);
    *cursor(UMBRA_CURSOR_LIMIT) = reinterpret_cast<uintptr_t>(g_records + free);
}

/// Two neighbouring slots among the 64 that lie in the thread's environment block.
bool allocate_cursor() {
    constexpr uint64_t kTlsSlots = 0x1480;
    DWORD before = TlsAlloc();
    for (DWORD slot = TlsAlloc(); slot < 64; slot = TlsAlloc()) {
        if (slot == before + 1) {
            umbra_cursor_slots = kTlsSlots + before * 8;
            TlsSetValue(before, g_records);
            return *cursor(UMBRA_CURSOR_NEXT) == reinterpret_cast<uintptr_t>(g_records) &&
                   *cursor(UMBRA_CURSOR_LIMIT) == 0;
        }
        before = slot;
    }
    return false;
}

enum class Path { kRoom, kRoomFound, kNoRoom, kOff };
constexpr std::pair<Path, const char*> kPaths[] = {{Path::kRoom, "room"},
                                                   {Path::kRoomFound, "room found"},
                                                   {Path::kNoRoom, "no room"},
                                                   {Path::kOff, "probes off"}};

void prepare(Path path) {
    const bool full = path >= Path::kRoomFound;
    set_ring(full ? 0 : 8);
    g_slow_path_finds_room = path == Path::kRoomFound;
    umbra_probes_off = path == Path::kOff ? 1 : 0;
    g_slow_calls = 0;
}

/// What a probe has written after prepare(path).
void check_record(const Probe& probe, Path path, const std::string& where) {
    const uint64_t* record = g_records;
    const bool recorded = path < Path::kNoRoom;
    const uint64_t slot = recorded ? (kCallerSp << 32U) | kClientId | probe.recorded : 0;
    if (record[0] != slot) {
        wrong(where + ": slot 0 is " + std::to_string(record[0]) + ", not " + std::to_string(slot));
    }
    if ((record[1] != 0) != recorded || (recorded && probe.os_clock && record[1] != kOsClock)) {
        wrong(where + ": slot 1 is " + std::to_string(record[1]));
    }
    const uint64_t moved = *cursor(UMBRA_CURSOR_NEXT) - reinterpret_cast<uintptr_t>(record);
    if (moved != (recorded ? UMBRA_RECORD_BYTES : 0U)) {
        wrong(where + ": the cursor has moved by " + std::to_string(moved));
    }
    if (g_slow_calls != (path == Path::kRoomFound || path == Path::kNoRoom ? 1U : 0U)) {
        wrong(where + ": the slow path was called " + std::to_string(g_slow_calls) + " times");
    }
}

/// Only what clobbered.h names has changed, and nothing that the runtime's contract names.
void check_registers(const Probe& probe, const RegisterFile& before, const RegisterFile& after,
                     const std::string& where) {
    for (const std::string& name : changed_registers(before, after)) {
        const bool allowed = std::ranges::find(probe.clobbered, name) != probe.clobbered.end();
        if (must_preserve(probe.kind, name) || !allowed) {
            wrong(where + ": changes " + name);
        }
    }
}

void check_paths() {
    uint64_t seed = 0;
    for (const Probe& probe : kProbes) {
        for (const auto& [path, name] : kPaths) {
            for (const StackAlignment alignment : kStackAlignments) {
                const std::string where = std::string(probe.name) + ", " + name;
                RegisterFile before = register_pattern(probe.kind, kClientId, kCallerSp, ++seed);
                prepare(path);
                const RegisterFile after = checked_call(probe.hook, before, alignment);
                check_record(probe, path, where);
                check_registers(probe, before, after, where);
            }
        }
    }
}

// Unwinding: with the trap flag set in the pattern, each instruction of a probe raises an
// exception; its handler unwinds from there, as a debugger or the runtime would.
struct Unwinding {
    bool on = false;
    const char* where = "";
    uintptr_t first = 0;  ///< of the probe
    CONTEXT caller{};     ///< what the unwinding has to lead to
    uint64_t steps = 0;
} g_unwinding;

bool in_stubs(uintptr_t at) {
    return at >= reinterpret_cast<uintptr_t>(umbra_enter) &&
           at < reinterpret_cast<uintptr_t>(umbra_stubs_end);
}

/// Unwinds one frame. False: there is no unwind data.
bool unwind(CONTEXT& context) {
    DWORD64 base = 0;
    RUNTIME_FUNCTION* const function = RtlLookupFunctionEntry(context.Rip, &base, nullptr);
    if (function == nullptr) {
        return false;
    }
    void* data = nullptr;
    DWORD64 frame = 0;
    RtlVirtualUnwind(UNW_FLAG_NHANDLER, base, context.Rip, function, &context, &data, &frame,
                     nullptr);
    return true;
}

void check_unwinding(CONTEXT context) {
    const uintptr_t at = context.Rip;
    const auto say = [at](const char* what) {
        wrong(std::string(g_unwinding.where) + ": unwinding from stubs + " +
              std::to_string(at - reinterpret_cast<uintptr_t>(umbra_enter)) + ": " + what);
    };
    for (int frames = 0; in_stubs(context.Rip); ++frames) {
        if (frames == 4) {
            return say("never leaves the stubs");
        }
        if (!unwind(context)) {
            return say("no unwind data");
        }
    }
    const CONTEXT& caller = g_unwinding.caller;
    if (context.Rip != caller.Rip || context.Rsp != caller.Rsp) {
        say("does not arrive at the caller");
    }
    if (context.Rbx != caller.Rbx || context.Rbp != caller.Rbp || context.Rsi != caller.Rsi ||
        context.Rdi != caller.Rdi || context.R12 != caller.R12 || context.R13 != caller.R13 ||
        context.R14 != caller.R14 || context.R15 != caller.R15) {
        say("a callee-saved register is not the caller's");
    }
}

LONG CALLBACK on_step(EXCEPTION_POINTERS* exception) {
    if (exception->ExceptionRecord->ExceptionCode != EXCEPTION_SINGLE_STEP) {
        return EXCEPTION_CONTINUE_SEARCH;
    }
    CONTEXT& context = *exception->ContextRecord;
    if (!g_unwinding.on) {
        context.EFlags &= ~0x100U;
        return EXCEPTION_CONTINUE_EXECUTION;
    }
    if (context.Rip == g_unwinding.first && g_unwinding.steps == 0) {
        g_unwinding.caller = context;
        g_unwinding.caller.Rip = *reinterpret_cast<uint64_t*>(context.Rsp);
        g_unwinding.caller.Rsp += 8;
    }
    if (in_stubs(context.Rip)) {
        ++g_unwinding.steps;
        check_unwinding(context);
    }
    context.EFlags |= 0x100U;
    return EXCEPTION_CONTINUE_EXECUTION;
}

/// Each probe on each path, one instruction at a time.
uint64_t check_unwinding_everywhere() {
    AddVectoredExceptionHandler(1, on_step);
    uint64_t steps = 0;
    for (const Probe& probe : kProbes) {
        for (const auto& [path, name] : kPaths) {
            RegisterFile before = register_pattern(probe.kind, kClientId, kCallerSp, steps + 1);
            before.rflags |= 0x100;
            prepare(path);
            const std::string where = std::string(probe.name) + ", " + name;
            g_unwinding = {.on = true,
                           .where = where.c_str(),
                           .first = reinterpret_cast<uintptr_t>(probe.hook)};
            (void)checked_call(probe.hook, before, StackAlignment::kAligned);
            g_unwinding.on = false;
            if (g_unwinding.steps < 5) {
                wrong(where + ": only " + std::to_string(g_unwinding.steps) + " steps were taken");
            }
            steps += g_unwinding.steps;
        }
    }
    return steps;
}

}  // namespace
}  // namespace umbra::fakeclr

/// Spoils what the convention gives to a callee: registers, and the home area above its own return
/// address.
#define SPOIL_VOLATILE()                                                                      \
    __asm__ volatile(                                                                         \
        "movq $-1, %%rcx\n\tmovq $-1, %%rdx\n\tmovq $-1, %%r8\n\tmovq $-1, %%r9\n\t"          \
        "movq $-1, %%r10\n\tmovq $-1, %%r11\n\t"                                              \
        "pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm1, %%xmm1\n\tpcmpeqd %%xmm2, %%xmm2\n\t"      \
        "pcmpeqd %%xmm3, %%xmm3\n\tpcmpeqd %%xmm4, %%xmm4\n\tpcmpeqd %%xmm5, %%xmm5" ::       \
            : "rcx", "rdx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", \
              "xmm5", "memory")

uint32_t umbra_slow_path() {
    using namespace umbra::fakeclr;
    ++g_slow_calls;
    std::memset(static_cast<char*>(__builtin_frame_address(0)) + 16, 0, UMBRA_HOME_BYTES);
    if (g_slow_path_finds_room) {
        set_ring(8);
    }
    SPOIL_VOLATILE();
    return g_slow_path_finds_room ? 1 : 0;
}

uint64_t umbra_os_ns() {
    std::memset(static_cast<char*>(__builtin_frame_address(0)) + 16, 0, UMBRA_HOME_BYTES);
    SPOIL_VOLATILE();
    return umbra::fakeclr::kOsClock;
}

int main() {
    using namespace umbra::fakeclr;
    std::setvbuf(stdout, nullptr, _IONBF, 0);  // a fault may end the program
    if (!allocate_cursor()) {
        wrong("no two neighbouring slots of TlsAlloc where the probes look for them");
        return 1;
    }
    std::printf("fxsave\n");
    check_paths();
    umbra::hotpath::choose_vector_save();
    std::printf("xsave %s\n", umbra_xsave_mask != 0 ? "on" : "not on this processor");
    check_paths();
    std::printf("unwound from %llu places\n",
                static_cast<unsigned long long>(check_unwinding_everywhere()));
    return g_wrong == 0 ? 0 : 1;
}
