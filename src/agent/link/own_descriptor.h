// SPDX-License-Identifier: MIT
// OwnDescriptor: a descriptor of ours in a process that is somebody else's.
#pragma once

#include <utility>

#include <sys/stat.h>

#include "src/base/unique_fd.h"

namespace umbra::agent {

/// The program may close it, as those do that become daemons, and give its number to a file of its
/// own: then it is not ours to use, nor to close. To be asked before each use; who closes
/// descriptors in that very moment cannot be helped.
class OwnDescriptor {
  public:
    OwnDescriptor() = default;
    explicit OwnDescriptor(UniqueFd fd) : fd_(std::move(fd)) {
        struct stat self {};
        if (fstat(fd_.get(), &self) == 0) {
            device_ = self.st_dev;
            inode_ = self.st_ino;
        }
    }
    OwnDescriptor(const OwnDescriptor&) = delete;
    OwnDescriptor& operator=(const OwnDescriptor&) = delete;
    OwnDescriptor(OwnDescriptor&&) noexcept = default;
    OwnDescriptor& operator=(OwnDescriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        std::swap(device_, other.device_);
        std::swap(inode_, other.inode_);
        return *this;
    }
    ~OwnDescriptor() {
        if (!is_ours()) {
            (void)fd_.release();
        }
    }

    /// False: there is none, or it is the program's by now.
    [[nodiscard]] bool is_ours() const noexcept {
        struct stat self {};
        return fd_ && fstat(fd_.get(), &self) == 0 && self.st_dev == device_ &&
               self.st_ino == inode_;
    }
    [[nodiscard]] int get() const noexcept { return fd_.get(); }

  private:
    UniqueFd fd_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace umbra::agent
