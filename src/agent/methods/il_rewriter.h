// SPDX-License-Identifier: MIT
// IlRewriter: the bodies of a runtime's methods, with probes in them.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include <tl/expected.hpp>

#include "src/clr/com.h"
#include "src/clr/info.h"
#include "src/clr/metadata_emit.h"
#include "src/il/instrument.h"

namespace umbra::agent {

/// Adds to a module's metadata what rewritten bodies need (signatures, once for a method), so that
/// it becomes writable: from then on the runtime takes a lock to look anything up in it. Any
/// thread that may block, outside hooks, while the module is loaded.
class IlRewriter {
  public:
    /// Addresses of the probes. `info` outlives it.
    IlRewriter(clr::ICorProfilerInfo3& info, uint64_t enter, uint64_t leave)
        : info_(info), enter_(enter), leave_(leave) {}

    /// An error says why the method stays without probes.
    [[nodiscard]] tl::expected<il::Instrumented, std::string> rewrite(clr::ModuleID module,
                                                                      clr::mdMethodDef method,
                                                                      uint64_t client_id);
    /// The module goes; its id may soon mean another one.
    void forget_module(clr::ModuleID module);

  private:
    struct Module {
        clr::ComPtr<clr::IMetaDataEmit> emit;
        clr::mdSignature probe = 0;
        std::unordered_map<clr::mdMethodDef, clr::mdSignature> locals;  ///< by method
    };
    struct Tokens {
        clr::mdSignature probe = 0;
        clr::mdSignature locals = 0;
    };

    /// Tokens of 0: the module's metadata cannot be written to.
    [[nodiscard]] Tokens tokens(clr::ModuleID module, clr::mdMethodDef method, il::Bytes locals);
    [[nodiscard]] bool open(clr::ModuleID id, Module& module);

    clr::ICorProfilerInfo3& info_;
    const uint64_t enter_;
    const uint64_t leave_;
    std::mutex mutex_;
    std::unordered_map<clr::ModuleID, Module> modules_;  // guarded by mutex_
};

}  // namespace umbra::agent
