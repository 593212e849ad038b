// SPDX-License-Identifier: MIT
// Patterns, comparison and the list of the AArch64 registers that hooks have to preserve.
#include "src/fakeclr/register_file.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "src/fakeclr/register_check.h"
#include "src/fakeclr/register_layout.inc"

namespace umbra::fakeclr {

static_assert(offsetof(RegisterFile, x) == REGS_X);
static_assert(offsetof(RegisterFile, sp) == REGS_SP);
static_assert(offsetof(RegisterFile, nzcv) == REGS_NZCV);
static_assert(offsetof(RegisterFile, fpcr) == REGS_FPCR);
static_assert(offsetof(RegisterFile, vector_bytes) == REGS_VECTOR_BYTES);
static_assert(offsetof(RegisterFile, z) == REGS_Z);
static_assert(offsetof(RegisterFile, p) == REGS_P);
static_assert(offsetof(RegisterFile, ffr) == REGS_FFR);

extern "C" void umbra_fakeclr_checked_call(Hook hook, RegisterFile* before, RegisterFile* after);

namespace {

constexpr size_t kGeneral = 30;  // x0-x29; x30 is the call's
constexpr size_t kPlatformRegister = 18;
constexpr uint64_t kAllFlags = 0xf000'0000;
constexpr uint64_t kFpcrPattern =
    0x03c0'0000;  // default NaN, flush to zero, round to zero: unusual

/// The number in a name like "x19"; -1: the name begins with another letter.
int number_in(std::string_view name, char letter) {
    if (name.size() < 2 || name.size() > 3 || name[0] != letter) {
        return -1;
    }
    int number = 0;
    for (const char digit : name.substr(1)) {
        if (digit < '0' || digit > '9') {
            return -1;
        }
        number = number * 10 + (digit - '0');
    }
    return number;
}

bool is_between(int number, int first, int last) {
    return number >= first && number <= last;
}

std::span<uint8_t> bytes_of(RegisterFile& file, size_t vector) {
    return {&file.z[0][0] + vector * file.vector_bytes, file.vector_bytes};
}
std::span<uint8_t> predicate_of(RegisterFile& file, size_t predicate) {
    const size_t bytes = file.vector_bytes / 8;
    return {&file.p[0][0] + predicate * bytes, bytes};
}

bool differ(std::span<const uint8_t> a, std::span<const uint8_t> b, size_t first, size_t last) {
    last = std::min(last, a.size());
    return first < last && std::memcmp(&a[first], &b[first], last - first) != 0;
}

void fill(std::span<uint8_t> bytes, uint64_t& state) {
    for (size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
        const uint64_t word = next_pattern(state);
        std::memcpy(&bytes[at], &word, std::min(sizeof word, bytes.size() - at));
    }
}

RegisterFile any_pattern(uint64_t seed) {
    RegisterFile file{};
    file.vector_bytes = cpu_vector_bytes();
    uint64_t state = seed;
    for (uint64_t& word : file.x) {
        word = next_pattern(state);
    }
    for (size_t vector = 0; vector < std::size(file.z); ++vector) {
        fill(bytes_of(file, vector), state);
    }
    if (file.vector_bytes > 16) {
        for (size_t predicate = 0; predicate < std::size(file.p); ++predicate) {
            fill(predicate_of(file, predicate), state);
        }
        // Only such values of FFR are valid as begin with ones and end with zeros.
        const size_t ones = file.vector_bytes / 16;
        std::fill_n(file.ffr, ones, uint8_t{0xff});
    }
    file.nzcv = kAllFlags;
    file.fpcr = kFpcrPattern;
    return file;
}

}  // namespace

size_t cpu_vector_bytes() {
    if ((getauxval(AT_HWCAP) & HWCAP_SVE) == 0) {
        return 16;
    }
    const int length = prctl(PR_SVE_GET_VL);
    return length < 0 ? 16 : static_cast<size_t>(length) & PR_SVE_VL_LEN_MASK;
}

RegisterFile register_pattern(HookKind /*kind*/, uintptr_t client_id, uintptr_t caller_sp,
                              uint64_t seed) {
    RegisterFile file = any_pattern(seed);
    file.x[10] = client_id;
    file.x[11] = caller_sp;
    return file;
}

RegisterFile il_register_pattern(uintptr_t client_id, uintptr_t marker, uint64_t seed) {
    RegisterFile file = any_pattern(seed);
    file.x[0] = client_id;
    file.x[1] = marker;
    return file;
}

std::vector<uint64_t> pattern_words(const RegisterFile& file) {
    std::vector<uint64_t> words(std::begin(file.x), std::end(file.x));
    words.resize(words.size() + std::size(file.z) * file.vector_bytes / sizeof(uint64_t));
    std::memcpy(&words[std::size(file.x)], file.z, std::size(file.z) * file.vector_bytes);
    return words;
}

RegisterFile checked_call(Hook hook, RegisterFile& before, StackAlignment /*alignment*/) {
    RegisterFile after = before;  // what this CPU does not have stays equal
    umbra_fakeclr_checked_call(hook, &before, &after);
    return after;
}

std::vector<std::string> changed_registers(const RegisterFile& before, const RegisterFile& after) {
    std::vector<std::string> changed;
    const auto note = [&](bool differs, const std::string& name) {
        if (differs) {
            changed.push_back(name);
        }
    };
    for (size_t i = 0; i < kGeneral; ++i) {
        note(i != kPlatformRegister && before.x[i] != after.x[i], "x" + std::to_string(i));
    }
    note(before.sp != after.sp, "sp");
    RegisterFile a = before;
    RegisterFile b = after;
    for (size_t i = 0; i < std::size(before.z); ++i) {
        const std::string number = std::to_string(i);
        note(differ(bytes_of(a, i), bytes_of(b, i), 0, 8), "v" + number);
        note(differ(bytes_of(a, i), bytes_of(b, i), 8, 16), "q" + number);
        note(differ(bytes_of(a, i), bytes_of(b, i), 16, RegisterFile::kMaxVectorBytes),
             "z" + number);
    }
    for (size_t i = 0; i < std::size(before.p); ++i) {
        note(differ(predicate_of(a, i), predicate_of(b, i), 0, RegisterFile::kMaxVectorBytes),
             "p" + std::to_string(i));
    }
    note(std::memcmp(before.ffr, after.ffr, before.vector_bytes / 8) != 0, "ffr");
    note(((before.nzcv ^ after.nzcv) & kAllFlags) != 0, "flags");
    note(before.fpcr != after.fpcr, "fpcr");
    return changed;
}

bool must_preserve(HookKind /*kind*/, std::string_view name) {
    // Enter has the arguments in x0-x8 and v0-v7; the JIT counts the same as kept at Leave and
    // Tailcall. x19-x29 and the low halves of v8-v15 are callee-saved.
    const int general = number_in(name, 'x');
    const int low = number_in(name, 'v');
    return is_between(general, 0, 8) || is_between(general, 19, 29) || is_between(low, 0, 15) ||
           is_between(number_in(name, 'q'), 0, 7) || name == "sp" || name == "fpcr";
}

}  // namespace umbra::fakeclr
