// SPDX-License-Identifier: MIT
#include "src/agent/il/kept_frame.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

#include "src/clr/enumerators.h"
#include "src/clr/metadata_reader.h"
#include "src/clr/metadata_schema.h"

namespace umbra::agent {

std::vector<clr::COR_IL_MAP> map_of(const il::Instrumented& made) {
    std::vector<clr::COR_IL_MAP> map;
    map.reserve(made.moved.size());
    for (const il::MovedOffset& moved : made.moved) {
        map.push_back({.oldOffset = moved.from, .newOffset = moved.to, .fAccurate = 1});
    }
    return map;
}

namespace {

/// Whether a call in `method` is sure to be one of the method itself. Through a virtual method's
/// slot another class may be called, and a call in a generic type names no more than type, method
/// and signature.
bool calls_itself(const clr::ImageMetadata& image, clr::mdMethodDef method, uint32_t token) {
    const std::optional<clr::MethodRow> own = image.method_row(method);
    const std::vector<clr::mdMethodDef> called = image.methods_called(token);
    if (!own || std::ranges::find(called, method) == called.end() ||
        (own->flags & (clr::kVirtualMethod | clr::kFinalMethod)) == clr::kVirtualMethod) {
        return false;
    }
    const clr::mdToken generic = image.generic_method(token);
    const auto named = image.member_reference(generic != 0 ? generic : token);
    return !named || std::ranges::equal(named->signature, own->signature);
}

/// `code` with nops, of a method of the module's file; as body_with_frame().
std::optional<il::Instrumented> with_frame(clr::ICorProfilerInfo3& info, clr::ModuleID module,
                                           clr::mdMethodDef method, clr::Bytes code) {
    const auto body = il::MethodBody::parse(code);
    const auto metadata = clr::MetadataReader::of_module(info, module);
    const auto properties = metadata ? metadata->method(method) : std::nullopt;
    if (!body || !properties || metadata->image() == nullptr ||
        (properties->implementation & clr::kAsyncCode) != 0) {
        return std::nullopt;
    }
    return il::keep_frame(
        *body, [&](uint32_t token) { return calls_itself(*metadata->image(), method, token); });
}

/// What body_with_frame() has made of a method, where the runtime has taken it; none otherwise.
std::optional<il::Instrumented> taken(clr::ICorProfilerInfo3& info, clr::ModuleID module,
                                      clr::mdMethodDef method) {
    const clr::Bytes now = clr::method_code(info, module, method);
    const clr::ModuleImage image = clr::module_image(info, module);
    const auto in_image = [&](const uint8_t* at) {
        const std::less<> before;
        return !before(at, image.bytes.data()) &&
               before(at, image.bytes.data() + image.bytes.size());
    };
    if (now.empty() || image.bytes.empty() || in_image(now.data())) {
        return std::nullopt;
    }
    const auto metadata = clr::MetadataReader::of_module(info, module);
    if (!metadata || metadata->image() == nullptr) {
        return std::nullopt;
    }
    auto made = with_frame(
        info, module, method,
        clr::bytes_at(image.bytes, image.layout, metadata->image()->code_address(method)));
    return made && std::ranges::equal(made->body, now) ? std::move(made) : std::nullopt;
}

}  // namespace

std::vector<clr::COR_IL_MAP> map_from_file(clr::ICorProfilerInfo3& info, clr::ModuleID module,
                                           clr::mdMethodDef method, const il::Instrumented* made) {
    const std::optional<il::Instrumented> before = taken(info, module, method);
    if (!before || made == nullptr) {
        return before            ? map_of(*before)
               : made != nullptr ? map_of(*made)
                                 : std::vector<clr::COR_IL_MAP>();
    }
    std::vector<clr::COR_IL_MAP> map;
    for (const il::MovedOffset& moved : before->moved) {
        const auto on = std::ranges::lower_bound(made->moved, moved.to, {}, &il::MovedOffset::from);
        if (on != made->moved.end() && on->from == moved.to) {
            map.push_back({.oldOffset = moved.from, .newOffset = on->to, .fAccurate = 1});
        }
    }
    return map;
}

std::optional<il::Instrumented> body_with_frame(clr::ICorProfilerInfo3& info, clr::ModuleID module,
                                                clr::mdMethodDef method) {
    const clr::Bytes code = clr::method_code(info, module, method);
    return il::may_end_in_call(code) ? with_frame(info, module, method, code) : std::nullopt;
}

void keep_frame(clr::ICorProfilerInfo3& info, clr::FunctionID function, clr::ModuleID module,
                clr::mdMethodDef method) {
    const std::optional<il::Instrumented> made = body_with_frame(info, module, method);
    clr::ComPtr<clr::IMethodMalloc> memory;
    if (!made || clr::failed(info.GetILFunctionBodyAllocator(module, memory.put())) || !memory) {
        return;
    }
    void* body = memory->Alloc(static_cast<uint32_t>(made->body.size()));
    if (body == nullptr) {
        return;
    }
    std::memcpy(body, made->body.data(), made->body.size());
    if (clr::failed(info.SetILFunctionBody(module, method, static_cast<const uint8_t*>(body)))) {
        return;
    }
    const std::vector<clr::COR_IL_MAP> map = map_of(*made);
    const size_t size = map.size() * sizeof(clr::COR_IL_MAP);
    void* kept = std::malloc(size);  // the runtime's, where it takes it
    if (kept == nullptr) {
        return;
    }
    std::memcpy(kept, map.data(), size);
    if (clr::failed(info.SetILInstrumentedCodeMap(function, 1, static_cast<uint32_t>(map.size()),
                                                  static_cast<clr::COR_IL_MAP*>(kept)))) {
        std::free(kept);
    }
}

}  // namespace umbra::agent
