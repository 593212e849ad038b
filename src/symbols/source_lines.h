// SPDX-License-Identifier: MIT
// SourceLines: file and line of the functions of a profile.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "src/profile/profile.h"

namespace umbra::symbols {

/// Reads each module's PDB once, on a thread of its own: a file may lie where reading it takes for
/// ever. One thread uses it.
class SourceLines {
  public:
    /// `folders`: where PDBs lie that are not beside their modules.
    explicit SourceLines(std::vector<std::string> folders);

    /// Fills in Function::file, Function::line, Module::symbols and Module::symbols_missing. Waits
    /// for file systems no longer than `patience`; a module whose PDB has not been read by then has
    /// none. Opens a module as the profiled process sees it while that runs, else by its path here.
    void add_to(profile::Profile& profile,
                std::chrono::milliseconds patience = std::chrono::seconds(5));

  private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace umbra::symbols
