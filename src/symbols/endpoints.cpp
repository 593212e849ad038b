// SPDX-License-Identifier: MIT
#include "src/symbols/endpoints.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "src/base/utf8.h"
#include "src/clr/heap_text.h"
#include "src/clr/image_metadata.h"
#include "src/clr/metadata_schema.h"
#include "src/clr/pe_image.h"
#include "src/clr/signature.h"
#include "src/il/method_body.h"
#include "src/il/signature.h"
#include "src/symbols/mapped_handlers.h"

namespace umbra::symbols {
namespace {

using clr::ImageMetadata;
using clr::mdToken;

constexpr std::size_t kMost = 4096;
constexpr int kMostBases = 16;  // of a controller
/// IL that is followed once more for the groups that it is handed.
constexpr std::size_t kMostFollowedBytes = 16UL << 20;
constexpr std::string_view kMvc = "Microsoft.AspNetCore.Mvc";
constexpr std::string_view kRouteAttribute = "Microsoft.AspNetCore.Mvc.RouteAttribute";

/// By the row of the method.
using Found = std::map<uint32_t, std::string>;

void add(Found& found, uint32_t row, const std::string& verb, const std::string& route) {
    if (found.size() >= kMost && !found.contains(row)) {
        return;
    }
    if (std::string& name = found[row]; name.size() < kMostRouteBytes) {
        name += (name.empty() ? "" : ", ") + (verb.empty() ? route : verb + " " + route);
    }
}

/// The text that an attribute's constructor was given (ECMA-335 II.23.3); empty: it was given none.
std::string text_of_attribute(clr::Bytes value) {
    constexpr std::size_t kProlog = 2;
    clr::Bytes rest = value.subspan(std::min(kProlog, value.size()));
    uint32_t size = 0;
    if (!clr::take_compressed(rest, size)) {
        return {};
    }
    const clr::Bytes text = clr::part(rest, 0, size);
    // A constructor without parameters: this is a count of named arguments, a zero in its high
    // byte.
    if (std::ranges::find(text, uint8_t{0}) != text.end()) {
        return {};
    }
    return clr::heap_text(
        {reinterpret_cast<const char*>(text.data()), std::min(text.size(), kMostRouteBytes)});
}

std::string without_end(std::string text, std::string_view end) {
    if (text.size() > end.size() && text.ends_with(end)) {
        text.resize(text.size() - end.size());
    }
    return text;
}

void fill_in(std::string& route, std::string_view place, std::string_view name) {
    name = cut_utf8(name, kMostRouteBytes);
    for (auto at = route.find(place); at < kMostRouteBytes;
         at = route.find(place, at + name.size())) {
        route.replace(at, place.size(), name);
    }
    route.resize(cut_utf8(route, kMostRouteBytes).size());
}

/// [Route] of a controller: its own, or that of the nearest type it extends.
std::string route_of_type(const ImageMetadata& metadata, mdToken type) {
    for (int bases = 0; clr::table_of(type) == clr::kTypeDef && bases < kMostBases; ++bases) {
        if (const clr::Bytes value = metadata.attribute(type, kRouteAttribute); !value.empty()) {
            return text_of_attribute(value);
        }
        type = metadata.base_type(type);
    }
    return {};
}

std::string route_of_action(const ImageMetadata& metadata, mdToken method, std::string own) {
    const auto properties = metadata.method(method);
    if (!properties) {
        return own;
    }
    if (own.empty()) {
        own = text_of_attribute(metadata.attribute(method, kRouteAttribute));
    }
    const bool whole = own.starts_with('/') || own.starts_with("~/");
    std::string route = join_route(whole ? "" : route_of_type(metadata, properties->type),
                                   own.starts_with('~') ? own.substr(1) : own);
    const auto type = metadata.type(properties->type);
    fill_in(route, "[controller]", without_end(type ? type->name : "", "Controller"));
    fill_in(route, "[action]", without_end(properties->name, "Async"));
    return route;
}

void add_actions(const ImageMetadata& metadata, Found& found) {
    struct Verb {
        std::string_view attribute;
        const char* name;
    };
    static constexpr std::array kVerbs = {
        Verb{"HttpGetAttribute", "GET"},         Verb{"HttpPostAttribute", "POST"},
        Verb{"HttpPutAttribute", "PUT"},         Verb{"HttpDeleteAttribute", "DELETE"},
        Verb{"HttpPatchAttribute", "PATCH"},     Verb{"HttpHeadAttribute", "HEAD"},
        Verb{"HttpOptionsAttribute", "OPTIONS"},
    };
    std::map<mdToken, const Verb*> types;
    for (const clr::MethodAttribute& one : metadata.method_attributes()) {
        auto known = types.find(one.type);
        if (known == types.end()) {
            const auto type = metadata.type(one.type);
            const auto verb = !type || type->namespace_ != kMvc
                                  ? kVerbs.end()
                                  : std::ranges::find(kVerbs, type->name, &Verb::attribute);
            known = types.emplace(one.type, verb == kVerbs.end() ? nullptr : &*verb).first;
        }
        if (known->second != nullptr) {
            add(found, clr::row_in(one.method), known->second->name,
                route_of_action(metadata, one.method, text_of_attribute(one.value)));
        }
    }
}

/// The reference to a type of another module; 0: the module has none.
mdToken type_reference(const ImageMetadata& metadata, std::string_view space,
                       std::string_view name) {
    for (uint32_t row = 1;; ++row) {
        const mdToken token = clr::token_of(clr::kTypeRef, row);
        const auto type = metadata.type(token);
        if (!type || type->name.empty()) {
            return 0;
        }
        if (type->name == name && type->namespace_ == space) {
            return token;
        }
    }
}

/// What the methods of a module map, each with the prefixes of the groups that it is handed by
/// others of them.
class MappedByModule {
  public:
    MappedByModule(clr::Bytes image, const ImageMetadata& metadata)
        : image_(image),
          metadata_(metadata),
          extensions_(type_reference(metadata, "Microsoft.AspNetCore.Builder",
                                     "EndpointRouteBuilderExtensions")),
          groups_{type_reference(metadata, kRouting, "IEndpointRouteBuilder"),
                  type_reference(metadata, kRouting, "RouteGroupBuilder")} {}

