// SPDX-License-Identifier: MIT
#include "src/diagnostics/c_library.h"

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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
        char folder[] = "/tmp/u.XXXXXX";  // short: see AProcessIsThatOfTheLinkItsProgramNames
        folder_ = mkdtemp(folder);
    }
    ~CLibraryOf() override { std::filesystem::remove_all(folder_); }
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

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// A process that runs until this goes. It has got to where it sleeps: before that the program it
/// was started by, or nothing yet, may lie in its memory.
class Running {
  public:
    explicit Running(std::vector<std::string> command) {
        std::vector<char*> arguments;
        for (std::string& word : command) {
            arguments.push_back(word.data());
        }
        arguments.push_back(nullptr);
        EXPECT_EQ(
            posix_spawn(&pid_, command[0].c_str(), nullptr, nullptr, arguments.data(), environ), 0);
        const std::string call = "/proc/" + std::to_string(pid_) + "/syscall";
        const std::string sleeps = std::to_string(SYS_clock_nanosleep) + ' ';
        while (kill(pid_, 0) == 0 && !content_of(call).starts_with(sleeps)) {
            usleep(1000);
        }
    }
    ~Running() {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    [[nodiscard]] pid_t pid() const { return pid_; }

  private:
    pid_t pid_ = 0;
};

// What musl's linker is called on Debian, Alpine and by hand, with the linker of this machine.

TEST_F(CLibraryOf, AProcessIsThatOfTheLinkItsProgramNames) {
    std::string program = content_of("/bin/sleep");
    const std::string linker = dynamic_linker_of(program);
    const std::string link = path("ld-musl-x");
    ASSERT_LE(link.size(), linker.size()) << "it has to fit where the other one's name was";
    std::filesystem::create_symlink(std::filesystem::canonical(linker), link);
    program.replace(program.find(linker), linker.size(),
                    link + std::string(linker.size() - link.size(), '\0'));
    write("sleep", program);
    const Running process({path("sleep"), "1000"});
    EXPECT_EQ(c_library_of_process(process.pid()), CLibrary::kMusl);
}

TEST_F(CLibraryOf, AProcessIsThatOfTheLinkerThatWasAskedToStartIt) {
    for (const char* name : {"libc.so", "ld-musl-x86_64.so.1", "ld-linux-x86-64.so.2"}) {
        write(name, content_of(dynamic_linker_of(content_of("/bin/sleep"))));
        const Running process({path(name), "/bin/sleep", "1000"});
        EXPECT_EQ(c_library_of_process(process.pid()) == CLibrary::kMusl,
                  std::string_view(name) != "ld-linux-x86-64.so.2")
            << name;
    }
}

TEST_F(CLibraryOf, ThisProcessIsNotMusl) {
    EXPECT_EQ(c_library_of_process(getpid()), CLibrary::kGlibc);
    EXPECT_EQ(c_library_of_process(0x3fffffff), CLibrary::kGlibc);
}

}  // namespace
}  // namespace umbra::diagnostics
