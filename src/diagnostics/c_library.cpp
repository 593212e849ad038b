// SPDX-License-Identifier: MIT
#include "src/diagnostics/c_library.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include <elf.h>
#include <unistd.h>

#include "src/base/read_file.h"
#include "src/diagnostics/process_facts.h"

namespace umbra::diagnostics {
namespace {

/// Linkers put program headers and the name of the dynamic linker into the first page.
constexpr size_t kHeadBytes = size_t{64} * 1024;

/// musl's dynamic linker is its libc.so, and ld-musl-* that file or, as Debian has it, a link to
/// it.
bool is_linker_of_musl(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.starts_with("ld-musl-") || name == "libc.so";
}

/// A structure of the file at `offset`; nothing where the bytes end before it does.
template <typename T>
std::optional<T> structure_at(std::string_view file, uint64_t offset) {
    if (offset > file.size() || file.size() - offset < sizeof(T)) {
        return std::nullopt;
    }
    T structure{};
    std::memcpy(&structure, file.data() + offset, sizeof structure);
    return structure;
}

std::string find_in_path(const std::string& program) {
    if (program.find('/') != std::string::npos) {
        return program;
    }
    // NOLINTNEXTLINE(concurrency-mt-unsafe): umbra changes no variable
    const char* set = std::getenv("PATH");
    for (std::string_view rest = set == nullptr ? "/bin:/usr/bin" : set;;) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        std::string path = std::string(folder.empty() ? "." : folder) + '/' + program;
        if (access(path.c_str(), X_OK) == 0) {
            return path;
        }
        if (folder.size() == rest.size()) {
            return program;
        }
        rest.remove_prefix(folder.size() + 1);
    }
}

/// The program that a "#!" line names; empty without one.
std::string interpreter_of(std::string_view file) {
    if (!file.starts_with("#!")) {
        return {};
    }
    const std::string_view line = file.substr(2, file.find('\n') - 2);
    const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    const std::string_view words = line.substr(begin);
    return std::string(words.substr(0, words.find_first_of(" \t")));
}

}  // namespace

std::string dynamic_linker_of(std::string_view file) {
    const auto header = structure_at<Elf64_Ehdr>(file, 0);
    if (!header || !file.starts_with(ELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64) {
        return {};
    }
    for (uint64_t i = 0; i < header->e_phnum; ++i) {
        const auto segment =
            structure_at<Elf64_Phdr>(file, header->e_phoff + i * sizeof(Elf64_Phdr));
        if (!segment) {
            return {};
        }
        if (segment->p_type == PT_INTERP && segment->p_offset < file.size()) {
            const std::string_view name = file.substr(segment->p_offset, segment->p_filesz);
            return std::string(name.substr(0, name.find('\0')));
        }
    }
    return {};
}

CLibrary c_library_of_program(const std::string& program) {
    std::string file = read_file(find_in_path(program), kHeadBytes).value_or("");
    if (const std::string interpreter = interpreter_of(file); !interpreter.empty()) {
        file = read_file(interpreter, kHeadBytes).value_or("");
    }
    return is_linker_of_musl(dynamic_linker_of(file)) ? CLibrary::kMusl : CLibrary::kGlibc;
}

CLibrary c_library_of_process(pid_t pid) {
    // What is mapped has the name of the file that a link leads to; the program names the link. Of
    // one that a linker was asked to start, /proc/PID/exe is that linker.
    std::vector<std::string> linkers = mapped_code(pid);
    const std::string program = "/proc/" + std::to_string(pid) + "/exe";
    linkers.push_back(dynamic_linker_of(read_file(program, kHeadBytes).value_or("")));
    return std::ranges::any_of(linkers, is_linker_of_musl) ? CLibrary::kMusl : CLibrary::kGlibc;
}

}  // namespace umbra::diagnostics
