// SPDX-License-Identifier: MIT
// Whether there are methods that somebody has asked for, by what the files of assemblies say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "src/base/pattern.h"

namespace umbra::symbols {

/// A pattern of the command line, and whether a method was found for it.
struct AskedPattern {
    std::string option;  ///< "--include"
    std::string text;    ///< as it was typed
    Pattern methods;
    bool met = false;
};

/// The methods with code of one assembly.
struct MethodList {
    std::string module;              ///< file name
    std::vector<std::string> names;  ///< in metadata, as patterns have them: Namespace.Type.Method
};

/// Reads the methods of an assembly, a few milliseconds for each MiB. No names: the file cannot be
/// read, is no assembly, or has more than 64 MiB.
[[nodiscard]] MethodList method_list(const std::string& path);

/// The assemblies of a folder, 1,024 at most; empty where it cannot be read. Those that by place or
/// name are the framework's come last.
[[nodiscard]] std::vector<std::string> assemblies_in(const std::string& folder);

/// The assemblies that a process has mapped, as it sees them, by paths that this process can open;
/// order and number as above.
[[nodiscard]] std::vector<std::string> mapped_assemblies(pid_t pid);

/// Marks what the methods of these assemblies meet, reads no more of them than that takes, and
/// answers all it has read.
std::vector<MethodList> look_for(std::vector<AskedPattern>& asked,
                                 const std::vector<std::string>& assemblies);

/// "--include 'HelloShp.*' matches none of the 41 methods of hello-shop.dll; nearest: HelloShop.*".
/// `read`: what has been looked at, of which only the beginning is named.
[[nodiscard]] std::string unmet_text(const AskedPattern& asked,
                                     const std::vector<MethodList>& read);

}  // namespace umbra::symbols
