// SPDX-License-Identifier: MIT
// CoreProbes: the methods of a runtime's core library that all async calls go through, with probes
// in them. docs/async_calls.md says what each tells.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "src/agent/il/writable_metadata.h"
#include "src/clr/info.h"
#include "src/clr/metadata_emit.h"
#include "src/clr/metadata_reader.h"
#include "src/il/async_probe.h"

namespace umbra::agent {

/// A probe and the method it belongs into.
struct CorePlace {
    clr::mdMethodDef method = 0;
    il::AsyncProbe probe;  ///< without the tokens of its signatures
};

/// What a core library has of the methods in question, each found by its name, its number of
/// parameters and whether it is static.
struct CoreMethods {
    il::CoreTokens tokens;
    std::vector<CorePlace> places;
    std::vector<std::string> missing;  ///< "AsyncVoidMethodBuilder.SetException"
    /// What is missing can be done without: calls are told, with less about them.
    bool suffices = false;
    /// Calls of methods that the runtime suspends are told as well.
    bool follows_runtime_async = false;

    /// `runtime`: number of the runtime.
    [[nodiscard]] static CoreMethods find(const clr::MetadataReader& core_library,
                                          uint32_t runtime);
};

/// Of one runtime. Adds signatures to the core library's metadata, once that has been opened for
/// it. Any thread that may block, outside hooks.
class CoreProbes {
  public:
    /// `info` and `metadata` outlive it.
    CoreProbes(clr::ICorProfilerInfo3& info, WritableMetadata& metadata, clr::ModuleID core_library,
               CoreMethods methods);

    [[nodiscard]] clr::ModuleID core_library() const { return core_library_; }
    [[nodiscard]] const CoreMethods& methods() const { return methods_; }
    [[nodiscard]] bool contains(clr::mdMethodDef method) const { return places_.contains(method); }
    /// Of a method that it contains. An error says why it stays without a probe.
    [[nodiscard]] tl::expected<il::Instrumented, std::string> rewrite(clr::mdMethodDef method);

  private:
    /// False: the metadata cannot be written to. With mutex_ held, as what follows.
    [[nodiscard]] bool find_signatures();
    /// The locals' token. 0: the metadata cannot be written to. After find_signatures().
    [[nodiscard]] clr::mdSignature locals_token(clr::mdMethodDef method, il::Bytes locals);

    clr::ICorProfilerInfo3& info_;
    WritableMetadata& metadata_;
    const clr::ModuleID core_library_;
    const CoreMethods methods_;
    std::map<clr::mdMethodDef, const il::AsyncProbe*> places_;  ///< into methods_

    std::mutex mutex_;  ///< guards what follows
    clr::IMetaDataEmit* emit_ = nullptr;
    clr::mdSignature begin_signature_ = 0;
    clr::mdSignature end_signature_ = 0;
    std::map<clr::mdMethodDef, clr::mdSignature> locals_;
};

}  // namespace umbra::agent
