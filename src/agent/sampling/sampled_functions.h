// SPDX-License-Identifier: MIT
// SampledFunctions: FunctionIDs on stacks to numbers and names, told once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "src/agent/methods/framework.h"
#include "src/clr/info.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

/// Numbers count up from 1 and are never given out twice. One thread; whoever calls index_of()
/// makes sure that the code of the function stays loaded until it returns.
class SampledFunctions {
  public:
    using Tell = std::function<void(protocol::Message)>;

    /// `tell` gets ModuleLoaded and FunctionNamed messages, each before its number is answered.
    SampledFunctions(clr::ICorProfilerInfo10& info, Tell tell)
        : info_(info), tell_(std::move(tell)) {}

    /// Looks at the modules loaded by now, to tell framework from application.
    void catch_up();

    /// The number of a function; protocol::kNativeFrames for 0, protocol::kCutFrames when there are
    /// too many. Resolves the name of a new one.
    uint32_t index_of(clr::FunctionID function);

    /// A module has been unloaded: FunctionIDs and ModuleIDs may come to mean something else.
    /// Generic instantiations go without a callback of their own, so every ID is looked at again.
    void forget_ids() { functions_.clear(), modules_.clear(); }

  private:
    uint32_t add(clr::FunctionID function);
    /// Gives out a number, and tells what it stands for, unless that has one already.
    uint32_t number(clr::FunctionID function, protocol::FunctionNamed named);
    uint32_t module_index(clr::ModuleID module);

    clr::ICorProfilerInfo10& info_;
    const Tell tell_;
    FrameworkModules framework_;
    std::unordered_map<clr::FunctionID, uint32_t> functions_;
    std::unordered_map<clr::ModuleID, uint32_t> modules_;
    std::unordered_map<std::string, uint32_t> modules_by_path_;
    /// By everything a name says: the same function, looked at again, keeps its number.
    std::unordered_map<std::string, uint32_t> by_name_;
    uint32_t given_ = 0;
};

}  // namespace umbra::agent
