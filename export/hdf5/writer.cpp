// SPDX-License-Identifier: MIT
// Profile -> HDF5 image in memory -> file.
#include "export/hdf5/writer.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <future>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "export/hdf5/calls.h"
#include "export/hdf5/cell_encoder.h"
#include "export/hdf5/cells.h"
#include "export/hdf5/chunk_packer.h"
#include "export/replace_file.h"
#include "export/schema.h"
#include "src/base/utf8.h"

namespace umbra::hdf5 {
namespace {

using schema::Column;
using schema::LongString;
using schema::Rows;
using schema::Table;
using schema::Type;

constexpr std::size_t kChunkBytes = std::size_t{256} * 1024;
constexpr std::size_t kChunksAtOnce = 64;  // 16 MB before they are packed

/// Makes `image` the memory of HDF5's in-memory file, so that it is still there, finished, when the
/// file is closed. (H5Fget_file_image of an open file answers a wrong checksum in HDF5 1.10.)
H5FD_file_image_callbacks_t image_callbacks(std::vector<std::byte>& image) {
    H5FD_file_image_callbacks_t callbacks = {};
    callbacks.image_realloc = [](void*, std::size_t bytes, H5FD_file_image_op_t,
                                 void* vector) noexcept -> void* {
        try {
            auto& memory = *static_cast<std::vector<std::byte>*>(vector);
            memory.resize(bytes);
            return memory.data();
        } catch (const std::exception&) {
            return nullptr;
        }
    };
    callbacks.image_free = [](void*, H5FD_file_image_op_t, void*) -> herr_t { return 0; };
    callbacks.udata_copy = [](void* vector) { return vector; };
    callbacks.udata_free = [](void*) -> herr_t { return 0; };
    callbacks.udata = &image;
    return callbacks;
}

/// Enough for nearly every file, so that its image is not copied as it grows. What is not used of
/// it is address space only.
std::size_t likely_bytes(const profile::Profile& profile) {
    std::size_t bytes = 0;
    for (const Table& table : schema::tables()) {
        const Rows rows = table.rows(profile);
        bytes += rows.count * rows.stride_bytes;
    }
    return bytes / 4;
}

/// The chunks from a row on, kChunksAtOnce at the most. Packing them is most of what writing a file
/// takes.
std::vector<std::vector<std::byte>> packed_chunks(const RowLayout& layout, const Rows& rows,
                                                  std::size_t begin, Chunking chunking,
                                                  std::size_t threads) {
    std::vector<std::vector<std::byte>> chunks(
        std::min(kChunksAtOnce, (rows.count - begin + chunking.rows - 1) / chunking.rows));
    std::atomic<std::size_t> next = 0;
    const auto pack = [&] {
        ChunkPacker packer(layout, rows, chunking);
        for (std::size_t chunk = next++; chunk < chunks.size(); chunk = next++) {
            chunks[chunk] = packer.chunk(begin + chunk * chunking.rows);
        }
    };
    std::vector<std::future<void>> others;
    for (std::size_t thread = 1; thread < std::min(threads, chunks.size()); ++thread) {
        // Deferred, which finds nothing left to do, where no thread can be had.
        others.push_back(std::async(std::launch::async | std::launch::deferred, pack));
    }
    pack();
    for (std::future<void>& other : others) {
        other.get();
    }
    return chunks;
}

class Writer {
  public:
    explicit Writer(std::size_t threads);
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    Writer(Writer&&) = delete;
    Writer& operator=(Writer&&) = delete;
    ~Writer() = default;
    void write(const profile::Profile& profile);
    /// The whole file; the writer is of no use afterwards.
    std::vector<std::byte> image();

  private:
    void write_table(const Table& table, const Rows& rows);
    void write_rows(const Handle& dataset, const RowLayout& layout, const Rows& rows,
                    Chunking chunking) const;
    void collect_long_strings(const Table& table, const Rows& rows);
    static void write_attribute(const Handle& owner, std::string_view name, const Handle& type,
                                const void* data);
    static void write_text(const Handle& owner, std::string_view name, std::string_view text);
    static void write_texts(const Handle& owner, std::string_view name,
                            std::span<const std::string> texts);
    static void write_session(const Handle& owner, const profile::Session& session);

