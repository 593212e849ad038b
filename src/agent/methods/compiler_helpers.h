// SPDX-License-Identifier: MIT
// The methods that a runtime's compiler has compiled code call by itself, and what they may contain
// inlined: what .NET 9 cannot be asked to compile anew (docs/runtime_contract.md).
//
// .NET 9 looks up the newest code of such a method whenever it compiles a call of it. Between a
// request for a new version and the first call that compiles this version there is none, and the
// process ends (null dereference in the runtime; https://github.com/dotnet/runtime/issues/112636,
// mended in .NET 10). A request that takes inliners along asks for such a method, too, where it has
// inlined what is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_set>

#include "src/clr/metadata_reader.h"
#include "src/il/opcodes.h"

namespace umbra::agent {

/// Immutable once made.
class CompilerHelpers {
  public:
    /// The body of a method of the core library, with its header; empty: it has none.
    using BodyOf = std::function<il::Bytes(clr::mdMethodDef)>;

    /// Whether this version of the runtime needs to be spared.
    [[nodiscard]] static bool are_fragile(uint16_t major_version) { return major_version == 9; }

    /// None is known.
    CompilerHelpers() = default;
    /// Of the core library that `metadata` is of. Follows the calls in the helpers' code as far as
    /// a compiler may inline them.
    CompilerHelpers(const clr::MetadataReader& metadata, const BodyOf& body_of);

    /// A helper, or what one may have inlined. Where no helper could be found, every method may be
    /// one.
    [[nodiscard]] bool contains(clr::mdMethodDef method) const {
        return methods_.empty() || methods_.contains(method);
    }
    [[nodiscard]] size_t size() const { return methods_.size(); }

  private:
    std::unordered_set<clr::mdMethodDef> methods_;
};

}  // namespace umbra::agent
