// SPDX-License-Identifier: MIT
// File -> profile. The file is hostile until checked: its types before anything is read by them,
// its sizes before memory is set aside for them, its row numbers before anyone follows them.
#include "export/hdf5/reader.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/hdf5/calls.h"
#include "export/hdf5/cells.h"
#include "export/schema.h"
#include "src/base/unique_fd.h"
#include "src/base/utf8.h"

namespace umbra::hdf5 {
namespace {

/// The number behind `name` in a message of HDF5's.
std::optional<uint64_t> number_after(std::string_view message, std::string_view name) {
    const std::size_t at = message.find(name);
    uint64_t number = 0;
    if (at == std::string_view::npos) {
        return {};
    }
    const char* const from = message.data() + at + name.size();
    const bool read =
        std::from_chars(from, message.data() + message.size(), number).ec == std::errc();
    return read ? std::optional(number) : std::nullopt;
}

/// "truncated file: eof = 3000, sblock->base_addr = 0, stored_eof = 81866" in words; else what HDF5
/// says.
std::string in_words(const std::string& message) {
    const std::optional<uint64_t> there = number_after(message, "truncated file: eof = ");
    const std::optional<uint64_t> whole = number_after(message, "stored_eof = ");
    return there && whole ? fmt::format("{} of its {} bytes are there", *there, *whole) : message;
}

using schema::Column;
using schema::LongString;
using schema::MutableRows;
using schema::Table;
using schema::Type;

constexpr hsize_t kMaxRows = hsize_t{1} << 26U;
constexpr hsize_t kMaxChunkBytes = hsize_t{16} << 20U;
constexpr std::size_t kMaxTextBytes = std::size_t{4} << 20U;
/// No deflate stream grows by more: a table larger than this many times its storage is a trap.
constexpr hsize_t kMaxCompression = 1040;
constexpr std::size_t kBlockBytes = std::size_t{256} * 1024;

[[noreturn]] void corrupt(std::string context) {
    raise(ErrorCode::kCorrupt, std::move(context));
}

template <typename T>
T load(const std::byte* cell) {
    T loaded;
    std::memcpy(&loaded, cell, sizeof loaded);
    return loaded;
}

/// Sets the member of `row` that `column` shows from the bytes of its cell.
void decode(const Column& column, const std::byte* cell, std::size_t bytes, std::byte* row) {
    void* member = column.get_mutable(row);
    switch (column.type) {
        case Type::kInt64: {
            const auto number = load<int64_t>(cell);
            if (number < 0) {
                corrupt(fmt::format("{} is negative", column.name));
            }
            *static_cast<uint64_t*>(member) = static_cast<uint64_t>(number);
            break;
        }
        case Type::kUInt32:
        case Type::kRow:
        case Type::kRowOrNone:
            // -1 has the bits of profile::kNone; schema::check_rows refuses other negatives.
            *static_cast<uint32_t*>(member) = load<uint32_t>(cell);
            break;
        case Type::kFloat64:
            *static_cast<double*>(member) = load<double>(cell);
            break;
        case Type::kBool:
        case Type::kFlag:
            *static_cast<bool*>(member) = load<int8_t>(cell) != 0;
            break;
        case Type::kString: {
            std::string_view text(reinterpret_cast<const char*>(cell), bytes);
            text = text.substr(0, text.find_last_not_of('\0') + 1);
            *static_cast<std::string*>(member) = printable_utf8(text);
            break;
        }
    }
}

/// Checks that a type of the file is the one the schema asks for and answers its size in bytes.
std::size_t checked_type(const Handle& type, const Column& column, std::size_t max_text_bytes) {
    if (column.type != Type::kString) {
        const Handle wanted = value_type(column.type, 0);
        if (checked(H5Tequal(type.get(), wanted.get()), "compare types") == 0) {
            corrupt(fmt::format("{} is not of type {}", column.name, schema::type_name(column)));
        }
        return H5Tget_size(wanted.get());
    }
    const std::size_t bytes = H5Tget_size(type.get());
    if (bytes == 0 || bytes > max_text_bytes) {
        corrupt(fmt::format("{} is too long", column.name));
    }
    if (checked(H5Tequal(type.get(), string_type(bytes).get()), "compare types") == 0) {
        corrupt(fmt::format("{} is not fixed-length UTF-8", column.name));
    }
    return bytes;
}

class Reader {
  public:
    explicit Reader(const std::string& path);
    /// Checks format and version and reads the attributes of the root.
    Overview overview();
    profile::Profile profile();

