// SPDX-License-Identifier: MIT
// Arguments: which values of which methods a capture tells, and their numbers.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/agent/methods/argument_types.h"
#include "src/base/argument_request.h"
#include "src/base/result.h"
#include "src/clr/metadata_reader.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

/// A value that a method tells with each call.
struct Argument {
    uint32_t number = 0;  ///< protocol::ArgumentNamed::index
    uint16_t source = 0;  ///< see il::ArgumentProbe
    ArgumentType type;
};

/// All of a method's.
struct ArgumentPlan {
    std::vector<Argument> values;
    std::vector<protocol::ArgumentNamed> names;  ///< those refused too
};

/// One for the process. A value keeps its number from one capture to the next. Any thread.
class Arguments {
  public:
    /// A method with probes of its own.
    struct Method {
        std::string_view module;  ///< file name
        std::string_view name;    ///< Namespace.Type.Method, as patterns have it
        clr::mdMethodDef token;
        uint32_t index;  ///< in the registry
    };

    /// A capture begins. `requests`: those of protocol::Welcome.
    void begin(const std::vector<std::string>& requests);
    [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
    /// What is asked of a method. The types in the plan lie in the module's memory.
    [[nodiscard]] ArgumentPlan of_method(const Method& method, const clr::MetadataReader& metadata,
                                         const FindEnum& find_enum);
    /// The requests that no method has met since begin(), once.
    [[nodiscard]] std::vector<protocol::ArgumentNamed> take_unmet();

  private:
    struct Request {
        std::string text;
        Result<ArgumentRequest> parsed;
        bool met = false;
    };

    struct Asked {
        ArgumentName name;
        bool by_wildcard;  ///< a method without it is none that was meant
    };

    /// Each value once.
    std::vector<Asked> asked_of(const Method& method);
    /// 0: there are too many.
    uint32_t number_of(uint32_t function, const std::string& name);

    std::atomic<bool> any_{false};
    std::mutex mutex_;
    std::vector<Request> requests_;  // guarded by mutex_, as what follows
    std::map<std::pair<uint32_t, std::string>, uint32_t> numbers_;  ///< by function and name
};

}  // namespace umbra::agent
