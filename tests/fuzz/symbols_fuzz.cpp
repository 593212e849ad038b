// SPDX-License-Identifier: MIT
// Fuzzes the reading of source lines: of an image what names its PDB, and the PDB; and of the tests
// in an image, which is all that lies beside it as well, and of its endpoints. An input is a flag
// and one of them; an image has its PDB within, and code in which places are looked for.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/utf8.h"
#include "src/symbols/endpoints.h"
#include "src/symbols/image_debug.h"
#include "src/symbols/method_places.h"
#include "src/symbols/portable_pdb.h"
#include "src/symbols/test_methods.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/symbols/made_module.h"
#include "tests/symbols/made_symbols.h"

namespace umbra::fuzz {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;
constexpr uint32_t kLookedAt = 200;

void look_at(symbols::Bytes bytes, symbols::Bytes image) {
    const auto pdb = symbols::PortablePdb::parse(bytes);
    if (!pdb) {
        return;
    }
    require(pdb->methods() <= bytes.size() && pdb->documents() <= bytes.size(),
            "each row has bytes of its own");
    for (const symbols::SourcePoint& place : symbols::method_places(*pdb, image, kLookedAt)) {
        require(place.document <= pdb->documents(), "a line is in a document of the PDB");
        require((place.document == 0) == (place.line == 0), "a line has a document");
    }
    for (uint32_t document = 0; document <= std::min(pdb->documents(), kLookedAt); ++document) {
        const std::string name = pdb->document_name(document);
        require(printable_utf8(name) == name, "a path can be shown");
    }
    uint64_t sum = 0;
    pdb->for_each_state_machine(
        [&](uint32_t move_next, uint32_t kickoff) { sum += move_next ^ kickoff; });
}

std::string text(const symbols::test::Content& bytes) {
    return {bytes.begin(), bytes.end()};
}

/// A test, one whose attribute extends that of a framework, which is said to lie beside it, and an
/// action of a controller.
symbols::test::Content module_with_attributes() {
    using clr::token_of;
    return symbols::test::MadeModule{
        .assemblies = {"beside"},
        .references = {{"Xunit", "FactAttribute", 1},
                       {"Acme", "SlowAttribute", 1},
                       {"Microsoft.AspNetCore.Mvc", "HttpGetAttribute", 1},
                       {"Microsoft.AspNetCore.Mvc", "RouteAttribute", 1},
                       {"Microsoft.AspNetCore.Builder", "EndpointRouteBuilderExtensions", 1}},
        .types = {{"Acme", "SlowAttribute", token_of(clr::kTypeRef, 1), {".ctor"}},
                  {"Acme", "Tests", 0, {"A", "B", "C"}}},
        .attributes = {{2, token_of(clr::kTypeRef, 1)},
                       {2, token_of(clr::kTypeRef, 4), "[controller]", true},
                       {3, token_of(clr::kTypeDef, 1)},
                       {4, token_of(clr::kTypeRef, 2)},
                       {4, token_of(clr::kTypeRef, 3), "{id}/[action]"}}}
        .bytes();
}

}  // namespace

void run(std::string_view input) {
    Input in(input);
    const bool is_image = in.flag();
    const symbols::Bytes bytes(reinterpret_cast<const uint8_t*>(in.rest().data()),
                               in.rest().size());
    if (!is_image) {
        look_at(bytes, {});
        return;
    }
    uint32_t before = 0;
    for (const symbols::TestMethod& test :
         symbols::test_methods(bytes, [&](const std::string& /*name*/) {
             return symbols::test::Content(bytes.begin(), bytes.end());
         })) {
        require(test.row > before || before == 0, "tests come in order, each once");
        require(!test.framework.empty(), "a test is one of a framework");
        before = test.row;
    }
    before = 0;
    for (const symbols::Endpoint& endpoint : symbols::endpoints(bytes)) {
        require(endpoint.row > before || before == 0, "endpoints come in order, each once");
        require(!endpoint.name.empty(), "an endpoint has a route");
        require(endpoint.name.size() <= size_t{8} << 10, "names have an end");
        before = endpoint.row;
    }
    if (const std::optional<symbols::ImageDebug> debug = symbols::image_debug(bytes)) {
        look_at(symbols::inflate_embedded(*debug, kMostBytes), bytes);
    }
}

std::vector<std::string> seeds() {
    const symbols::test::MadePdb pdb = symbols::test::sample_pdb();
    return {std::string(1, '\0') + text(pdb.bytes()),
            '\1' + text(symbols::test::sample_image().bytes()),
            '\1' + text(symbols::test::MadeImage().bytes()), '\1' + text(module_with_attributes())};
}

}  // namespace umbra::fuzz
