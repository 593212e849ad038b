// SPDX-License-Identifier: MIT
// _dl_find_object, which the unwinder of GCC 12 asks and glibc has since 2.35, over what older ones
// and musl have. Compiled with -fvisibility=hidden: nobody else in a process is answered.
#include <dlfcn.h>
#include <link.h>

namespace {

struct Search {
    ElfW(Addr) address;
    dl_find_object* found;
};

/// 1: the object holds the address, and what is known of it is in `found`.
int look_into(dl_phdr_info* object, size_t /*size*/, void* data) {
    const auto* search = static_cast<const Search*>(data);
    ElfW(Addr) first = ~ElfW(Addr){0};
    ElfW(Addr) last = 0;
    ElfW(Addr) frames = 0;
    bool holds = false;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = object->dlpi_phdr[i];
        const ElfW(Addr) start = object->dlpi_addr + header.p_vaddr;
        const ElfW(Addr) end = start + header.p_memsz;
        if (header.p_type == PT_LOAD) {
            holds = holds || (search->address >= start && search->address < end);
            first = start < first ? start : first;
            last = end > last ? end : last;
        } else if (header.p_type == PT_GNU_EH_FRAME) {
            frames = start;
        }
    }
    if (!holds || frames == 0) {
        return 0;
    }
    *search->found = {};
    search->found->dlfo_map_start = reinterpret_cast<void*>(first);
    search->found->dlfo_map_end = reinterpret_cast<void*>(last);
    search->found->dlfo_eh_frame = reinterpret_cast<void*>(frames);
    return 1;
}

}  // namespace

/// 0: an object of the process holds the address. May be called in any thread, as the one of glibc.
extern "C" int _dl_find_object(void* address, dl_find_object* result) noexcept {
    Search search = {reinterpret_cast<ElfW(Addr)>(address), result};
    return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}