  private:
    /// A table whose layout has been checked.
    struct OpenTable {
        const Table* table = nullptr;
        Handle dataset;
        RowLayout layout;
        hsize_t rows = 0;
    };

    void check_version(const std::string& version);
    [[nodiscard]] bool has_attribute(std::string_view name) const;
    void read_attribute(const Column& column, std::byte* row) const;
    [[nodiscard]] std::string read_text_attribute(const Column& column) const;
    [[nodiscard]] OpenTable open_table(const Table& table) const;
    [[nodiscard]] RowLayout checked_layout(const Table& table, const Handle& type) const;
    static void check_storage(const OpenTable& open);
    void read_table(const Table& table, profile::Profile& profile) const;
    static void read_rows(const OpenTable& open, const MutableRows& rows);
    void put_back_long_strings(profile::Profile& profile) const;

    Handle file_;
    int minor_ = 0;  ///< of the file; what is newer than this reader knows may be an addition
};

Reader::Reader(const std::string& path) {
    // Locks are of no use here: files are replaced as a whole, never changed in place.
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), "set up file access");
    checked(H5Pset_file_locking(access.get(), false, true), "do without file locks");
    const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
    if (id < 0) {
        const std::string reason = in_words(last_message());
        if (H5Fis_hdf5(path.c_str()) > 0) {
            corrupt(fmt::format("the file is damaged or cut short: {}", reason));
        }
        raise(ErrorCode::kNotAProfile, "it is not an HDF5 file");
    }
    file_ = Handle(id, "open the file");
}

bool Reader::has_attribute(std::string_view name) const {
    return checked(H5Aexists(file_.get(), std::string(name).c_str()), "look for an attribute") > 0;
}

void Reader::read_attribute(const Column& column, std::byte* row) const {
    if (!has_attribute(column.name)) {
        corrupt(fmt::format("attribute {} is missing", column.name));
    }
    const Handle attribute(H5Aopen(file_.get(), std::string(column.name).c_str(), H5P_DEFAULT),
                           "open an attribute");
    const Handle space(H5Aget_space(attribute.get()), "get a data space");
    if (H5Sget_simple_extent_type(space.get()) != H5S_SCALAR) {
        corrupt(fmt::format("attribute {} is not a single value", column.name));
    }
    const Handle type(H5Aget_type(attribute.get()), "get the type of an attribute");
    std::vector<std::byte> cell(checked_type(type, column, kMaxTextBytes));
    checked(H5Aread(attribute.get(), type.get(), cell.data()), "read an attribute");
    decode(column, cell.data(), cell.size(), row);
}

std::string Reader::read_text_attribute(const Column& column) const {
    std::string text;
    Column into_text = column;
    into_text.get_mutable = [](void* row) { return row; };
    read_attribute(into_text, reinterpret_cast<std::byte*>(&text));
    return text;
}

void Reader::check_version(const std::string& version) {
    int major = 0;
    int minor = 0;
    const char* end = version.data() + version.size();
    auto parsed = std::from_chars(version.data(), end, major);
    const bool dotted = parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == '.';
    if (dotted) {
        parsed = std::from_chars(parsed.ptr + 1, end, minor);
    }
    if (!dotted || parsed.ec != std::errc() || major < 1 || minor < 0) {
        corrupt("attribute schema_version is not a version");
    }
    if (major != schema::kMajor) {
        raise(ErrorCode::kOtherSchema,
              fmt::format("it has schema {}, this umbra reads {}.x; {}", version, schema::kMajor,
                          major > schema::kMajor ? "update umbra" : "record the program anew"));
    }
    minor_ = minor;
}

