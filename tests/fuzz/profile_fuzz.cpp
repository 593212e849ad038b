// SPDX-License-Identifier: MIT
// Fuzzes the reader of profile files by their content. An input: one of two sound files (with
// paths by thread, with paths of all threads), then changes that the HDF5 library makes to it:
// cells, numbers of rows, columns and their types, storage, filters, links, attributes. What the
// reader accepts goes through everything that is done with a profile, and back into a file. Does
// not cover: damaged structures of HDF5 itself (tests/export/damaged_file_test.cpp), and what the
// library does with them, which is not ours and has a process of its own
// (tests/cli/guarded_read_test.cpp).
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "export/hdf5/calls.h"
#include "export/hdf5/cells.h"
#include "export/hdf5/reader.h"
#include "export/hdf5/writer.h"
#include "export/schema.h"
#include "src/base/utf8.h"
#include "tests/export/sample_profile.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/profile_changes.h"
#include "tests/fuzz/profile_uses.h"
#include "tests/support/temporary_folder.h"

namespace umbra::fuzz {
namespace {

using profile::Profile;

const test::TemporaryFolder& folder() {
    static const test::TemporaryFolder kFolder;
    return kFolder;
}

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string file_of(const Profile& profile) {
    const std::string path = folder().file("base.h5");
    require(hdf5::write_profile(profile, path).has_value(), "a sound profile can be written");
    return bytes_of(path);
}

const std::vector<std::string>& bases() {
    static const std::vector<std::string> kBases = [] {
        Profile by_thread = test::sample_profile();
        by_thread.functions[1].name = "Acme." + std::string(300, 'x') + ".Add(Item, int)";
        by_thread.functions[1].raw_name = std::string(600, 'y');
        by_thread.timeline = {{2, 2'000'000, 85}, {1, 2'000'000, 2'000}, {0, 1'000'000, 3'000'000}};
        Profile shared = test::sample_profile();
        shared.session.settings.tree = "folded";
        for (profile::CallNode& node : shared.calltree) {
            node.thread = profile::kNone;
        }
        return std::vector{file_of(by_thread), file_of(shared)};
    }();
    return kBases;
}

void write_bytes(const std::string& path, std::string_view bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << bytes;
    require(file.flush().good(), "a file can be written");
}

void check_error(const Error& error) {
    require(error.code == ErrorCode::kNotAProfile || error.code == ErrorCode::kOtherSchema ||
                error.code == ErrorCode::kCorrupt || error.code == ErrorCode::kSystem,
            "an error is one of the reader's");
    require(error.context.starts_with("cannot read '"), "an error says what was tried");
    require(printable_utf8(error.context) == error.context, "an error can be shown");
}

void check_texts(const Profile& profile) {
    for (const schema::Table& table : schema::tables()) {
        const schema::Rows rows = table.rows(profile);
        for (const schema::Column& column : table.columns) {
            for (size_t row = 0; column.type == schema::Type::kString && row < rows.count; ++row) {
                const auto& text = *static_cast<const std::string*>(column.get(rows.row(row)));
                require(printable_utf8(text) == text, "texts can be shown");
            }
        }
    }
}

/// What has been read can be written, and read again.
void check_rewritten(const Profile& profile) {
    const std::string path = folder().file("again.h5");
    require(hdf5::write_profile(profile, path).has_value(), "what was read can be written");
    const Result<Profile> again = hdf5::read_profile(path);
    require(again.has_value(), "what was written can be read");
    require(again->calltree.size() == profile.calltree.size(), "it has the same rows");
}

}  // namespace

void run(std::string_view input) {
    Input in(input);
    const uint32_t settings = in.byte();
    const std::string path = folder().file("p.h5");
    write_bytes(path, bases()[settings % bases().size()]);
    change_profile(path, in);
    const auto overview = hdf5::read_overview(path);
    const auto session = hdf5::read_session(path);
    const Result<Profile> profile = hdf5::read_profile(path);
    require(overview.has_value() == session.has_value(), "both read the same");
    require(overview || !profile, "a whole profile has an overview");
    if (!profile) {
        check_error(profile.error());
        return;
    }
    require(schema::check_rows(*profile).has_value(), "rows refer to rows that are there");
    check_texts(*profile);
    use(*profile);
    if (settings >= 128) {
        check_rewritten(*profile);
    }
}

std::vector<std::string> seeds() {
    std::vector<std::string> made = {"", "\1", "\x80"};
    uint32_t base = 0;
    for (const std::string& changes : sample_changes()) {
        made.push_back(static_cast<char>(base++ % 2) + changes);
    }
    return made;
}

}  // namespace umbra::fuzz

/// HDF5 itself loses memory when it finds a file damaged; leaks of ours are still reported.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
    return "leak:libhdf5";
}
