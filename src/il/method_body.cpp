// SPDX-License-Identifier: MIT
#include "src/il/method_body.h"

#include <cstddef>

#include "src/clr/bytes.h"
#include "src/il/byte_writer.h"

namespace umbra::il {
namespace {

using clr::load;
using clr::part;

// The first byte of a header (II.25.4.1 to II.25.4.4).
constexpr uint8_t kFormatMask = 0x03;
constexpr uint8_t kTiny = 0x02;
constexpr uint8_t kFat = 0x03;
constexpr uint16_t kMoreSections = 0x08;
constexpr uint16_t kInitLocals = 0x10;
constexpr uint16_t kFatHeaderBytes = 12;
constexpr uint16_t kTinyMaxStack = 8;

// A section behind the code (II.25.4.5, II.25.4.6).
constexpr uint8_t kSectionKindMask = 0x3f;
constexpr uint8_t kClauseSection = 0x01;
constexpr uint8_t kFatSection = 0x40;
constexpr uint8_t kAnotherSection = 0x80;
constexpr size_t kSectionHeaderBytes = 4;
constexpr size_t kSmallClauseBytes = 12;
constexpr size_t kFatClauseBytes = 24;

constexpr size_t align_to_4(size_t offset) {
    return (offset + 3) & ~size_t{3};
}

Clause small_clause(Bytes row) {
    Clause clause;
    clause.kind = load<uint16_t>(row, 0);
    clause.try_begin = load<uint16_t>(row, 2);
    clause.try_end = clause.try_begin + load<uint8_t>(row, 4);
    clause.handler_begin = load<uint16_t>(row, 5);
    clause.handler_end = clause.handler_begin + load<uint8_t>(row, 7);
    clause.type_or_filter = load<uint32_t>(row, 8);
    return clause;
}

/// none: its ends are beyond 2^32.
std::optional<Clause> fat_clause(Bytes row) {
    Clause clause;
    clause.kind = load<uint32_t>(row, 0);
    clause.try_begin = load<uint32_t>(row, 4);
    clause.handler_begin = load<uint32_t>(row, 12);
    clause.type_or_filter = load<uint32_t>(row, 20);
    if (__builtin_add_overflow(clause.try_begin, load<uint32_t>(row, 8), &clause.try_end) ||
        __builtin_add_overflow(clause.handler_begin, load<uint32_t>(row, 16),
                               &clause.handler_end)) {
        return std::nullopt;
    }
    return clause;
}

/// The sections that begin at `at`. False: they do not lie in `bytes`.
bool read_sections(Bytes bytes, size_t at, std::vector<Clause>& clauses) {
    for (;;) {
        at = align_to_4(at);
        const Bytes header = part(bytes, at, kSectionHeaderBytes);
        if (header.empty()) {
            return false;
        }
        const uint8_t kind = header[0];
        const bool fat = (kind & kFatSection) != 0;
        // The size counts the section's header; some compilers leave it out.
        const size_t size = fat ? load<uint32_t>(header, 0) >> 8 : size_t{header[1]};
        if ((kind & kSectionKindMask) == kClauseSection) {
            const size_t row_bytes = fat ? kFatClauseBytes : kSmallClauseBytes;
            const size_t rows = size / row_bytes;
            const Bytes content = part(bytes, at + kSectionHeaderBytes, rows * row_bytes);
            if (content.size() != rows * row_bytes || clauses.size() + rows > kMaxClauses) {
                return false;
            }
            for (size_t row = 0; row < rows; ++row) {
                const Bytes row_content = content.subspan(row * row_bytes, row_bytes);
                const auto clause = fat ? fat_clause(row_content) : small_clause(row_content);
                if (!clause) {
                    return false;
                }
                clauses.push_back(*clause);
            }
        }
        if ((kind & kAnotherSection) == 0) {
            return true;
        }
        if (size < kSectionHeaderBytes) {
            return false;
        }
        at += size;
    }
}

}  // namespace

std::optional<MethodBody> MethodBody::parse(Bytes bytes) {
    if (bytes.empty()) {
        return std::nullopt;
    }
    MethodBody body;
    if ((bytes[0] & kFormatMask) == kTiny) {
        body.max_stack = kTinyMaxStack;
        body.code = part(bytes, 1, bytes[0] >> 2);
        return body.code.empty() ? std::nullopt : std::optional(body);
    }
    const auto flags = load<uint16_t>(bytes, 0);
    if ((flags & kFormatMask) != kFat || flags >> 12 != kFatHeaderBytes / 4) {
        return std::nullopt;
    }
    body.init_locals = (flags & kInitLocals) != 0;
    body.max_stack = load<uint16_t>(bytes, 2);
    body.local_signature = load<uint32_t>(bytes, 8);
    body.code = part(bytes, kFatHeaderBytes, load<uint32_t>(bytes, 4));
    if (body.code.empty() ||
        ((flags & kMoreSections) != 0 &&
         !read_sections(bytes, kFatHeaderBytes + body.code.size(), body.clauses))) {
        return std::nullopt;
    }
    return body;
}

std::vector<uint8_t> MethodBody::encode() const {
    ByteWriter out;
    const size_t clause_bytes =
        clauses.empty() ? 0 : kSectionHeaderBytes + clauses.size() * kFatClauseBytes;
    out.reserve(kFatHeaderBytes + align_to_4(code.size()) + clause_bytes);
    uint16_t flags = kFat | (kFatHeaderBytes / 4) << 12;
    flags = static_cast<uint16_t>(flags | (init_locals ? kInitLocals : 0U) |
                                  (clauses.empty() ? 0U : kMoreSections));
    out.put(flags);
    out.put(max_stack);
    out.put(static_cast<uint32_t>(code.size()));
    out.put(local_signature);
    out.put_bytes(code);
    if (clauses.empty()) {
        return std::move(out).take();
    }
    out.align_to_4();
    out.put(static_cast<uint32_t>(clause_bytes << 8 | kFatSection | kClauseSection));
    for (const Clause& clause : clauses) {
        out.put(clause.kind);
        out.put(clause.try_begin);
        out.put(clause.try_end - clause.try_begin);
        out.put(clause.handler_begin);
        out.put(clause.handler_end - clause.handler_begin);
        out.put(clause.type_or_filter);
    }
    return std::move(out).take();
}

}  // namespace umbra::il
