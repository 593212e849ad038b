// SPDX-License-Identifier: MIT
#include "src/agent/link/own_descriptor.h"

#include <algorithm>
#include <array>
#include <mutex>

#include <pthread.h>

namespace umbra::agent {
namespace {

struct Open {
    int fd = -1;
    dev_t device = 0;
    ino_t inode = 0;
};

// What is open now. The agent has four at once at most; what finds no room stays open in a child.
constinit std::array<Open, 16> g_open;
constinit std::mutex g_mutex;  // guards g_open, held over a fork

Open* find(int fd) {
    Open* found = std::find_if(g_open.begin(), g_open.end(),
                               [fd](const Open& open) { return open.fd == fd; });
    return found == g_open.end() ? nullptr : found;
}

// Only what may be called behind a fork: the child may be all that is left of many threads.
void close_all_in_child() {
    for (Open& open : g_open) {
        struct stat self {};
        if (open.fd >= 0 && fstat(open.fd, &self) == 0 && self.st_dev == open.device &&
            self.st_ino == open.inode) {
            close(open.fd);
        }
        open = Open{};
    }
    g_mutex.unlock();
}

// Once is enough: a child of a child has the handlers too.
void watch_forks() {
    [[maybe_unused]] static const int outcome =
        pthread_atfork([] { g_mutex.lock(); }, [] { g_mutex.unlock(); }, close_all_in_child);
}

void remember(Open open) {
    const std::lock_guard lock(g_mutex);
    Open* place = find(open.fd);  // taken away from us earlier, and opened by us again
    if (place == nullptr) {
        place = find(-1);
    }
    if (place != nullptr) {
        *place = open;
    }
}

void forget(int fd) {
    const std::lock_guard lock(g_mutex);
    if (Open* place = find(fd)) {
        *place = Open{};
    }
}

}  // namespace

OwnDescriptor::OwnDescriptor(UniqueFd fd) : fd_(std::move(fd)) {
    struct stat self {};
    if (fstat(fd_.get(), &self) != 0) {
        return;
    }
    device_ = self.st_dev;
    inode_ = self.st_ino;
    watch_forks();
    remember({fd_.get(), device_, inode_});
}

OwnDescriptor::~OwnDescriptor() {
    if (!fd_) {
        return;
    }
    forget(fd_.get());
    if (!is_ours()) {
        (void)fd_.release();
    }
}

}  // namespace umbra::agent
