// SPDX-License-Identifier: MIT
#include "src/symbols/method_places.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/clr/image_metadata.h"
#include "src/clr/metadata_schema.h"
#include "src/clr/pe_image.h"
#include "src/il/method_body.h"

namespace umbra::symbols {
namespace {

using clr::mdMethodDef;

constexpr const char* kConstructor = ".ctor";
/// Points and instructions that are looked at in one module, which is more than a sound one has:
/// in a made-up one all methods may share one long list.
constexpr size_t kMostSteps = size_t{1} << 26;
constexpr size_t kMostPoints = size_t{1} << 20;  // of one method

SourcePoint topmost(const std::vector<CodePoint>& points) {
    SourcePoint top;
    for (const CodePoint& point : points) {
        if (top.line == 0 ||
            (point.place.document == top.document && point.place.line < top.line)) {
            top = point.place;
        }
    }
    return top;
}

/// Where in a constructor's code the first call of a constructor is; none: it calls none, as those
/// of structs do.
std::optional<uint32_t> constructor_call(const clr::ImageMetadata& metadata, Bytes image,
                                         mdMethodDef constructor, size_t& steps_left) {
    const Bytes rest =
        clr::bytes_at(image, clr::ImageLayout::kFlat, metadata.code_address(constructor));
    const std::optional<il::MethodBody> body = il::MethodBody::parse(rest);
    if (!body) {
        return std::nullopt;
    }
    uint32_t at = 0;
    while (const std::optional<il::Instruction> instruction = il::decode(body->code, at)) {
        if (steps_left-- == 0) {
            steps_left = 0;
            break;
        }
        if (instruction->opcode == il::Opcode::kCall &&
            metadata.is_member_named(instruction->number(body->code), kConstructor)) {
            return instruction->begin;
        }
        at = instruction->end;
    }
    return std::nullopt;
}

/// The last of the points that begins at or before `offset`.
SourcePoint place_of(const std::vector<CodePoint>& points, uint32_t offset) {
    SourcePoint place;
    for (const CodePoint& point : points) {
        if (point.offset <= offset) {
            place = point.place;
        }
    }
    return place;
}

class Places {
  public:
    Places(const PortablePdb& pdb, Bytes image, uint32_t most) : pdb_(pdb), image_(image) {
        places_.resize(std::min(pdb.methods(), most));
        metadata_ =
            clr::ImageMetadata::parse(clr::metadata_of_image(image, clr::ImageLayout::kFlat));
    }

    std::vector<SourcePoint> find() && {
        for (uint32_t method = 1; method <= places_.size(); ++method) {
            place(method) = own_place(method);
        }
        const auto in_range = [this](uint32_t method) { return method - 1 < places_.size(); };
        pdb_.for_each_state_machine([&](uint32_t move_next, uint32_t kickoff) {
            if (in_range(kickoff) && in_range(move_next) && place(kickoff).line == 0) {
                place(kickoff) = place(move_next);
            }
        });
        if (metadata_) {
            take_places_of_types();
        }
        return std::move(places_);
    }

  private:
    SourcePoint& place(uint32_t method) { return places_[method - 1]; }

    SourcePoint own_place(uint32_t method) {
        const std::vector<CodePoint> points =
            pdb_.points(method, std::min(steps_left_, kMostPoints));
        steps_left_ -= points.size();
        const mdMethodDef token = clr::token_of(clr::kMethodDef, method);
        if (!points.empty() && metadata_ && metadata_->is_member_named(token, kConstructor)) {
            if (const auto call = constructor_call(*metadata_, image_, token, steps_left_)) {
                if (const SourcePoint place = place_of(points, *call); place.line != 0) {
                    return place;
                }
            }
        }
        return topmost(points);
    }

    /// What the compiler has made up lies where its type begins.
    void take_places_of_types() {
        uint32_t next = 1;  // sound metadata has no method in two types
        for (uint32_t type = 1; type <= metadata_->type_count(); ++type) {
            const auto [begin_of_rows, end] = rows(type);
            const uint32_t first = std::max(begin_of_rows, next);
            next = std::max(next, end);
            const SourcePoint begin = topmost_of(first, end);
            for (uint32_t method = first; method < end; ++method) {
                if (place(method).line == 0) {
                    place(method) = begin;
                }
            }
        }
    }

    /// Methods of a type that places are kept of: the first row, and the one behind the last.
    [[nodiscard]] std::pair<uint32_t, uint32_t> rows(uint32_t type) const {
        const auto [first, end] = metadata_->method_rows(clr::token_of(clr::kTypeDef, type));
        return {first, std::min(end, static_cast<uint32_t>(places_.size()) + 1)};
    }

    /// Of these methods, in the file of the first of them that has a place.
    SourcePoint topmost_of(uint32_t first, uint32_t end) {
        std::vector<CodePoint> points;
        for (uint32_t method = first; method < end; ++method) {
            if (place(method).line != 0) {
                points.push_back({.offset = 0, .place = place(method)});
            }
        }
        return topmost(points);
    }

    const PortablePdb& pdb_;
    const Bytes image_;
    std::optional<clr::ImageMetadata> metadata_;
    std::vector<SourcePoint> places_;
    size_t steps_left_ = kMostSteps;
};

}  // namespace

std::vector<SourcePoint> method_places(const PortablePdb& pdb, Bytes image, uint32_t most) {
    return Places(pdb, image, most).find();
}

}  // namespace umbra::symbols
