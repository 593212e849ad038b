// SPDX-License-Identifier: MIT
// il_rewrite_assembly: puts probes into every method of a .NET library, for tests/managed/il_check
// to read back; or mutates the bodies and tries each.
//
//   il_rewrite_assembly LIBRARY OUTPUT        rewrites; OUTPUT gets a record for each method:
//                                             token, size of the locals' signature and its bytes,
//                                             size of the body and its bytes; all little endian.
//                                             A refused method has a body of 0 bytes, and the
//                                             reason in place of the signature.
//   il_rewrite_assembly --arguments LIBRARY OUTPUT
//                                             the same; all values that can be are told
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

#include "src/agent/methods/argument_types.h"
#include "src/clr/image_metadata.h"
#include "src/clr/metadata_reader.h"
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
    Bytes signature;
};

// Tokens that il_check knows: void(uint64, native uint), and a method without parameters that gives
// a number back.
constexpr uint32_t kTakesTwo = 0x11000042;
constexpr uint32_t kGetter = 0x0affffff;

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
                           .result = result.value_or(ReturnType{.is_void = true, .type = {}}),
                           .signature = properties ? properties->signature : Bytes()});
        }
        return all;
    }

    /// What would be told of a method that is asked for all.
    [[nodiscard]] Probes probes_of(const Method& method) const {
        constexpr size_t kConstants = 16;
        Probes probes = testing::kProbes;
        const clr::MetadataReader reader(*metadata_);
        const auto types = method_types(method.signature);
        const auto add = [&](Bytes type, uint16_t source) {
            for (const std::string_view member : {"", "Length", "Count"}) {
                const auto told = agent::argument_type(
                    type, member, reader,
                    [&](clr::mdToken token) { return metadata_->enum_type(token, kConstants); });
                if (!told || probes.arguments.size() == kMaxArguments) {
                    continue;
                }
                ArgumentProbe probe;
                probe.number = probes.arguments.size() + 1;
                probe.source = source;
                probe.form = told->form;
                probe.function = {.address = 0x7f0000004000, .signature = kTakesTwo};
                if (!told->counted.empty()) {
                    probe.getter = kGetter;
                    probe.null_function = {.address = 0x7f0000005000, .signature = kTakesTwo};
                }
                probes.arguments.push_back(probe);
            }
        };
        for (size_t number = 0; types && number < types->parameters.size(); ++number) {
            add(types->parameters[number],
                static_cast<uint16_t>(number + (types->has_this ? 1 : 0)));
        }
        if (types) {
            add(types->result, ArgumentProbe::kResult);
        }
        return probes;
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

Outcome rewrite(const Method& method, Bytes bytes, const Probes& probes = testing::kProbes) {
    const auto body = MethodBody::parse(bytes);
    auto locals = probe_locals(method.own_locals, method.result);
    if (!body || !locals) {
        return {.refusal = body ? "its locals are malformed" : "it has no body"};
    }
    auto made = instrument(*body, probes, *locals, testing::kLocalSignature);
    if (!made) {
        return {.refusal = reason(made.error())};
    }
    const std::string difference = testing::SameCode(*body, *made, *locals, probes).difference();
    if (!difference.empty()) {
        std::fprintf(stderr, "method 0x%08x: %s\n", method.token, difference.c_str());
        std::_Exit(1);
    }
    return {.refusal = "", .made = *std::move(made), .locals = *std::move(locals)};
}

int rewrite_all(const Library& library, const char* path, bool arguments) {
    ByteWriter out;
    std::map<std::string, size_t> refused;
    size_t rewritten = 0;
    size_t values = 0;
    for (const Method& method : library.methods()) {
        const Probes probes = arguments ? library.probes_of(method) : testing::kProbes;
        values += probes.arguments.size();
        const Outcome outcome = rewrite(method, method.body, probes);
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
    if (arguments) {
        std::printf("%zu values told\n", values);
    }
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
        const Probes probes = random() % 2 == 0 ? library.probes_of(method) : testing::kProbes;
        rewritten += rewrite(method, body, probes).refusal.empty() ? 1U : 0U;
    }
    std::printf("%zu of %zu mutated bodies rewritten\n", rewritten, count);
    return 0;
}

int run(int argc, char** argv) {
    const bool mutates = argc == 4 && std::string_view(argv[1]) == "--mutate";
    const bool arguments = argc == 4 && std::string_view(argv[1]) == "--arguments";
    if (argc != 3 && !mutates && !arguments) {
        std::fputs("il_rewrite_assembly [--arguments] LIBRARY OUTPUT | --mutate N LIBRARY\n",
                   stderr);
        return 2;
    }
    const Library library(mutates ? argv[3] : arguments ? argv[2] : argv[1]);
    if (!library.readable()) {
        std::fputs("no .NET library\n", stderr);
        return 1;
    }
    if (!mutates) {
        return rewrite_all(library, argv[argc - 1], arguments);
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
