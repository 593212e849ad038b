// SPDX-License-Identifier: MIT
// The native library of tests/managed/world.
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t page_bytes = 4096;
static char* guarded;
static volatile sig_atomic_t handled;
static struct sigaction before;

void world_crash(void) {
    *(volatile int*)8 = 1;
}

/// Makes the guarded page writable; every other fault goes to whoever was there first.
static void on_fault(int number, siginfo_t* info, void* context) {
    char* at = info->si_addr;
    if (guarded != NULL && at >= guarded && at < guarded + page_bytes) {
        handled++;
        mprotect(guarded, page_bytes, PROT_READ | PROT_WRITE);
    } else if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else {
        signal(number, SIG_DFL);
    }
}

/// Faults that often, each handled here. The handler stays, in front of the runtime's.
int world_faults_handled(int faults) {
    struct sigaction now;
    sigaction(SIGSEGV, NULL, &now);
    if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != on_fault) {
        before = now;
        now.sa_flags = SA_SIGINFO | SA_ONSTACK;
        now.sa_sigaction = on_fault;
        sigaction(SIGSEGV, &now, NULL);
        guarded = mmap(NULL, page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    handled = 0;
    for (int i = 0; i < faults; i++) {
        mprotect(guarded, page_bytes, PROT_NONE);
        *(volatile char*)guarded = 1;
    }
    return handled;
}

/// Comes back in the grandchild alone, in a session of its own, after that time.
void world_daemonise(int milliseconds) {
    if (fork() != 0) {
        _exit(0);
    }
    setsid();
    if (fork() != 0) {
        _exit(0);
    }
    usleep((useconds_t)milliseconds * 1000);
}
