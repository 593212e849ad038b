// SPDX-License-Identifier: MIT
// Tables read past HDF5's filters hold what HDF5 itself reads, and everything that is not stored as
// umbra stores it, or is damaged, is left to HDF5.
#include "export/hdf5/chunk_decoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/hdf5/chunk_encoder.h"
#include "export/hdf5/reader.h"
#include "export/hdf5/writer.h"
#include "tests/export/sample_profile.h"
#include "tests/export/temporary_folder.h"

namespace umbra::hdf5 {
namespace {

using profile::CallNode;
using profile::Profile;
using testing::HasSubstr;

/// Of a chunk, with 256 KiB of rows of 108 bytes.
constexpr std::size_t kChunkRows = 2404;
constexpr std::size_t kRowBytes = 109;

/// A profile with `rows` paths; no two rows are the same.
Profile deep_profile(std::size_t rows) {
    Profile profile = test::sample_profile();
    const auto first = static_cast<profile::Row>(profile.calltree.size());
    for (profile::Row row = first; row < rows; ++row) {
        CallNode node = profile.calltree[row % first];
        node.parent = row % 5 == 0 ? profile::kNone : row / 2;
        node.times.calls = row;
        node.times.self_ns = uint64_t{row} * 1'000'003;
        node.times.max_ns = INT64_MAX - row;
        profile.calltree.push_back(node);
    }
    return profile;
}

bool same(const CallNode& a, const CallNode& b) {
    return std::memcmp(&a.times, &b.times, sizeof a.times) == 0 && a.parent == b.parent &&
           a.function == b.function && a.thread == b.thread;
}

class ChunkDecoding : public testing::Test {
  protected:
    /// Writes a profile with a call tree of this many rows.
    void write(std::size_t rows) {
        profile_ = deep_profile(rows);
        ASSERT_TRUE(write_profile(profile_, path_));
        layout_ = layout_of(tree(), tree().rows(profile_));
        ASSERT_EQ(layout_.bytes, kRowBytes);
    }

    static const schema::Table& tree() {
        return *std::ranges::find(schema::tables(), "calltree", &schema::Table::name);
    }

    [[nodiscard]] Handle file() const {
        return {H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), "open"};
    }

    static Handle dataset(const Handle& file) {
        return {H5Dopen2(file.get(), "calltree", H5P_DEFAULT), "open"};
    }

    /// What read_own_chunks says of the file's call tree; `read_` has the rows.
    bool own() {
        read_ = profile_;
        read_.calltree.clear();
        const schema::MutableRows rows = tree().resize(read_, profile_.calltree.size());
        const Handle opened = file();
        return read_own_chunks(dataset(opened), {.profile = read_,
                                                 .table = tree(),
                                                 .rows = rows,
                                                 .layout = layout_,
                                                 .rows_per_chunk = 0});
    }

    void expect_whole(const Profile& profile) const {
        EXPECT_TRUE(std::ranges::equal(profile.calltree, profile_.calltree, same));
    }

    /// Whatever the storage, the file says the same.
    void expect_readable() const {
        const Result<Profile> result = read_profile(path_);
        ASSERT_TRUE(result) << result.error().context;
        expect_whole(*result);
    }

    void expect_error(const char* part) const {
        const Result<Profile> result = read_profile(path_);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, ErrorCode::kCorrupt);
        EXPECT_THAT(result.error().context, HasSubstr(part));
    }