    void add_to(Found& found) {
        if (extensions_ == 0) {
            return;
        }
        std::map<mdToken, Mapped> without_prefix;
        std::set<mdToken> handed;
        for (const mdToken method : metadata_.methods_with_code()) {
            Mapped mapped = mapped_by(method, {});
            for (const HandedGroup& one : mapped.handed) {
                handed.insert(one.method);
            }
            if (!mapped.handlers.empty() || !mapped.handed.empty()) {
                without_prefix.emplace(method, std::move(mapped));
            }
        }
        for (auto& [method, mapped] : without_prefix) {
            if (!handed.contains(method)) {
                take(found, mapped);
            }
        }
        std::size_t followed = 0;
        for (std::size_t at = 0; at < waiting_.size() && followed < kMostFollowedBytes; ++at) {
            const auto& [method, prefix] = *waiting_[at];
            followed += code_of(method).size() + 1;
            take(found, prefix.empty() ? without_prefix[method] : mapped_by(method, prefix));
        }
        for (const mdToken method : handed) {  // by nobody else than themselves
            const auto seen = seen_.lower_bound({method, std::string()});
            if (seen == seen_.end() || seen->first != method) {
                take(found, without_prefix[method]);
            }
        }
    }

  private:
    static constexpr std::string_view kRouting = "Microsoft.AspNetCore.Routing";

    /// IL; empty: it has none that can be read.
    [[nodiscard]] clr::Bytes code_of(mdToken method) const {
        const auto body = il::MethodBody::parse(
            clr::bytes_at(image_, clr::ImageLayout::kFlat, metadata_.code_address(method)));
        return body ? body->code : clr::Bytes();
    }

    [[nodiscard]] Mapped mapped_by(mdToken method, std::string_view prefix) const {
        return mapped_handlers(
            code_of(method), [&](uint32_t token) { return metadata_.literal(token); },
            [&](uint32_t token) {
                const auto member = metadata_.member_reference(token);
                return member && member->parent == extensions_ ? member->name : std::string_view();
            },
            [&](uint32_t token) { return takes_group(token); }, prefix);
    }

    /// Of a static method with one parameter, by what that is declared as.
    [[nodiscard]] bool takes_group(mdToken token) const {
        const auto method = clr::table_of(token) == clr::kMethodDef
                                ? metadata_.method(token)
                                : std::optional<clr::MethodProperties>();
        const auto types = method ? il::method_types(method->signature) : std::nullopt;
        if (!types || types->has_this || types->parameters.size() != 1) {
            return false;
        }
        clr::Bytes type = types->parameters.front();
        constexpr uint8_t kClass = 0x12;  // ELEMENT_TYPE_CLASS
        if (type.empty() || type.front() != kClass) {
            return false;
        }
        type = type.subspan(1);
        const std::optional<mdToken> declared = clr::take_type_token(type);
        return declared && std::ranges::find(groups_, *declared) != groups_.end();
    }

    void take(Found& found, const Mapped& mapped) {
        for (const MappedHandler& handler : mapped.handlers) {
            if (clr::table_of(handler.method) == clr::kMethodDef) {
                add(found, clr::row_in(handler.method), handler.verb, handler.route);
            }
        }
        for (const HandedGroup& one : mapped.handed) {
            if (seen_.size() >= kMost) {
                return;
            }
            if (const auto [call, is_new] = seen_.emplace(one.method, one.prefix); is_new) {
                waiting_.push_back(&*call);
            }
        }
    }

    using Call = std::pair<mdToken, std::string>;  // of a method, with the prefix of a group

    const clr::Bytes image_;
    const ImageMetadata& metadata_;
    const mdToken extensions_;
    const std::array<mdToken, 2> groups_;
    std::set<Call> seen_;               ///< at most kMost
    std::vector<const Call*> waiting_;  ///< those of seen_, the first ones first
};

}  // namespace

std::vector<Endpoint> endpoints(clr::Bytes image) {
    std::vector<Endpoint> all;
    const auto metadata =
        ImageMetadata::parse(clr::metadata_of_image(image, clr::ImageLayout::kFlat));
    if (!metadata) {
        return all;
    }
    Found found;
    add_actions(*metadata, found);
    MappedByModule(image, *metadata).add_to(found);
    for (auto& [row, name] : found) {
        all.push_back({row, std::move(name)});
    }
    return all;
}

}  // namespace umbra::symbols