Overview Reader::overview() {
    const auto derived = schema::derived_attributes();
    if (!has_attribute(derived[0].name) || read_text_attribute(derived[0]) != schema::kFormat) {
        raise(ErrorCode::kNotAProfile, "it is an HDF5 file, but not a profile of umbra");
    }
    Overview overview;
    overview.schema_version = read_text_attribute(derived[1]);
    check_version(overview.schema_version);
    for (const Column& column : schema::session_attributes()) {
        read_attribute(column, reinterpret_cast<std::byte*>(&overview.session));
    }
    profile::Profile named;
    for (const Table& table : schema::tables()) {
        overview.tables.push_back({std::string(table.name), open_table(table).rows});
        if (table.name == "runtimes" || table.name == "modules") {
            read_table(table, named);
        }
    }
    overview.runtimes = std::move(named.runtimes);
    overview.modules = std::move(named.modules);
    return overview;
}

profile::Profile Reader::profile() {
    profile::Profile profile;
    profile.session = overview().session;
    for (const Table& table : schema::tables()) {
        read_table(table, profile);
    }
    if (Status sound = schema::check_path_threads(profile); !sound) {
        throw Failure{sound.error()};
    }
    put_back_long_strings(profile);
    return profile;
}

void Reader::read_table(const Table& table, profile::Profile& profile) const {
    const OpenTable open = open_table(table);
    const MutableRows rows = table.resize(profile, open.rows);
    read_rows(open, rows);
    if (Status sound = schema::check_rows(profile, table); !sound) {
        throw Failure{sound.error()};
    }
}

RowLayout Reader::checked_layout(const Table& table, const Handle& type) const {
    if (H5Tget_class(type.get()) != H5T_COMPOUND) {
        corrupt(fmt::format("{} is not a table", table.name));
    }
    RowLayout layout;
    for (const Column& column : table.columns) {
        const int index = H5Tget_member_index(type.get(), std::string(column.name).c_str());
        if (index < 0) {
            corrupt(fmt::format("table {} has no column {}", table.name, column.name));
        }
        const Handle member(H5Tget_member_type(type.get(), static_cast<unsigned>(index)),
                            "get the type of a column");
        const std::size_t bytes = checked_type(member, column, schema::kMaxCellBytes);
        layout.cells.push_back({&column, layout.bytes, bytes});
        layout.bytes += bytes;
    }
    const auto members =
        static_cast<std::size_t>(checked(H5Tget_nmembers(type.get()), "count columns"));
    if (members != layout.cells.size() && minor_ <= schema::kMinor) {
        corrupt(fmt::format("table {} has a column its version of the schema does not know",
                            table.name));
    }
    return layout;
}

Reader::OpenTable Reader::open_table(const Table& table) const {
    const std::string name(table.name);
    H5L_info_t link = {};
    // A soft or external link could lead anywhere, out of the file too.
    if (H5Lget_info(file_.get(), name.c_str(), &link, H5P_DEFAULT) < 0 ||
        link.type != H5L_TYPE_HARD) {
        corrupt(fmt::format("table {} is missing", name));
    }
    OpenTable open;
    open.table = &table;
    open.dataset = Handle(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT),
                          fmt::format("open the table {}", name));
    const Handle type(H5Dget_type(open.dataset.get()), "get the type of a table");
    open.layout = checked_layout(table, type);
    const Handle space(H5Dget_space(open.dataset.get()), "get a data space");
    if (H5Sget_simple_extent_ndims(space.get()) != 1) {
        corrupt(fmt::format("table {} is not one-dimensional", name));
    }
    checked(H5Sget_simple_extent_dims(space.get(), &open.rows, nullptr), "count rows");
    check_storage(open);
    return open;
}

/// Refuses storage that could cost more memory than the size of the file accounts for, read from
/// other files, or load filters into this process.
void Reader::check_storage(const OpenTable& open) {
    const std::string_view name = open.table->name;
    const Handle creation(H5Dget_create_plist(open.dataset.get()), "get the layout of a table");
    hsize_t chunk = 0;
    if (H5Pget_layout(creation.get()) != H5D_CHUNKED ||
        H5Pget_chunk(creation.get(), 1, &chunk) != 1) {
        corrupt(fmt::format("table {} is not stored in chunks", name));
    }
    for (int i = 0; i < H5Pget_nfilters(creation.get()); ++i) {
        std::size_t values = 0;
        const H5Z_filter_t filter = H5Pget_filter2(creation.get(), static_cast<unsigned>(i),
                                                   nullptr, &values, nullptr, 0, nullptr, nullptr);
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
            filter != H5Z_FILTER_FLETCHER32) {
            corrupt(fmt::format("table {} is stored with an unknown filter", name));
        }
    }
    const Handle type(H5Dget_type(open.dataset.get()), "get the type of a table");
    const hsize_t row_bytes = H5Tget_size(type.get());
    if (row_bytes > kMaxChunkBytes || chunk > kMaxChunkBytes / row_bytes) {
        corrupt(fmt::format("table {} has too large chunks", name));
    }
    if (open.rows > kMaxRows ||
        open.rows * row_bytes / kMaxCompression > H5Dget_storage_size(open.dataset.get())) {
        corrupt(fmt::format("table {} claims more rows than it holds", name));
    }
}

