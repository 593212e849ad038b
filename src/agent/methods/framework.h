// SPDX-License-Identifier: MIT
// Tells modules of the .NET frameworks from those of the application, by where they lie.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/clr/info.h"

namespace umbra::agent {

/// Learns from CoreLib's path. A shared framework lies in <root>/shared/<name>/<version>/, and all
/// of <root>/shared is framework. A self-contained application carries the runtime in its own
/// folder; there the *.deps.json says which files came from a runtime pack. Not thread-safe.
class FrameworkModules {
  public:
    /// `path` of System.Private.CoreLib.dll as the runtime gives it. Reads *.deps.json beside it if
    /// the application is self-contained; unreadable files count as saying nothing.
    void learn(std::string_view corelib_path);

    [[nodiscard]] bool contains(std::string_view module_path) const;

  private:
    std::string shared_root_;                        // with a '/' at its end; empty: self-contained
    std::string runtime_folder_;                     // of CoreLib, with a '/' at its end
    std::set<std::string, std::less<>> pack_files_;  // file names from runtime packs
};

/// File names below "runtimepack.*" libraries of the targets in a *.deps.json. A scan for that one
/// shape, not a JSON parser: malformed text yields fewer names, never an error.
[[nodiscard]] std::set<std::string, std::less<>> runtime_pack_files(std::string_view deps_json);

/// The file a module was loaded from; empty if there is none.
[[nodiscard]] std::string module_path(clr::ICorProfilerInfo& info, clr::ModuleID module);

/// The modules of a runtime that are loaded now; those that leave or come meanwhile may be in it.
[[nodiscard]] std::vector<clr::ModuleID> loaded_modules(clr::ICorProfilerInfo3& info);

/// System.Private.CoreLib; 0 if it is not loaded yet.
[[nodiscard]] clr::ModuleID loaded_core_library(clr::ICorProfilerInfo3& info);

/// Whether a file is System.Private.CoreLib.dll, by its name.
[[nodiscard]] bool is_core_library(std::string_view path) noexcept;

/// The part behind the last '/'.
[[nodiscard]] std::string_view file_name_of(std::string_view path) noexcept;

}  // namespace umbra::agent
