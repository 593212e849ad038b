// SPDX-License-Identifier: MIT
// Fuzzes the reading of source lines: of an image what names its PDB, and the PDB. An input is a
// flag and one of them; from an image the PDB within is taken on.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/utf8.h"
#include "src/symbols/image_debug.h"
#include "src/symbols/portable_pdb.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/symbols/made_symbols.h"

namespace umbra::fuzz {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;
constexpr uint32_t kLookedAt = 200;

void look_at(symbols::Bytes bytes) {
    const auto pdb = symbols::PortablePdb::parse(bytes);
    if (!pdb) {
        return;
    }
    require(pdb->methods() <= bytes.size() && pdb->documents() <= bytes.size(),
            "each row has bytes of its own");
    for (uint32_t method = 0; method <= std::min(pdb->methods(), kLookedAt); ++method) {
        const symbols::SourcePoint point = pdb->first_point(method);
        require(point.document <= pdb->documents(), "a line is in a document of the PDB");
        require((point.document == 0) == (point.line == 0), "a line has a document");
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

}  // namespace

void run(std::string_view input) {
    Input in(input);
    const bool is_image = in.flag();
    const symbols::Bytes bytes(reinterpret_cast<const uint8_t*>(in.rest().data()),
                               in.rest().size());
    if (!is_image) {
        look_at(bytes);
        return;
    }
    if (const std::optional<symbols::ImageDebug> debug = symbols::image_debug(bytes)) {
        look_at(symbols::inflate_embedded(*debug, kMostBytes));
    }
}

std::vector<std::string> seeds() {
    const symbols::test::MadePdb pdb = symbols::test::sample_pdb();
    const symbols::test::MadeImage image = {.id = pdb.id, .embedded = pdb.bytes()};
    return {std::string(1, '\0') + text(pdb.bytes()), '\1' + text(image.bytes()),
            '\1' + text(symbols::test::MadeImage().bytes())};
}

}  // namespace umbra::fuzz