void Reader::read_rows(const OpenTable& open, const MutableRows& rows) {
    const RowLayout& layout = open.layout;
    const Handle type = row_type(layout);
    const Handle file_space(H5Dget_space(open.dataset.get()), "get a data space");
    const std::size_t rows_per_block = std::max<std::size_t>(kBlockBytes / layout.bytes, 1);
    std::vector<std::byte> block(rows_per_block * layout.bytes);
    for (std::size_t first = 0; first < rows.count; first += rows_per_block) {
        const hsize_t start = first;
        const hsize_t count = std::min(rows_per_block, rows.count - first);
        checked(
            H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr),
            "select rows");
        const Handle memory_space(H5Screate_simple(1, &count, nullptr), "make a data space");
        checked(H5Dread(open.dataset.get(), type.get(), memory_space.get(), file_space.get(),
                        H5P_DEFAULT, block.data()),
                fmt::format("read the table {}", open.table->name));
        for (std::size_t i = 0; i < count; ++i) {
            for (const Cell& cell : layout.cells) {
                decode(*cell.column, &block[i * layout.bytes + cell.offset], cell.bytes,
                       rows.row(first + i));
            }
        }
    }
}

void Reader::put_back_long_strings(profile::Profile& profile) const {
    const OpenTable open = open_table(schema::long_strings());
    std::vector<LongString> pieces(open.rows);
    read_rows(open, MutableRows{reinterpret_cast<std::byte*>(pieces.data()), sizeof(LongString),
                                pieces.size()});
    for (const LongString& piece : pieces) {
        std::string* target = nullptr;
        for (const Table& table : schema::tables()) {
            if (table.name != piece.table) {
                continue;
            }
            const std::size_t count = table.rows(profile).count;
            const MutableRows rows = table.resize(profile, count);
            for (const Column& column : table.columns) {
                if (column.name == piece.column && column.type == Type::kString &&
                    piece.row < count) {
                    target = static_cast<std::string*>(column.get_mutable(rows.row(piece.row)));
                }
            }
        }
        if (target == nullptr) {
            corrupt("table long_strings continues a text that does not exist");
        }
        *target += piece.text;
    }
}

/// HDF5 says little about why a file cannot be opened, and would wait at a pipe.
void check_readable(const std::string& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat facts = {};
    if (!file || ::fstat(file.get(), &facts) != 0) {
        const int os_error = errno;
        throw Failure{Error{os_error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kSystem,
                            os_error, std::generic_category().message(os_error)}};
    }
    if (!S_ISREG(facts.st_mode)) {
        raise(ErrorCode::kNotAProfile, "it is not a regular file");
    }
}

template <typename Read>
auto with_reader(const std::string& path, Read read)
    -> Result<decltype(read(std::declval<Reader&>()))> {
    const auto with_path = [&](Error error) {
        error.context = fmt::format("cannot read '{}': {}", path, error.context);
        return tl::unexpected<Error>(std::move(error));
    };
    try {
        silence();
        check_readable(path);
        Reader reader(path);
        return read(reader);
    } catch (const Failure& failure) {
        return with_path(failure.error);
    } catch (const std::bad_alloc&) {
        return with_path(Error{ErrorCode::kSystem, ENOMEM, "out of memory"});
    }
}

}  // namespace

Result<profile::Profile> read_profile(const std::string& path) {
    return with_reader(path, [](Reader& reader) { return reader.profile(); });
}

Result<profile::Session> read_session(const std::string& path) {
    return with_reader(path, [](Reader& reader) { return reader.overview().session; });
}

Result<Overview> read_overview(const std::string& path) {
    return with_reader(path, [](Reader& reader) { return reader.overview(); });
}

}  // namespace umbra::hdf5