    std::vector<std::byte> image_;  ///< outlives file_, which writes to it
    Handle file_;
    std::vector<LongString> long_strings_;
    std::size_t threads_;  ///< that compress
};

Writer::Writer(std::size_t threads) : threads_(threads) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), "set up file access");
    // HDF5 asks for each byte more; the vector knows how to grow.
    checked(H5Pset_fapl_core(access.get(), 1, false), "keep the file in memory");
    H5FD_file_image_callbacks_t callbacks = image_callbacks(image_);
    checked(H5Pset_file_image_callbacks(access.get(), &callbacks), "keep the file in memory");
    // The newest layout of HDF5 1.10 carries checksums over all its structures: readers notice a
    // damaged file instead of believing it.
    checked(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110),
            "choose the HDF5 version");
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), "set up file creation");
    checked(H5Pset_obj_track_times(creation.get(), false), "leave out time stamps");
    // The name is never opened for writing, but HDF5 looks whether it exists; this one cannot.
    file_ = Handle(H5Fcreate("/dev/null/umbra", H5F_ACC_TRUNC, creation.get(), access.get()),
                   "create a file in memory");
}

void Writer::write(const profile::Profile& profile) {
    if (Status sound = schema::check_rows(profile); !sound) {
        throw Failure{sound.error()};
    }
    write_session(file_, profile.session);
    image_.reserve(likely_bytes(profile));
    for (const Table& table : schema::tables()) {
        write_table(table, table.rows(profile));
        collect_long_strings(table, table.rows(profile));
    }
    write_table(schema::long_strings(),
                Rows{reinterpret_cast<const std::byte*>(long_strings_.data()), sizeof(LongString),
                     long_strings_.size()});
}

std::vector<std::byte> Writer::image() {
    checked(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), "finish the file");
    file_.close("close the file");
    return std::move(image_);
}

void Writer::write_table(const Table& table, const Rows& rows) {
    if (rows.count > INT32_MAX) {
        raise(ErrorCode::kInvalid, fmt::format("table {} has {} rows, more than a row number holds",
                                               table.name, rows.count));
    }
    const RowLayout layout = layout_of(table, rows);
    const hsize_t count = rows.count;
    const hsize_t unlimited = H5S_UNLIMITED;
    const hsize_t chunk =
        std::clamp<hsize_t>(kChunkBytes / layout.bytes, 1, std::max<hsize_t>(count, 1));
    const Handle space(H5Screate_simple(1, &count, &unlimited), "make a data space");
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), "set up a table");
    checked(H5Pset_obj_track_times(creation.get(), false), "leave out time stamps");
    checked(H5Pset_chunk(creation.get(), 1, &chunk), "chunk a table");
    // Shuffling tears texts apart: without it the functions of a large program take a third of the
    // space and less than half of the time.
    const bool has_text = std::ranges::any_of(
        table.columns, [](const Column& column) { return column.type == Type::kString; });
    if (!has_text) {
        checked(H5Pset_shuffle(creation.get()), "shuffle a table");
    }
    checked(H5Pset_deflate(creation.get(), kDeflateLevel), "compress a table");
    const Handle dataset(
        H5Dcreate2(file_.get(), std::string(table.name).c_str(), row_type(layout).get(),
                   space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
        "create a table");
    write_rows(dataset, layout, rows, {.rows = chunk, .shuffles = !has_text});

    std::vector<std::string> units;
    std::vector<std::string> descriptions;
    for (const Column& column : table.columns) {
        units.push_back(schema::units(column));
        descriptions.emplace_back(column.description);
    }
    write_text(dataset, "description", table.description);
    write_texts(dataset, "units", units);
    write_texts(dataset, "column_descriptions", descriptions);
}

