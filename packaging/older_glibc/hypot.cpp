// SPDX-License-Identifier: MIT
// hypot as glibc has had it from the beginning; that of 2.35 differs in rare values of errno.
// Compiled with -fvisibility=hidden: nobody else in a process is answered.

extern "C" double hypot_of_2_2_5(double x, double y);
__asm__(".symver hypot_of_2_2_5, hypot@GLIBC_2.2.5");

extern "C" double hypot(double x, double y) noexcept {
    return hypot_of_2_2_5(x, y);
}
