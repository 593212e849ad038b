// SPDX-License-Identifier: MIT
#include "src/symbols/endpoints.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "src/base/utf8.h"
#include "src/clr/heap_text.h"
#include "src/clr/image_metadata.h"
#include "src/clr/metadata_schema.h"
#include "src/clr/pe_image.h"
#include "src/il/method_body.h"
#include "src/symbols/mapped_handlers.h"

namespace umbra::symbols {
namespace {

using clr::ImageMetadata;
using clr::mdToken;

constexpr std::size_t kMost = 4096;
constexpr int kMostBases = 16;  // of a controller
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

/// The reference to the type that MapGet and the like are members of; 0: the module has none.
mdToken extensions_type(const ImageMetadata& metadata) {
    for (uint32_t row = 1;; ++row) {
        const mdToken token = clr::token_of(clr::kTypeRef, row);
        const auto type = metadata.type(token);
        if (!type || type->name.empty()) {
            return 0;
        }
        if (type->name == "EndpointRouteBuilderExtensions" &&
            type->namespace_ == "Microsoft.AspNetCore.Builder") {
            return token;
        }
    }
}

void add_mapped(clr::Bytes image, const ImageMetadata& metadata, Found& found) {
    const mdToken extensions = extensions_type(metadata);
    if (extensions == 0) {
        return;
    }
    const auto literal_of = [&](uint32_t token) { return metadata.literal(token); };
    const auto map_method_of = [&](uint32_t token) {
        const auto member = metadata.member_reference(token);
        return member && member->parent == extensions ? member->name : std::string_view();
    };
    for (const mdToken method : metadata.methods_with_code()) {
        const auto body = il::MethodBody::parse(
            clr::bytes_at(image, clr::ImageLayout::kFlat, metadata.code_address(method)));
        if (!body) {
            continue;
        }
        for (const MappedHandler& handler :
             mapped_handlers(body->code, literal_of, map_method_of)) {
            if (clr::table_of(handler.method) == clr::kMethodDef) {
                add(found, clr::row_in(handler.method), handler.verb, handler.route);
            }
        }
    }
}

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
    add_mapped(image, *metadata, found);
    for (auto& [row, name] : found) {
        all.push_back({row, std::move(name)});
    }
    return all;
}

}  // namespace umbra::symbols
