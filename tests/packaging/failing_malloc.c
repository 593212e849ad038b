// SPDX-License-Identifier: MIT
// Preloaded: the FAIL_AT-th allocation of libumbra_agent.so fails, so that an exception is thrown in it.
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void* __libc_malloc(size_t size);  // glibc's own, in every version

static uintptr_t code_begin, code_end;  // of the agent, once it is loaded
static int fail_at, calls;

static int look_for_agent(struct dl_phdr_info* object, size_t size, void* data) {
    (void)size;
    (void)data;
    if (strstr(object->dlpi_name, "libumbra_agent.so") == NULL) {
        return 0;
    }
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)* header = &object->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && (header->p_flags & PF_X) != 0) {
            fail_at = atoi(getenv("FAIL_AT"));
            code_end = object->dlpi_addr + header->p_vaddr + header->p_memsz;
            code_begin = object->dlpi_addr + header->p_vaddr;
        }
    }
    return 1;
}

void* malloc(size_t size) {
    const uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    if (code_begin == 0) {
        dl_iterate_phdr(look_for_agent, NULL);
    }
    if (caller >= code_begin && caller < code_end &&
        __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == fail_at) {
        return NULL;
    }
    return __libc_malloc(size);
}
