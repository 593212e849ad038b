// SPDX-License-Identifier: MIT
// HDF5 hands out compressed chunks on one thread; others inflate them and fill in the rows, column
// by column.
#include "export/hdf5/chunk_decoder.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <future>
#include <optional>
#include <thread>

#include "export/hdf5/chunk_codec.h"

namespace umbra::hdf5 {
namespace {

using schema::Column;
using schema::Type;

/// Of rows; what one task decodes, but at least a chunk.
constexpr std::size_t kTaskBytes = std::size_t{8} << 20U;
constexpr unsigned kMaxThreads = 4;

template <typename T>
void scatter_as(std::byte* first, std::size_t stride, std::span<const uint64_t> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const T stored = static_cast<T>(values[i]);
        std::memcpy(first + i * stride, &stored, sizeof stored);
    }
}

bool has_filter(const Handle& creation, unsigned index, H5Z_filter_t wanted,
                std::optional<unsigned> value) {
    unsigned values[1] = {};
    std::size_t count = 1;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation.get(), index, nullptr, &count, values, 0, nullptr, nullptr);
    return filter == wanted && (!value || (count == 1 && values[0] == *value));
}

/// Rows of a chunk if the table is stored as the writer stores one of numbers, else 0.
std::size_t own_chunk_rows(const Handle& dataset, const RowLayout& layout) {
    if (std::ranges::any_of(layout.cells,
                            [](const Cell& cell) { return cell.column->type == Type::kString; })) {
        return 0;
    }
    const Handle type(H5Dget_type(dataset.get()), "get the type of a table");
    if (checked(H5Tequal(type.get(), row_type(layout).get()), "compare types") == 0) {
        return 0;
    }
    const Handle creation(H5Dget_create_plist(dataset.get()), "get the layout of a table");
    hsize_t rows = 0;
    unsigned options = 0;
    const bool own =
        H5Pget_layout(creation.get()) == H5D_CHUNKED &&
        H5Pget_chunk(creation.get(), 1, &rows) == 1 &&
        // Else the last chunk may have gone past the filters.
        H5Pget_chunk_opts(creation.get(), &options) >= 0 && options == 0 &&
        H5Pget_nfilters(creation.get()) == 2 &&
        has_filter(creation, 0, H5Z_FILTER_SHUFFLE, static_cast<unsigned>(layout.bytes)) &&
        has_filter(creation, 1, H5Z_FILTER_DEFLATE, std::nullopt);
    return own ? rows : 0;
}

/// Chunks `first` to `end` - 1; nothing if one is missing, passed by the filters, or larger than
/// deflate makes anything.
std::optional<ChunkBatch> read_batch(const Handle& dataset, std::size_t first, std::size_t end,
                                     std::size_t rows_per_chunk, std::size_t raw_bytes) {
    const hsize_t max_bytes = raw_bytes + raw_bytes / 256 + 1024;
    ChunkBatch batch{.first = first, .bytes = {}, .ends = {}};
    for (std::size_t chunk = first; chunk < end; ++chunk) {
        const hsize_t row = chunk * rows_per_chunk;
        const std::size_t start = batch.bytes.size();
        hsize_t bytes = 0;
        uint32_t skipped_filters = 0;
        if (H5Dget_chunk_storage_size(dataset.get(), &row, &bytes) < 0 || bytes == 0 ||
            bytes > max_bytes) {
            return std::nullopt;
        }
        batch.bytes.resize(start + bytes);
        if (H5Dread_chunk(dataset.get(), H5P_DEFAULT, &row, &skipped_filters, &batch.bytes[start]) <
                0 ||
            skipped_filters != 0) {
            return std::nullopt;
        }
        batch.ends.push_back(batch.bytes.size());
    }
    return batch;
}

}  // namespace

