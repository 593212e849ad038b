// SPDX-License-Identifier: MIT
// SourceLines: file and line of the functions of a profile, which of them are tests, and names that
// are missing.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/profile/profile.h"

namespace umbra::symbols {

/// Reads each module and its PDB once, on a thread of its own: a file may lie where reading it
/// takes for ever. One thread uses it.
class SourceLines {
  public:
    /// `folders`: where PDBs lie that are not beside their modules.
    explicit SourceLines(std::vector<std::string> folders);

    /// Fills in Function::file, line, test, endpoint and synchronized, the names of functions
    /// without Function::method, with generic parameters by their own names, Module::symbols and
    /// symbols_missing. Reads modules of which a function was timed, sampled or left out as
    /// trivial. Waits for file systems no longer than `timeout`; a module that has not been read by
    /// then has none of them. Opens a module as the profiled process sees it while that runs, else
    /// by its path here.
    void add_to(profile::Profile& profile,
                std::chrono::milliseconds timeout = std::chrono::seconds(5));

    /// The process has ended, and no profile of it will come: what was read for it is forgotten.
    void forget(uint32_t pid);

  private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace umbra::symbols
