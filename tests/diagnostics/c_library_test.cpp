// SPDX-License-Identifier: MIT
#include "src/diagnostics/c_library.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace umbra::diagnostics {
namespace {

constexpr size_t kNameOffset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);

/// An ELF file of one program header, which names a dynamic linker.
std::string program_for(const std::string& linker) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_phoff = sizeof header;
    header.e_phnum = 1;
    Elf64_Phdr segment{};
    segment.p_type = PT_INTERP;
    segment.p_offset = kNameOffset;
    segment.p_filesz = linker.size() + 1;
    std::string file(kNameOffset, '\0');
    std::memcpy(file.data(), &header, sizeof header);
    std::memcpy(file.data() + sizeof header, &segment, sizeof segment);
    return file + linker + '\0' + "behind";
}

class CLibraryOf : public ::testing::Test {
  protected:
    CLibraryOf() {
        char folder[] = "/tmp/umbra_c_library.XXXXXX";
        folder_ = mkdtemp(folder);
    }
    ~CLibraryOf() override {
        for (const char* name : {"musl", "glibc", "script"}) {
            unlink(path(name).c_str());
        }
        rmdir(folder_.c_str());
    }
    CLibraryOf(const CLibraryOf&) = delete;
    CLibraryOf& operator=(const CLibraryOf&) = delete;

    [[nodiscard]] std::string path(const std::string& name) const { return folder_ + '/' + name; }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
        ASSERT_EQ(chmod(path(name).c_str(), S_IRWXU), 0);
    }

    std::string folder_;
};

TEST(DynamicLinker, IsWhatTheProgramHeaderNames) {
    const std::string file = program_for("/lib/ld-musl-x86_64.so.1");
    EXPECT_EQ(dynamic_linker_of(file), "/lib/ld-musl-x86_64.so.1");
    EXPECT_EQ(dynamic_linker_of(""), "");
    EXPECT_EQ(dynamic_linker_of("#!/bin/sh\n"), "");
}

TEST(DynamicLinker, OfAFileThatEndsAnywhereIsNoMoreThanIsThere) {
    const std::string file = program_for("/lib/ld-musl-x86_64.so.1");
    for (size_t bytes = 0; bytes < kNameOffset; ++bytes) {
        EXPECT_EQ(dynamic_linker_of(file.substr(0, bytes)), "") << bytes;
    }
    EXPECT_EQ(dynamic_linker_of(file.substr(0, kNameOffset + 4)), "/lib");
}

TEST(DynamicLinker, OfAHeaderThatPointsAnywhereIsNone) {
    for (const uint64_t offset : {uint64_t{1} << 20, ~uint64_t{0}, ~uint64_t{0} - 50}) {
        std::string file = program_for("/lib/ld-musl-x86_64.so.1");
        std::memcpy(file.data() + offsetof(Elf64_Ehdr, e_phoff), &offset, sizeof offset);
        EXPECT_EQ(dynamic_linker_of(file), "") << offset;
        file = program_for("/lib/ld-musl-x86_64.so.1");
        std::memcpy(file.data() + sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_offset), &offset,
                    sizeof offset);
        EXPECT_EQ(dynamic_linker_of(file), "") << offset;
    }
}

TEST_F(CLibraryOf, AProgramIsThatOfItsDynamicLinker) {
    write("musl", program_for("/lib/ld-musl-x86_64.so.1"));
    write("glibc", program_for("/lib64/ld-linux-x86-64.so.2"));
    EXPECT_EQ(c_library_of_program(path("musl")), CLibrary::kMusl);
    EXPECT_EQ(c_library_of_program(path("glibc")), CLibrary::kGlibc);
    EXPECT_EQ(c_library_of_program(path("none")), CLibrary::kGlibc);
    EXPECT_EQ(c_library_of_program("/proc/self/exe"), CLibrary::kGlibc);
}

TEST_F(CLibraryOf, AProgramWithoutAFolderIsLookedForInPath) {
    write("musl", program_for("/lib/ld-musl-x86_64.so.1"));
    const std::string before = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
    setenv("PATH", ("/nowhere:" + folder_).c_str(), 1);
    EXPECT_EQ(c_library_of_program("musl"), CLibrary::kMusl);
    EXPECT_EQ(c_library_of_program("none"), CLibrary::kGlibc);
    setenv("PATH", before.c_str(), 1);
}

TEST_F(CLibraryOf, AScriptIsThatOfItsInterpreter) {
    write("musl", program_for("/lib/ld-musl-x86_64.so.1"));
    write("script", "#! " + path("musl") + " -e\necho\n");
    EXPECT_EQ(c_library_of_program(path("script")), CLibrary::kMusl);
    write("script", "#!\n");
    EXPECT_EQ(c_library_of_program(path("script")), CLibrary::kGlibc);
}

TEST_F(CLibraryOf, ThisProcessIsNotMusl) {
    EXPECT_EQ(c_library_of_process(getpid()), CLibrary::kGlibc);
    EXPECT_EQ(c_library_of_process(0x3fffffff), CLibrary::kGlibc);
}

}  // namespace
}  // namespace umbra::diagnostics