ChunkDecoder::ChunkDecoder(const Target& target) : target_(target) {
    for (const Cell& cell : target.layout.cells) {
        const Column& column = *cell.column;
        columns_.push_back({.cell = &cell,
                            .first = static_cast<std::byte*>(column.get_mutable(target.rows.first)),
                            .end = schema::row_count(target.profile, column.refers_to),
                            .smaller = column.refers_to == target.table.name});
    }
}

bool ChunkDecoder::decode(const ChunkBatch& batch) const {
    const std::size_t rows = target_.rows_per_chunk;
    std::vector<std::byte> raw(rows * target_.layout.bytes);
    std::vector<uint64_t> values(std::min(rows, target_.rows.count));
    std::size_t start = 0;
    for (std::size_t i = 0; i < batch.ends.size(); ++i) {
        const std::size_t first_row = (batch.first + i) * rows;
        const auto used = std::span(values).first(std::min(rows, target_.rows.count - first_row));
        if (!inflate(std::span(batch.bytes).subspan(start, batch.ends[i] - start), raw)) {
            return false;
        }
        start = batch.ends[i];
        for (const Numbers& column : columns_) {
            unshuffle(&raw[column.cell->offset * rows], rows, column.cell->bytes, used);
            if (!sound(column, first_row, used)) {
                return false;
            }
            scatter(column, first_row, used);
        }
    }
    return true;
}

bool ChunkDecoder::sound(const Numbers& column, std::size_t first_row,
                         std::span<const uint64_t> values) {
    const Type type = column.cell->column->type;
    if (type == Type::kInt64) {
        uint64_t any = 0;
        for (const uint64_t value : values) {
            any |= value;
        }
        return any <= INT64_MAX;
    }
    if (type != Type::kRow && type != Type::kRowOrNone) {
        return true;
    }
    const uint64_t none = type == Type::kRowOrNone ? profile::kNone : UINT64_MAX;
    bool sound = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const uint64_t end = column.smaller ? first_row + i : column.end;
        sound = sound && (values[i] < end || values[i] == none);
    }
    return sound;
}

void ChunkDecoder::scatter(const Numbers& column, std::size_t first_row,
                           std::span<const uint64_t> values) const {
    const std::size_t stride = target_.rows.stride_bytes;
    std::byte* first = column.first + first_row * stride;
    switch (column.cell->bytes) {
        case 8:
            scatter_as<uint64_t>(first, stride, values);
            break;
        case 4:
            scatter_as<uint32_t>(first, stride, values);
            break;
        default:
            scatter_as<bool>(first, stride, values);
    }
}

bool read_own_chunks(const Handle& dataset, ChunkDecoder::Target target) {
    target.rows_per_chunk = own_chunk_rows(dataset, target.layout);
    if (target.rows_per_chunk == 0) {
        return false;
    }
    if (target.rows.count == 0) {
        return true;
    }
    const ChunkDecoder decoder(target);
    const std::size_t raw_bytes = target.rows_per_chunk * target.layout.bytes;
    const std::size_t chunks = (target.rows.count - 1) / target.rows_per_chunk + 1;
    const std::size_t per_task = std::max<std::size_t>(kTaskBytes / raw_bytes, 1);
    const std::size_t threads = std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads);
    const auto policy =
        chunks <= per_task ? std::launch::deferred : std::launch::async | std::launch::deferred;
    std::deque<std::future<bool>> ahead;
    for (std::size_t first = 0; first < chunks || !ahead.empty();) {
        if (first < chunks && ahead.size() < threads + 1) {  // one more, for a thread to begin with
            const std::size_t end = std::min(first + per_task, chunks);
            std::optional<ChunkBatch> batch =
                read_batch(dataset, first, end, target.rows_per_chunk, raw_bytes);
            if (!batch) {
                return false;
            }
            ahead.push_back(std::async(
                policy, [&decoder, batch = std::move(*batch)] { return decoder.decode(batch); }));
            first = end;
            continue;
        }
        if (!ahead.front().get()) {
            return false;
        }
        ahead.pop_front();
    }
    return true;
}

}  // namespace umbra::hdf5
