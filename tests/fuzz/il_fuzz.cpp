// SPDX-License-Identifier: MIT
// Fuzzes the rewriting of methods. An input: the signature of a method and that of its locals, each
// with its length in front, and the body. Covers headers, clauses, signatures and the rewriting; a
// body that is rewritten has to be the same between the probes. Does not cover: whether the runtime
// compiles it (tests/integration/running/test_il.py does).
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/il/instrument.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/il/body_builder.h"
#include "tests/il/same_code.h"

namespace umbra::fuzz {
namespace {

il::Bytes as_bytes(std::string_view text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string seed(const std::vector<uint8_t>& method, const std::vector<uint8_t>& locals,
                 const std::vector<uint8_t>& body) {
    std::string text;
    for (const std::vector<uint8_t>* signature : {&method, &locals}) {
        text.push_back(static_cast<char>(signature->size()));
        text.append(signature->begin(), signature->end());
    }
    return text.append(body.begin(), body.end());
}

}  // namespace

void run(std::string_view input) {
    Input in(input);
    const il::Bytes method = as_bytes(in.bytes(in.byte()));
    const il::Bytes own_locals = as_bytes(in.bytes(in.byte()));
    const il::ReturnType result =
        il::return_type(method).value_or(il::ReturnType{.is_void = true, .type = {}});
    const auto body = il::MethodBody::parse(as_bytes(in.rest()));
    const auto locals = il::probe_locals(own_locals, result);
    if (!body || !locals) {
        return;
    }
    require(il::MethodBody::parse(body->encode())->clauses == body->clauses,
            "a body that is written is what it was");
    // As many values as the signature has parameters, one of each form, and what is given back.
    il::Probes probes = il::testing::kProbes;
    const auto types = il::method_types(method);
    for (size_t number = 0; types && number < types->parameters.size() && number < 12; ++number) {
        il::ArgumentProbe probe;
        probe.number = number + 1;
        probe.source = static_cast<uint16_t>(number + (types->has_this ? 1 : 0));
        probe.form = static_cast<il::ArgumentProbe::Form>(number % 5);
        probe.getter = number % 4 == 3 ? 0x0affffff : 0;
        probe.function = {.address = 0x7f0000004000, .signature = 0x11000045};
        probe.null_function = {.address = 0x7f0000005000, .signature = 0x11000046};
        probes.arguments.push_back(probe);
        if (number == 0 && !result.is_void) {
            probe.source = il::ArgumentProbe::kResult;
            probes.arguments.push_back(probe);
        }
    }
    const auto made = il::instrument(*body, probes, *locals, il::testing::kLocalSignature);
    if (made) {
        const std::string difference =
            il::testing::SameCode(*body, *made, *locals, probes).difference();
        require(difference.empty(), difference.c_str());
    }
}

std::vector<std::string> seeds() {
    using il::testing::bytes;
    const std::vector<uint8_t> returns_int = bytes({0x00, 0x00, 0x08});
    const std::vector<uint8_t> returns_nothing = bytes({0x20, 0x01, 0x01, 0x0e});
    const std::vector<uint8_t> two_locals = bytes({0x07, 0x02, 0x08, 0x15, 0x12, 0x49, 0x01, 0x0e});
    const std::vector<uint8_t> looping =
        bytes({0x02, 0x2d, 0x02, 0x16, 0x2a, 0x17, 0x26, 0x2b, 0xf7});
    const std::vector<uint8_t> tail =
        bytes({0x02, 0x2d, 0x08, 0x02, 0xfe, 0x14, 0x28, 1, 0, 0, 6, 0x2a, 0x14, 0x2b, 0xfc});
    const std::vector<uint8_t> guarded =
        bytes({0x00, 0xde, 0x05, 0x26, 0xde, 0x02, 0xdc, 0x00, 0x2a});
    il::MethodBody body = il::testing::body_of(guarded);
    body.local_signature = 0x11000001;
    body.clauses = {il::testing::clause(il::Clause::kFilter, {0, 3}, {4, 6}, 3),
                    il::testing::clause(il::Clause::kFinally, {0, 6}, {6, 9})};
    return {seed(returns_int, {}, bytes({0x02 | 2 << 2, 0x17, 0x2a})),
            seed(returns_int, two_locals, il::testing::body_of(looping).encode()),
            seed(returns_nothing, {}, il::testing::body_of(tail).encode()),
            seed(returns_nothing, two_locals, body.encode())};
}

}  // namespace umbra::fuzz
