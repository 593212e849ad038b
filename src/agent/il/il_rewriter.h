// SPDX-License-Identifier: MIT
// IlRewriter: the bodies of a runtime's methods, with probes in them.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <tl/expected.hpp>

#include "src/agent/il/writable_metadata.h"
#include "src/agent/methods/arguments.h"
#include "src/clr/info.h"
#include "src/clr/metadata_emit.h"
#include "src/il/instrument.h"

namespace umbra::agent {

/// What a method is to tell.
struct MethodProbes {
    uint64_t client_id = 0;
    uint32_t index = 0;  ///< in the registry
    std::span<const Argument> arguments;
    /// Profiler::number(), for umbra_async_faulted(). None: methods that the runtime suspends are
    /// refused.
    std::optional<uint32_t> runtime{};
};

/// Adds to the metadata of modules that have been opened for it what rewritten bodies need
/// (signatures, once for a method; get_Count of a collection, once for its type). Any thread that
/// may block, outside hooks, while the module is loaded.
class IlRewriter {
  public:
    /// Addresses of the probes. `info` and `metadata` outlive it.
    IlRewriter(clr::ICorProfilerInfo3& info, WritableMetadata& metadata, uint64_t enter,
               uint64_t leave)
        : info_(info), metadata_(metadata), enter_(enter), leave_(leave) {}

    /// An error says why the method stays without probes.
    [[nodiscard]] tl::expected<il::Instrumented, std::string> rewrite(clr::ModuleID module,
                                                                      clr::mdMethodDef method,
                                                                      const MethodProbes& probes);
    /// The module goes; its id may soon mean another one.
    void forget_module(clr::ModuleID module);

    /// Of a signature (StandAloneSig), which is added. 0: it cannot be.
    [[nodiscard]] static clr::mdSignature token_of(clr::IMetaDataEmit& emit, il::Bytes signature);

  private:
    struct Module {
        clr::IMetaDataEmit* emit = nullptr;
        clr::mdSignature probe = 0;
        clr::mdSignature number = 0;  ///< of the functions that take arguments, if there were any
        clr::mdSignature real = 0;
        clr::mdSignature object = 0;
        clr::mdSignature async = 0;
        std::unordered_map<clr::mdMethodDef, clr::mdSignature> locals;  ///< by method
        std::map<std::vector<uint8_t>, clr::mdMemberRef> counts;        ///< get_Count, by type
    };

    /// The locals' token. 0: the module's metadata cannot be written to. With mutex_ held, as what
    /// follows.
    [[nodiscard]] clr::mdSignature locals_token(clr::ModuleID id, clr::mdMethodDef method,
                                                il::Bytes locals);
    [[nodiscard]] bool open(clr::ModuleID id, Module& module);
    /// What tells the method's arguments, into `probes`. False: the module's metadata cannot be
    /// written to.
    [[nodiscard]] static bool add_arguments(Module& module, const MethodProbes& method,
                                            il::Probes& probes);
    [[nodiscard]] static clr::mdMemberRef count_token(Module& module, il::Bytes type);
    /// What tells that the runtime suspends the method and that an exception leaves it, into
    /// `probes`. False: the module's metadata cannot be written to.
    [[nodiscard]] static bool add_suspension(Module& module, const clr::MetadataReader& metadata,
                                             const il::MethodBody& body, uint32_t runtime,
                                             il::Probes& probes);

    clr::ICorProfilerInfo3& info_;
    WritableMetadata& metadata_;
    const uint64_t enter_;
    const uint64_t leave_;
    std::mutex mutex_;
    std::unordered_map<clr::ModuleID, Module> modules_;  // guarded by mutex_
};

}  // namespace umbra::agent
