// SPDX-License-Identifier: MIT
// Where `umbra top PID` finds the profile of a running process.
#pragma once

#include <map>
#include <string>

#include <sys/types.h>

#include "src/base/result.h"

namespace umbra::cli {

/// The recording's half: for each process a symbolic link to its profile, in the folder of the
/// control socket, which belongs to the user alone (mode 0700). Links that cannot be made are done
/// without: nothing but `umbra top PID` misses them.
class ProfileLinks {
  public:
    /// `socket`: path of the control socket; its folder must outlive the links.
    explicit ProfileLinks(const std::string& socket);
    ProfileLinks(const ProfileLinks&) = delete;
    ProfileLinks& operator=(const ProfileLinks&) = delete;
    /// Removes all links.
    ~ProfileLinks();

    /// The profile of process `pid` is, or will be, at `path`.
    void add(pid_t pid, const std::string& path);

  private:
    std::string folder_;
    std::map<pid_t, std::string> links_;
};

struct ProfileOfProcess {
    pid_t pid = 0;     ///< of the profiled process; an older file may be in the place
    std::string path;  ///< absolute
};

/// The reader's half: the profile of a process that `umbra run` profiles, or of the one process
/// below an `umbra run` or a program in between. The process names the folder in its environment
/// (UMBRA_SOCKET); a folder that is not the caller's own and closed to others is not believed.
/// The file may not exist yet. Errors: kNotFound, kRefused, kSystem.
[[nodiscard]] Result<ProfileOfProcess> find_profile(pid_t pid);

}  // namespace umbra::cli
