// SPDX-License-Identifier: MIT
// OwnDescriptor: a descriptor of ours in a process that is somebody else's.
#pragma once

#include <utility>

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "src/agent/link/owning_process.h"
#include "src/base/unique_fd.h"

namespace umbra::agent {

/// The program may close it, as those do that become daemons, and give its number to a file of its
/// own: then it is not ours to use, nor to close. To be asked before each use; who closes
/// descriptors in that very moment cannot be helped.
///
/// The child of a fork has none of them: its copies are closed in the moment of the fork, or the
/// other end would take the child's life for that of the process.
class OwnDescriptor {
  public:
    OwnDescriptor() = default;
    explicit OwnDescriptor(UniqueFd fd);
    OwnDescriptor(const OwnDescriptor&) = delete;
    OwnDescriptor& operator=(const OwnDescriptor&) = delete;
    OwnDescriptor(OwnDescriptor&&) noexcept = default;
    OwnDescriptor& operator=(OwnDescriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        std::swap(device_, other.device_);
        std::swap(inode_, other.inode_);
        std::swap(owner_, other.owner_);
        return *this;
    }
    ~OwnDescriptor();

    /// False: there is none, it is the program's by now, or this is the child of a fork.
    [[nodiscard]] bool is_ours() const noexcept {
        struct stat self {};
        return fd_ && owner_.is_this() && fstat(fd_.get(), &self) == 0 && self.st_dev == device_ &&
               self.st_ino == inode_;
    }
    [[nodiscard]] int get() const noexcept { return fd_.get(); }

  private:
    UniqueFd fd_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
    OwningProcess owner_;
};

}  // namespace umbra::agent
