// SPDX-License-Identifier: MIT
#include "src/agent/methods/arguments.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "src/base/source_name.h"
#include "src/clr/signature.h"
#include "src/il/signature.h"

namespace umbra::agent {
namespace {

using protocol::ArgumentNamed;

// What the collector keeps rows for (replay::Limits).
constexpr size_t kMaxNumbers = 4096;
// What a message may take is 1 MiB.
constexpr size_t kMaxConstantBytes = size_t{256} << 10;

std::vector<protocol::EnumConstant> constants_of(clr::EnumType&& type) {
    std::vector<protocol::EnumConstant> constants;
    size_t bytes = 0;
    for (auto& [value, name] : type.constants) {
        bytes += name.size();
        if (bytes > kMaxConstantBytes || constants.size() == protocol::kMaxEnumConstants) {
            break;
        }
        constants.push_back({.value = value, .name = std::move(name)});
    }
    return constants;
}

/// A method's signature, as bytes and in words, and what its parameters are called.
class Signature {
  public:
    Signature(const clr::MetadataReader& metadata, clr::mdMethodDef token) {
        const auto properties = metadata.method(token);
        if (!properties) {
            return;
        }
        types_ = il::method_types(properties->signature);
        const clr::GenericNames names{.type = metadata.generic_parameters(properties->type),
                                      .method = metadata.generic_parameters(token)};
        if (auto spelled = clr::decode_method_signature(properties->signature, metadata, names)) {
            spelled_ = *std::move(spelled);
        }
        parameters_ = metadata.parameters(token);
    }

    struct Value {
        uint16_t source;
        il::Bytes type;
        std::string spelling;
    };
    /// None: there is nothing of this name.
    [[nodiscard]] std::optional<Value> find(const std::string& name) const {
        if (!types_) {
            return std::nullopt;
        }
        if (name == ArgumentName::kResult) {
            return Value{il::ArgumentProbe::kResult, types_->result, spelled_.return_type};
        }
        for (const clr::ParameterProperties& parameter : parameters_) {
            const size_t at = size_t{parameter.number} - 1;  // 0 is what is given back
            if (parameter.name == name && at < types_->parameters.size()) {
                return Value{static_cast<uint16_t>(at + (types_->has_this ? 1 : 0)),
                             types_->parameters[at],
                             at < spelled_.parameters.size() ? spelled_.parameters[at] : ""};
            }
        }
        return std::nullopt;
    }
    /// Why find() has found nothing.
    [[nodiscard]] std::string why_not() const {
        std::string names;
        for (const clr::ParameterProperties& parameter : parameters_) {
            if (parameter.number != 0 && !parameter.name.empty()) {
                names += (names.empty() ? "" : ", ") + parameter.name;
            }
        }
        return "it has no parameter of this name; " +
               (names.empty() ? "it has none" : "it has " + names);
    }

  private:
    std::optional<il::MethodTypes> types_;
    clr::MethodSignature spelled_;
    std::vector<clr::ParameterProperties> parameters_;
};

}  // namespace

void Arguments::begin(const std::vector<std::string>& requests) {
    const std::lock_guard lock(mutex_);
    requests_.clear();
    for (const std::string& text : requests) {
        requests_.push_back({.text = text, .parsed = parse_argument_request(text)});
    }
    any_.store(!requests_.empty(), std::memory_order_relaxed);
}

uint32_t Arguments::number_of(uint32_t function, const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto known = numbers_.find({function, name});
    if (known != numbers_.end()) {
        return known->second;
    }
    if (numbers_.size() == kMaxNumbers) {
        return 0;
    }
    const auto number = static_cast<uint32_t>(numbers_.size() + 1);
    numbers_.emplace(std::pair(function, name), number);
    return number;
}

std::vector<Arguments::Asked> Arguments::asked_of(const Method& method) {
    const std::lock_guard lock(mutex_);
    std::vector<Asked> asked;
    // The body of an async method has none of its parameters.
    const MatchedNames names(std::string(method.name), method.name.ends_with(".MoveNext")
                                                           ? std::string(method.name)
                                                           : source_name(method.name));
    for (Request& request : requests_) {
        if (!request.parsed || !request.parsed->methods.matches_module(method.module) ||
            !request.parsed->methods.takes(names, Pattern::Fit::kAnyCase)) {
            continue;
        }
        request.met = true;
        for (const ArgumentName& name : request.parsed->values) {
            if (std::ranges::none_of(
                    asked, [&](const Asked& one) { return one.name.text == name.text; })) {
                asked.push_back({.name = name, .by_wildcard = request.parsed->many_methods});
            }
        }
    }
    return asked;
}

ArgumentPlan Arguments::of_method(const Method& method, const clr::MetadataReader& metadata,
                                  const FindEnum& find_enum) {
    ArgumentPlan plan;
    // No lock is held over what asks the runtime: it takes its own.
    const std::vector<Asked> asked = asked_of(method);
    if (asked.empty()) {
        return plan;
    }
    const Signature signature(metadata, method.token);
    for (const auto& [name, by_wildcard] : asked) {
        ArgumentNamed named;
        named.function = method.index;
        named.name = name.text;
        const auto value = signature.find(name.source);
        if (!value && by_wildcard) {
            continue;
        }
        auto type = value ? argument_type(value->type, name.member, metadata, find_enum)
                          : tl::unexpected<std::string>(signature.why_not());
        named.type = value ? value->spelling : "";
        if (!type) {
            named.reason = std::move(type.error());
        } else if (plan.values.size() == il::kMaxArguments) {
            named.reason = "more than " + std::to_string(il::kMaxArguments) +
                           " values of a method are asked for";
        } else if (const uint32_t number = number_of(method.index, name.text); number == 0) {
            named.reason = std::to_string(kMaxNumbers) + " values of this process are told already";
        } else {
            named.index = number;
            named.kind = type->kind;
            named.type = name.member.empty() ? value->spelling : "int";
            if (type->constants) {
                named.constants = constants_of(*std::exchange(type->constants, std::nullopt));
            }
            plan.values.push_back(
                {.number = number, .source = value->source, .type = *std::move(type)});
        }
        plan.names.push_back(std::move(named));
    }
    return plan;
}

std::vector<ArgumentNamed> Arguments::take_unmet() {
    const std::lock_guard lock(mutex_);
    std::vector<ArgumentNamed> refused;
    for (Request& request : requests_) {
        if (!std::exchange(request.met, true)) {
            ArgumentNamed named;
            named.name = request.text;
            named.reason = request.parsed
                               ? "no call of a timed method of this name was seen (see --include)"
                               : request.parsed.error().context;
            refused.push_back(std::move(named));
        }
    }
    return refused;
}

}  // namespace umbra::agent
