// SPDX-License-Identifier: MIT
// The same recursion as tests/managed/fib in C, for tracers of native code.
//
//   fib N ROUNDS
//
// Prints "ns NS CALLS": the fastest round, in nanoseconds a call.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define UNSEEN __attribute__((no_instrument_function))

static uint64_t g_calls;

UNSEEN static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

// Neither inlined nor made into a loop, so that every call is one.
__attribute__((noinline, noclone, optimize("no-optimize-sibling-calls"))) int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

UNSEEN static uint64_t calls_of(int n) {
    return n < 2 ? 1 : 1 + calls_of(n - 1) + calls_of(n - 2);
}

UNSEEN int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 27;
    const int rounds = argc > 2 ? atoi(argv[2]) : 5;
    volatile int sink = 0;
    double best_ns = 1e300;
    g_calls = calls_of(n);
    for (int round = 0; round < rounds; round++) {
        const double begin_ns = now_ns();
        sink += fib(n);
        const double ns = (now_ns() - begin_ns) / (double)g_calls;
        best_ns = ns < best_ns ? ns : best_ns;
    }
    printf("ns %.3f %llu\n", best_ns, (unsigned long long)g_calls);
    return 0;
}
