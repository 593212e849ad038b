// SPDX-License-Identifier: MIT
// il_rewrite_assembly: puts probes into every method of a .NET library, for tests/managed/il_check
// to read back; or mutates the bodies and tries each.
//
//   il_rewrite_assembly LIBRARY OUTPUT        rewrites; OUTPUT gets a record for each method:
//                                             token, size of the locals' signature and its bytes,
//                                             size of the body and its bytes; all little endian.
//                                             A refused method has a body of 0 bytes, and the
//                                             reason in place of the signature.
//   il_rewrite_assembly --mutate N LIBRARY    tries N mutated bodies; each is refused, or the same
//                                             between its probes
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "src/clr/image_metadata.h"
#include "src/clr/pe_image.h"
#include "src/il/instrument.h"
#include "tests/il/body_builder.h"
#include "tests/il/same_code.h"

namespace umbra::il {
namespace {

using clr::ImageLayout;
using clr::ImageMetadata;

/// One method as it is in the file.
struct Method {
    clr::mdMethodDef token;
    Bytes body;
    Bytes own_locals;
    ReturnType result;
};

class Library {
  public:
    explicit Library(const char* path) {
        std::ifstream file(path, std::ios::binary);
        image_.assign(std::istreambuf_iterator<char>(file), {});
        metadata_ = ImageMetadata::parse(clr::metadata_of_image(image_, ImageLayout::kFlat));
    }
    [[nodiscard]] bool readable() const { return metadata_.has_value(); }

    [[nodiscard]] std::vector<Method> methods() const {
        std::vector<Method> all;
        for (const clr::mdMethodDef token : metadata_->methods_with_code()) {
            const Bytes body =
                clr::bytes_at(image_, ImageLayout::kFlat, metadata_->code_address(token));
            const auto parsed = MethodBody::parse(body);
            const auto properties = metadata_->method(token);
            const auto result =
                properties ? return_type(properties->signature) : std::optional<ReturnType>();
            const uint32_t locals = parsed ? parsed->local_signature : 0;
            all.push_back({.token = token,
                           .body = body,
                           .own_locals = locals == 0 ? Bytes() : metadata_->signature(locals),
                           .result = result.value_or(ReturnType{.is_void = true, .type = {}})});
        }
        return all;
    }

  private:
    std::vector<uint8_t> image_;
    std::optional<ImageMetadata> metadata_;
};

/// "" and the result, or why there is none.
struct Outcome {
    std::string refusal;
    Instrumented made{};
    ProbeLocals locals{};
};

Outcome rewrite(const Method& method, Bytes bytes) {
    const auto body = MethodBody::parse(bytes);
    auto locals = probe_locals(method.own_locals, method.result);
    if (!body || !locals) {
        return {.refusal = body ? "its locals are malformed" : "it has no body"};
    }
    auto made = instrument(*body, testing::kProbes, *locals, testing::kLocalSignature);
    if (!made) {
        return {.refusal = reason(made.error())};
    }
    const std::string difference = testing::SameCode(*body, *made, *locals).difference();
    if (!difference.empty()) {
        std::fprintf(stderr, "method 0x%08x: %s\n", method.token, difference.c_str());
        std::_Exit(1);
    }
    return {.refusal = "", .made = *std::move(made), .locals = *std::move(locals)};
}

int rewrite_all(const Library& library, const char* path) {
    ByteWriter out;
    std::map<std::string, size_t> refused;
    size_t rewritten = 0;
    for (const Method& method : library.methods()) {
        const Outcome outcome = rewrite(method, method.body);
        const std::string& why = outcome.refusal;
        const Bytes reason(reinterpret_cast<const uint8_t*>(why.data()), why.size());
        const Bytes front = why.empty() ? Bytes(outcome.locals.signature) : reason;
        out.put(method.token);
        out.put(static_cast<uint32_t>(front.size()));
        out.put_bytes(front);
        out.put(static_cast<uint32_t>(outcome.made.body.size()));
        out.put_bytes(outcome.made.body);
        if (why.empty()) {
            ++rewritten;
        } else {
            ++refused[why];
        }
    }
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(out.bytes().data()),
               static_cast<std::streamsize>(out.size()));
    std::printf("%zu methods rewritten\n", rewritten);
    for (const auto& [why, count] : refused) {
        std::printf("%zu methods refused: %s\n", count, why.c_str());
    }
    return file ? 0 : 1;
}

int mutate(const Library& library, size_t count) {
    std::mt19937 random(20);
    const std::vector<Method> methods = library.methods();
    size_t rewritten = 0;
    for (size_t round = 0; round < count; ++round) {
        const Method& method = methods[random() % methods.size()];
        const auto parsed = MethodBody::parse(method.body);
        if (!parsed) {
            continue;
        }
        std::vector<uint8_t> body = parsed->encode();
        const size_t changes = 1 + random() % 4;
        for (size_t change = 0; change < changes; ++change) {
            body[random() % body.size()] = static_cast<uint8_t>(random());
        }
        if (random() % 8 == 0) {
            body.resize(random() % body.size());
        }
        rewritten += rewrite(method, body).refusal.empty() ? 1U : 0U;
    }
    std::printf("%zu of %zu mutated bodies rewritten\n", rewritten, count);
    return 0;
}

int run(int argc, char** argv) {
    const bool mutates = argc == 4 && std::string_view(argv[1]) == "--mutate";
    if (argc != 3 && !mutates) {
        std::fputs("il_rewrite_assembly LIBRARY OUTPUT | --mutate N LIBRARY\n", stderr);
        return 2;
    }
    const Library library(mutates ? argv[3] : argv[1]);
    if (!library.readable()) {
        std::fputs("no .NET library\n", stderr);
        return 1;
    }
    if (!mutates) {
        return rewrite_all(library, argv[2]);
    }
    size_t count = 0;
    const std::string_view text(argv[2]);
    std::from_chars(text.data(), text.data() + text.size(), count);
    return mutate(library, count);
}

}  // namespace
}  // namespace umbra::il

int main(int argc, char** argv) {
    return umbra::il::run(argc, argv);
}