    /// Stores the call tree anew, as HDF5 does with filters that `choose` sets.
    void store(const std::function<void(const Handle& creation)>& choose, hsize_t chunk_rows,
               const RowLayout& layout) const {
        const Handle opened = file();
        const hsize_t count = profile_.calltree.size();
        const Handle type = row_type(layout_);
        std::vector<std::byte> rows(count * kRowBytes);
        checked(
            H5Dread(dataset(opened).get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()),
            "read");
        checked(H5Ldelete(opened.get(), "calltree", H5P_DEFAULT), "delete");
        const Handle creation(H5Pcreate(H5P_DATASET_CREATE), "create");
        checked(H5Pset_chunk(creation.get(), 1, &chunk_rows), "chunk");
        choose(creation);
        const hsize_t unlimited = H5S_UNLIMITED;
        const Handle space(H5Screate_simple(1, &count, &unlimited), "space");
        const Handle made(H5Dcreate2(opened.get(), "calltree", row_type(layout).get(), space.get(),
                                     H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                          "create");
        checked(H5Dwrite(made.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()),
                "write");
    }

    /// Changes the stored bytes of the chunk that begins at row `first`.
    void change_chunk(hsize_t first,
                      const std::function<void(std::vector<std::byte>& bytes)>& change,
                      uint32_t skipped_filters = 0) const {
        const Handle opened = file();
        const Handle table = dataset(opened);
        hsize_t size = 0;
        checked(H5Dget_chunk_storage_size(table.get(), &first, &size), "size");
        std::vector<std::byte> bytes(size);
        uint32_t mask = 0;
        checked(H5Dread_chunk(table.get(), H5P_DEFAULT, &first, &mask, bytes.data()), "read");
        change(bytes);
        checked(H5Dwrite_chunk(table.get(), H5P_DEFAULT, skipped_filters, &first, bytes.size(),
                               bytes.data()),
                "write");
    }

    /// Changes a byte of a number: byte `plane` of the packed row `row` of a chunk.
    void change_number(hsize_t first, std::size_t plane, std::size_t row, std::byte value) const {
        change_chunk(first, [&](std::vector<std::byte>& bytes) {
            std::vector<std::byte> raw(kChunkRows * kRowBytes);
            ASSERT_TRUE(inflate(bytes, raw));
            raw[plane * kChunkRows + row] = value;
            Deflater deflater;
            const auto deflated = deflater.deflate(raw);
            bytes.assign(deflated.begin(), deflated.end());
        });
    }

    test::TemporaryFolder folder_;
    std::string path_ = folder_.file("p.h5");
    Profile profile_;
    Profile read_;
    RowLayout layout_;
};

TEST_F(ChunkDecoding, ReadsWhatUmbraWrote) {
    // One chunk; several with a last one of one row; enough for several tasks.
    for (const std::size_t rows : {std::size_t{40}, 3 * kChunkRows + 1, 100 * kChunkRows}) {
        write(rows);
        ASSERT_TRUE(own()) << rows << " rows";
        expect_whole(read_);
        expect_readable();
    }
}

TEST_F(ChunkDecoding, ReadsWhatHdf5WroteTheSameWay) {
    write(3 * kChunkRows);
    for (const hsize_t chunk_rows : {1U, 17U, 4000U}) {
        store(
            [](const Handle& creation) {
                H5Pset_shuffle(creation.get());
                H5Pset_deflate(creation.get(), 9);
            },
            chunk_rows, layout_);
        ASSERT_TRUE(own()) << chunk_rows << " rows a chunk";
        expect_whole(read_);
    }
}

TEST_F(ChunkDecoding, LeavesOtherStorageToHdf5) {
    write(2 * kChunkRows + 5);
    const std::vector<std::function<void(const Handle&)>> storages = {
        [](const Handle&) {},
        [](const Handle& creation) { H5Pset_deflate(creation.get(), 1); },
        [](const Handle& creation) { H5Pset_shuffle(creation.get()); },
        [](const Handle& creation) {
            H5Pset_deflate(creation.get(), 1);
            H5Pset_shuffle(creation.get());
        },
        [](const Handle& creation) {
            H5Pset_shuffle(creation.get());
            H5Pset_deflate(creation.get(), 1);
            H5Pset_fletcher32(creation.get());
        },
        [](const Handle& creation) {
            H5Pset_shuffle(creation.get());
            H5Pset_deflate(creation.get(), 1);
            H5Pset_chunk_opts(creation.get(), H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
        },
    };
    for (std::size_t i = 0; i < storages.size(); ++i) {
        store(storages[i], 1000, layout_);
        EXPECT_FALSE(own()) << "storage " << i;
        expect_readable();
    }
}

TEST_F(ChunkDecoding, LeavesColumnsInAnotherOrderToHdf5) {
    write(2 * kChunkRows);
    RowLayout reversed;
    for (auto cell = layout_.cells.rbegin(); cell != layout_.cells.rend(); ++cell) {
        reversed.cells.push_back({cell->column, reversed.bytes, cell->bytes});
        reversed.bytes += cell->bytes;
    }
    store(
        [](const Handle& creation) {
            H5Pset_shuffle(creation.get());
            H5Pset_deflate(creation.get(), 1);
        },
        kChunkRows, reversed);
    EXPECT_FALSE(own());
    expect_readable();
}

TEST_F(ChunkDecoding, LeavesChunksThatPassedAFilterToHdf5) {
    write(3 * kChunkRows);
    change_chunk(
        kChunkRows,
        [](std::vector<std::byte>& bytes) {
            std::vector<std::byte> raw(kChunkRows * kRowBytes);
            ASSERT_TRUE(inflate(bytes, raw));
            bytes = raw;
        },
        2);  // bit of the second filter, deflate
    EXPECT_FALSE(own());
    expect_readable();
}

TEST_F(ChunkDecoding, LeavesMissingChunksToHdf5) {
    write(2 * kChunkRows);
    {
        const Handle opened = file();
        const hsize_t more = 3 * kChunkRows;
        checked(H5Dset_extent(dataset(opened).get(), &more), "extend");
    }
    profile_.calltree.resize(3 * kChunkRows);
    EXPECT_FALSE(own());
    // HDF5 makes rows of zeros of it, children of row 0.
    const Result<Profile> result = read_profile(path_);
    ASSERT_TRUE(result) << result.error().context;
    EXPECT_EQ(result->calltree.size(), profile_.calltree.size());
    EXPECT_EQ(result->calltree.back().parent, 0U);
}

TEST_F(ChunkDecoding, GivesAnErrorForADamagedChunk) {
    const std::vector<std::function<void(std::vector<std::byte>&)>> damages = {
        [](std::vector<std::byte>& bytes) { bytes[0] = std::byte{0xff}; },
        [](std::vector<std::byte>& bytes) { bytes[bytes.size() / 2] ^= std::byte{0x10}; },
        [](std::vector<std::byte>& bytes) { bytes.back() ^= std::byte{0x01}; },  // the checksum
        [](std::vector<std::byte>& bytes) { bytes.resize(bytes.size() / 2); },
        [](std::vector<std::byte>& bytes) { bytes.assign(5, std::byte{0}); },
        [](std::vector<std::byte>& bytes) { bytes.assign(std::size_t{1} << 20U, std::byte{0}); },
    };
    for (std::size_t i = 0; i < damages.size(); ++i) {
        write(100 * kChunkRows);
        change_chunk(90 * kChunkRows, damages[i]);
        EXPECT_FALSE(own()) << "damage " << i;
        expect_error("HDF5 cannot read the table calltree");
    }
}

TEST_F(ChunkDecoding, GivesAnErrorForNumbersThatMayNotBe) {
    constexpr hsize_t kFirst = 2 * kChunkRows;
    write(3 * kChunkRows);
    change_number(kFirst, 19, 7, std::byte{0x80});  // sign of calls
    EXPECT_FALSE(own());
    expect_error("calls is negative");

    write(3 * kChunkRows);
    change_number(kFirst, 2, 8, std::byte{0x7f});  // third byte of the parent
    EXPECT_FALSE(own());
    expect_error("table calltree, row 4816: parent points at no row of table calltree");

    write(3 * kChunkRows);
    change_number(kFirst, 5, 8, std::byte{0x7f});  // second byte of the function
    EXPECT_FALSE(own());
    expect_error("table calltree, row 4816: function points at no row of table functions");

    profile_ = deep_profile(3 * kChunkRows);
    profile_.calltree[kFirst + 2].parent = kFirst;
    ASSERT_TRUE(write_profile(profile_, path_));
    change_number(kFirst, 0, 2, static_cast<std::byte>((kFirst + 2) & 0xffU));
    EXPECT_FALSE(own());
    expect_error("table calltree, row 4810: parent is not a smaller row");
}

}  // namespace
}  // namespace umbra::hdf5

/// HDF5 itself loses memory when it finds a file damaged; leaks of ours are still reported.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
    return "leak:libhdf5";
}