void Writer::write_rows(const Handle& dataset, const RowLayout& layout, const Rows& rows,
                        Chunking chunking) const {
    for (std::size_t begin = 0; begin < rows.count; begin += kChunksAtOnce * chunking.rows) {
        hsize_t row = begin;
        for (const std::vector<std::byte>& chunk :
             packed_chunks(layout, rows, begin, chunking, threads_)) {
            checked(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, &row, chunk.size(), chunk.data()),
                    "write rows");
            row += chunking.rows;
        }
    }
}

void Writer::collect_long_strings(const Table& table, const Rows& rows) {
    for (const Column& column : table.columns) {
        if (column.type != Type::kString) {
            continue;
        }
        for (std::size_t i = 0; i < rows.count; ++i) {
            const CellText text(value<std::string>(column, rows.row(i)));
            std::string_view rest = text.rest();
            while (!rest.empty()) {
                const std::string_view piece = cell_part(rest);
                long_strings_.push_back(
                    {std::string(table.name), std::string(column.name), i, std::string(piece)});
                rest.remove_prefix(piece.size());
            }
        }
    }
}

void Writer::write_attribute(const Handle& owner, std::string_view name, const Handle& type,
                             const void* data) {
    const Handle space(H5Screate(H5S_SCALAR), "make a data space");
    const Handle attribute(H5Acreate2(owner.get(), std::string(name).c_str(), type.get(),
                                      space.get(), H5P_DEFAULT, H5P_DEFAULT),
                           "create an attribute");
    checked(H5Awrite(attribute.get(), type.get(), data), "write an attribute");
}

void Writer::write_text(const Handle& owner, std::string_view name, std::string_view text) {
    const std::string cleaned = printable_utf8(text);
    // c_str() ends in the NUL that an empty text needs as its one byte.
    write_attribute(owner, name, string_type(std::max<std::size_t>(cleaned.size(), 1)),
                    cleaned.c_str());
}

void Writer::write_texts(const Handle& owner, std::string_view name,
                         std::span<const std::string> texts) {
    std::size_t longest = 1;
    for (const std::string& text : texts) {
        longest = std::max(longest, text.size());
    }
    std::string packed;
    for (const std::string& text : texts) {
        packed += text;
        packed.append(longest - text.size(), '\0');
    }
    const hsize_t count = texts.size();
    const Handle space(H5Screate_simple(1, &count, nullptr), "make a data space");
    const Handle type = string_type(longest);
    const Handle attribute(H5Acreate2(owner.get(), std::string(name).c_str(), type.get(),
                                      space.get(), H5P_DEFAULT, H5P_DEFAULT),
                           "create an attribute");
    checked(H5Awrite(attribute.get(), type.get(), packed.data()), "write an attribute");
}

void Writer::write_session(const Handle& owner, const profile::Session& session) {
    write_text(owner, "format", schema::kFormat);
    write_text(owner, "schema_version", schema::version());
    const auto lost = static_cast<int64_t>(session.losses.events());
    write_attribute(owner, "lost_events", value_type(Type::kInt64, 0), &lost);
    const auto* row = reinterpret_cast<const std::byte*>(&session);
    for (const Column& column : schema::session_attributes()) {
        if (column.type == Type::kString) {
            write_text(owner, column.name, value<std::string>(column, row));
            continue;
        }
        std::byte cell[8] = {};
        encode_cell(column, row, cell);
        write_attribute(owner, column.name, value_type(column.type, 0), cell);
    }
}

}  // namespace

Status write_profile(const profile::Profile& profile, const std::string& path,
                     std::size_t threads) {
    const auto with_path = [&](Error error) {
        error.context = fmt::format("cannot write the profile '{}': {}", path, error.context);
        return tl::unexpected<Error>(std::move(error));
    };
    try {
        silence();
        Writer writer(threads);
        writer.write(profile);
        if (Status done = replace_file(path, writer.image()); !done) {
            return with_path(done.error());
        }
        return {};
    } catch (const Failure& failure) {
        return with_path(failure.error);
    } catch (const std::bad_alloc&) {
        return with_path(Error{ErrorCode::kSystem, ENOMEM, "out of memory"});
    }
}

}  // namespace umbra::hdf5
