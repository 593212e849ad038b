// SPDX-License-Identifier: MIT
// What glibc 2.27 has not, over what it has. Compiled with -fvisibility=hidden: nobody else in a
// process is answered.
#include <csignal>

#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

/// The layout of struct stat, which is the only one there is on x86-64.
constexpr int kStatVersion = 1;

}  // namespace

extern "C" {

// The functions of a program's own part of libc (libc_nonshared.a) called these before 2.33.
int xstat(int version, const char* path, struct stat* found) noexcept __asm__("__xstat");
int lxstat(int version, const char* path, struct stat* found) noexcept __asm__("__lxstat");
int fxstat(int version, int file, struct stat* found) noexcept __asm__("__fxstat");
int fxstatat(int version, int folder, const char* path, struct stat* found, int flags) noexcept
    __asm__("__fxstatat");
int xstat64(int version, const char* path, struct stat64* found) noexcept __asm__("__xstat64");
int lxstat64(int version, const char* path, struct stat64* found) noexcept __asm__("__lxstat64");
int fxstat64(int version, int file, struct stat64* found) noexcept __asm__("__fxstat64");

int stat(const char* path, struct stat* found) noexcept {
    return xstat(kStatVersion, path, found);
}

int lstat(const char* path, struct stat* found) noexcept {
    return lxstat(kStatVersion, path, found);
}

int fstat(int file, struct stat* found) noexcept {
    return fxstat(kStatVersion, file, found);
}

int fstatat(int folder, const char* path, struct stat* found, int flags) noexcept {
    return fxstatat(kStatVersion, folder, path, found, flags);
}

int stat64(const char* path, struct stat64* found) noexcept {
    return xstat64(kStatVersion, path, found);
}

int lstat64(const char* path, struct stat64* found) noexcept {
    return lxstat64(kStatVersion, path, found);
}

int fstat64(int file, struct stat64* found) noexcept {
    return fxstat64(kStatVersion, file, found);
}

pid_t gettid() noexcept {
    return static_cast<pid_t>(syscall(SYS_gettid));
}

// Tables that programs read before 2.32. Younger glibc keep them for such programs.
extern const char* const kErrorTexts[];
extern const int kErrorCount;
extern const char* const kSignalNames[];
__asm__(".symver kErrorTexts, _sys_errlist@GLIBC_2.12");
__asm__(".symver kErrorCount, _sys_nerr@GLIBC_2.12");
__asm__(".symver kSignalNames, sys_sigabbrev@GLIBC_2.3.3");

const char* strerrordesc_np(int error) noexcept {
    return error >= 0 && error < kErrorCount ? kErrorTexts[error] : nullptr;
}

const char* sigabbrev_np(int signal) noexcept {
    return signal >= 0 && signal < NSIG ? kSignalNames[signal] : nullptr;
}

/// "Not known": libstdc++ then counts references with atomic instructions, always.
char __libc_single_threaded = 0;

}  // extern "C"
