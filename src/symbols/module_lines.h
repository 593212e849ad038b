// SPDX-License-Identifier: MIT
// Where the methods of one module begin in the source, from its PDB, which of them are tests or
// endpoints, and their names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/base/unique_fd.h"
#include "src/clr/method_names.h"
#include "src/symbols/endpoints.h"
#include "src/symbols/portable_pdb.h"
#include "src/symbols/test_methods.h"

namespace umbra::symbols {

struct ModuleLines {
    /// Where they are from: the path of a PDB, or kEmbedded; empty: there are none.
    std::string pdb;
    /// Why there are none; empty: there are some.
    std::string missing;
    std::vector<std::string> files;   ///< paths, by SourcePoint::document less one
    std::vector<SourcePoint> points;  ///< by the row of the method less one
    std::vector<TestMethod> tests;    ///< ordered by row; from the module itself
    std::vector<Endpoint> endpoints;  ///< ordered by row; from the module itself
    /// Of tests and endpoints that are async the row by that of their state machine's MoveNext,
    /// which is all that has been timed where code made at run time has them inlined.
    std::map<uint32_t, uint32_t> started_by;
    std::vector<uint32_t> synchronized;  ///< rows of methods, ascending; from the module itself
    /// Of the methods that were asked for, as far as the module has them; from the module itself.
    std::map<clr::mdMethodDef, clr::MethodName> names;
};

inline constexpr const char* kEmbedded = "embedded";

/// Opens a file for reading without waiting for anybody. Errors: as open() has them.
using Open = std::function<Result<UniqueFd>(const std::string& path)>;

/// Looks for the PDB of the module at `path`: within the image, beside it, in `folders` in their
/// order, there by its name or as symbol stores have it. Only the one of the same build is taken.
/// `open` opens the module and what lies beside it; `folders` are umbra's own; `named` are the
/// methods whose names are asked for. Reads files of any content, 256 MiB of each at most. May take
/// as long as the file system does.
[[nodiscard]] ModuleLines read_module_lines(const std::string& path, const Open& open,
                                            const std::vector<std::string>& folders,
                                            const std::set<clr::mdMethodDef>& named = {});

}  // namespace umbra::symbols
