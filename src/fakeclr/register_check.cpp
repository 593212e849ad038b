// SPDX-License-Identifier: MIT
// What the register checks of all ABIs have in common.
#include "src/fakeclr/register_check.h"

namespace umbra::fakeclr {

uint64_t next_pattern(uint64_t& state) {
    state += 0x9e3779b97f4a7c15U;
    uint64_t value = state;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return (value ^ (value >> 31)) | 1;
}

std::vector<std::string> broken_contract(HookKind kind, const RegisterFile& before,
                                         const RegisterFile& after) {
    std::vector<std::string> broken = changed_registers(before, after);
    std::erase_if(broken, [kind](const std::string& name) { return !must_preserve(kind, name); });
    return broken;
}

}  // namespace umbra::fakeclr
