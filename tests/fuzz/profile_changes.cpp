// SPDX-License-Identifier: MIT
#include "tests/fuzz/profile_changes.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "export/hdf5/calls.h"
#include "export/hdf5/cells.h"
#include "export/schema.h"

namespace umbra::fuzz {
namespace {

using hdf5::checked;
using hdf5::Failure;
using hdf5::Handle;

enum Change : uint8_t {
    kCell,
    kRows,     // as many as it says, read or not
    kRebuild,  // other columns, other types, stored otherwise
    kLink,
    kAttribute,
    kVersion,
    kMoreCells,
    kChanges,
};

/// No table of the sound files has more; larger ones are left as they are.
constexpr hsize_t kMaxRows = 4096;
constexpr hsize_t kMaxWritten = 200;
constexpr size_t kMaxText = 300;

std::string table_name(uint32_t number) {
    const auto tables = schema::tables();
    number %= static_cast<uint32_t>(tables.size() + 1);
    return std::string(number < tables.size() ? tables[number].name : schema::long_strings().name);
}

std::string attribute_name(uint32_t number) {
    const auto session = schema::session_attributes();
    const auto derived = schema::derived_attributes();
    number %= static_cast<uint32_t>(session.size() + derived.size());
    return std::string(number < session.size() ? session[number].name
                                               : derived[number - session.size()].name);
}

/// A type of any kind that a column or an attribute may have.
Handle take_type(Input& in) {
    const auto copy = [](hid_t type) { return Handle(H5Tcopy(type), "copy a type"); };
    const uint32_t kind = in.below(16);
    const size_t bytes = in.number() % kMaxText + 1;
    switch (kind) {
        case 0:
            return copy(H5T_STD_I64LE);
        case 1:
            return copy(H5T_STD_I32LE);
        case 2:
            return copy(H5T_STD_U32LE);
        case 3:
            return copy(H5T_IEEE_F64LE);
        case 4:
            return copy(H5T_IEEE_F32BE);
        case 5:
            return copy(H5T_STD_I64BE);
        case 6:
            return hdf5::bool_type();
        case 7:
            return copy(H5T_STD_U8LE);
        case 8: {
            Handle type = copy(H5T_C_S1);
            checked(H5Tset_size(type.get(), bytes), "size a type");
            return type;
        }
        case 9: {
            Handle type = copy(H5T_C_S1);
            checked(H5Tset_size(type.get(), H5T_VARIABLE), "size a type");
            return type;
        }
        case 10:
            return {H5Tcreate(H5T_OPAQUE, bytes), "make a type"};
        case 11: {
            const hsize_t count = bytes;
            return {H5Tarray_create2(H5T_STD_I32LE, 1, &count), "make a type"};
        }
        case 12: {
            Handle type(H5Tcreate(H5T_COMPOUND, 8), "make a type");
            checked(H5Tinsert(type.get(), "x", 0, H5T_STD_I64LE), "make a type");
            return type;
        }
        default:
            return hdf5::string_type(bytes);
    }
}

/// Bytes of a value of `size`: a number or a text.
std::vector<char> take_value(Input& in, size_t size) {
    std::vector<char> value(size);
    if (in.flag()) {
        const std::string text = in.text();
        std::copy_n(text.begin(), std::min(size, text.size()), value.begin());
    } else {
        const uint64_t number = in.number();
        const auto* const bytes = reinterpret_cast<const char*>(&number);
        std::copy_n(bytes, std::min(size, sizeof number), value.begin());
    }
    return value;
}

/// A table with all its rows as they lie in the file's own types.
struct OpenTable {
    explicit OpenTable(const Handle& file, const std::string& table)
        : dataset(H5Dopen2(file.get(), table.c_str(), H5P_DEFAULT), "open"),
          type(H5Dget_type(dataset.get()), "type") {
        const Handle space(H5Dget_space(dataset.get()), "space");
        checked(H5Sget_simple_extent_dims(space.get(), &count, nullptr), "count");
        const bool table_of_numbers_and_texts = H5Tget_class(type.get()) == H5T_COMPOUND &&
                                                H5Tdetect_class(type.get(), H5T_VLEN) == 0 &&
                                                !has_variable_text();
        readable = table_of_numbers_and_texts && count <= kMaxRows;
        if (readable) {
            size = H5Tget_size(type.get());
            bytes.resize(size * count);
            checked(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
                    "read");
        }
    }

    [[nodiscard]] bool has_variable_text() const {
        for (int i = 0; i < H5Tget_nmembers(type.get()); ++i) {
            const Handle member(H5Tget_member_type(type.get(), static_cast<unsigned>(i)), "type");
            if (H5Tis_variable_str(member.get()) > 0) {
                return true;
            }
        }
        return false;
    }

    Handle dataset;
    Handle type;
    hsize_t count = 0;
    bool readable = false;
    size_t size = 0;  // of a row
    std::vector<char> bytes;
};

void change_cells(const Handle& file, Input& in, uint32_t changes) {
    OpenTable table(file, table_name(in.byte()));
    if (!table.readable || table.count == 0) {
        return;
    }
    const auto members = static_cast<uint32_t>(checked(H5Tget_nmembers(table.type.get()), "count"));
    for (; changes > 0; --changes) {
        const size_t row = in.number() % table.count;
        const unsigned column = in.byte() % members;
        const Handle type(H5Tget_member_type(table.type.get(), column), "type");
        const std::vector<char> value = take_value(in, H5Tget_size(type.get()));
        std::memcpy(&table.bytes[row * table.size + H5Tget_member_offset(table.type.get(), column)],
                    value.data(), value.size());
    }
    checked(H5Dwrite(table.dataset.get(), table.type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                     table.bytes.data()),
            "write");
}

void change_rows(const Handle& file, Input& in) {
    const Handle dataset(H5Dopen2(file.get(), table_name(in.byte()).c_str(), H5P_DEFAULT), "open");
    const hsize_t count = in.number();
    const Handle space(H5Dget_space(dataset.get()), "extent");
    hsize_t before = 0;
    checked(H5Sget_simple_extent_dims(space.get(), &before, nullptr), "extent");
    // The library looks at every chunk that it takes away, there or not.
    constexpr hsize_t kMostTaken = 1U << 20;
    if (before <= count || before - count <= kMostTaken) {
        checked(H5Dset_extent(dataset.get(), &count), "resize");
    }
}

struct Member {
    std::string name;
    Handle type;
    size_t from = SIZE_MAX;  // where it lies in the rows of the table before; SIZE_MAX: nowhere
};

std::vector<Member> members_of(const Handle& type) {
    std::vector<Member> members;
    for (unsigned i = 0; i < static_cast<unsigned>(H5Tget_nmembers(type.get())); ++i) {
        char* name = H5Tget_member_name(type.get(), i);
        members.push_back({name, Handle(H5Tget_member_type(type.get(), i), "type"),
                           H5Tget_member_offset(type.get(), i)});
        H5free_memory(name);
    }
    return members;
}

void edit(std::vector<Member>& members, Input& in) {
    for (uint32_t edits = in.below(4); edits > 0 && !members.empty(); --edits) {
        const uint32_t kind = in.below(5);
        Member& member = members[in.byte() % members.size()];
        switch (kind) {
            case 0:
                members.erase(members.begin() + (&member - members.data()));
                break;
            case 1:
                member.type = take_type(in);
                member.from = SIZE_MAX;
                break;
            case 2:
                member.name = in.text();
                break;
            case 3:
                std::swap(member, members[in.byte() % members.size()]);
                break;
            default:
                members.push_back({in.text(), take_type(in)});
        }
    }
}

Handle take_storage(Input& in) {
    Handle creation(H5Pcreate(H5P_DATASET_CREATE), "create");
    const uint32_t kind = in.below(8);
    const hsize_t chunk = in.number() % (hsize_t{1} << 33U) + 1;
    const uint32_t filters = in.byte();
    if (kind == 0) {
        checked(H5Pset_layout(creation.get(), H5D_CONTIGUOUS), "layout");
    } else if (kind == 1) {
        checked(H5Pset_layout(creation.get(), H5D_COMPACT), "layout");
    } else if (kind == 2) {
        checked(H5Pset_external(creation.get(), "/dev/null", 0, H5F_UNLIMITED), "external");
    } else {
        checked(H5Pset_chunk(creation.get(), 1, &chunk), "chunk");
        checked(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER), "fill");
    }
    if ((filters & 1U) != 0) {
        checked(H5Pset_shuffle(creation.get()), "filter");
    }
    if ((filters & 2U) != 0) {
        checked(H5Pset_deflate(creation.get(), 1), "filter");
    }
    if ((filters & 4U) != 0) {
        checked(H5Pset_fletcher32(creation.get()), "filter");
    }
    if ((filters & 8U) != 0) {
        checked(H5Pset_nbit(creation.get()), "filter");
    }
    return creation;
}

void rebuild(const Handle& file, Input& in) {
    const std::string name = table_name(in.byte());
    const OpenTable old(file, name);
    std::vector<Member> members = members_of(old.type);
    edit(members, in);
    const size_t padding = in.flag() ? in.byte() : 0;
    size_t size = padding;
    for (const Member& member : members) {
        size += H5Tget_size(member.type.get());
    }
    const Handle type(H5Tcreate(H5T_COMPOUND, std::max<size_t>(size, 1)), "type");
    std::vector<size_t> offsets;
    size_t offset = 0;
    for (const Member& member : members) {
        checked(H5Tinsert(type.get(), member.name.c_str(), offset, member.type.get()), "insert");
        offsets.push_back(offset);
        offset += H5Tget_size(member.type.get());
    }
    const Handle creation = take_storage(in);
    const hsize_t counts[2] = {in.flag() ? in.number() : old.count, 1};
    const hsize_t unlimited = H5S_UNLIMITED;
    const bool chunked = H5Pget_layout(creation.get()) == H5D_CHUNKED;
    const int dimensions = in.below(16) == 0 ? 2 : 1;
    const Handle space(
        H5Screate_simple(dimensions, counts, chunked && dimensions == 1 ? &unlimited : nullptr),
        "space");
    checked(H5Ldelete(file.get(), name.c_str(), H5P_DEFAULT), "delete");
    const Handle dataset(H5Dcreate2(file.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                    creation.get(), H5P_DEFAULT),
                         "create");
    hsize_t chunk = 0;
    if (counts[0] > kMaxWritten || dimensions != 1 || !old.readable ||
        (chunked && H5Pget_chunk(creation.get(), 1, &chunk) == 1 && chunk > kMaxRows)) {
        return;  // rows that are claimed only
    }
    std::vector<char> rows(size * counts[0]);
    for (size_t row = 0; row < std::min(counts[0], old.count); ++row) {
        for (size_t i = 0; i < members.size(); ++i) {
            if (members[i].from != SIZE_MAX) {
                std::memcpy(&rows[row * size + offsets[i]],
                            &old.bytes[row * old.size + members[i].from],
                            H5Tget_size(members[i].type.get()));
            }
        }
    }
    checked(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()),
            "write");
}

void change_link(const Handle& file, Input& in) {
    const std::string name = table_name(in.byte());
    checked(H5Ldelete(file.get(), name.c_str(), H5P_DEFAULT), "delete");
    switch (in.below(5)) {
        case 0:
            break;
        case 1:
            checked(
                H5Lcreate_soft("/functions", file.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                "link");
            break;
        case 2:
            checked(H5Lcreate_external("/dev/null", "/functions", file.get(), name.c_str(),
                                       H5P_DEFAULT, H5P_DEFAULT),
                    "link");
            break;
        case 3:
            checked(H5Lcreate_hard(file.get(), table_name(in.byte()).c_str(), file.get(),
                                   name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                    "link");
            break;
        default:
            Handle(H5Gcreate2(file.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                   "group");
    }
}

void put_attribute(const Handle& file, const std::string& name, const Handle& type,
                   const Handle& space, const void* value) {
    if (H5Aexists(file.get(), name.c_str()) > 0) {
        checked(H5Adelete(file.get(), name.c_str()), "delete");
    }
    const Handle attribute(
        H5Acreate2(file.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
        "create");
    if (value != nullptr) {
        checked(H5Awrite(attribute.get(), type.get(), value), "write");
    }
}

void change_attribute(const Handle& file, Input& in) {
    const std::string name = attribute_name(in.byte());
    switch (in.below(4)) {
        case 0:
            checked(H5Adelete(file.get(), name.c_str()), "delete");
            return;
        case 1: {  // another value
            const Handle attribute(H5Aopen(file.get(), name.c_str(), H5P_DEFAULT), "open");
            const Handle type(H5Aget_type(attribute.get()), "type");
            if (H5Tis_variable_str(type.get()) == 0) {
                // An earlier change may have made it more than one.
                const Handle space(H5Aget_space(attribute.get()), "space");
                const auto values = static_cast<size_t>(
                    std::max<hssize_t>(H5Sget_simple_extent_npoints(space.get()), 0));
                const std::vector<char> value = take_value(in, values * H5Tget_size(type.get()));
                checked(H5Awrite(attribute.get(), type.get(), value.data()), "write");
            }
            return;
        }
        case 2: {  // another length
            const std::string text = in.text();
            const Handle type = hdf5::string_type(std::max<size_t>(text.size(), 1));
            put_attribute(file, name, type, Handle(H5Screate(H5S_SCALAR), "space"), text.c_str());
            return;
        }
        default:
            break;
    }
    const Handle type = take_type(in);
    const hsize_t count = in.below(4);
    const Handle space(
        count == 0 ? H5Screate(H5S_NULL)
                   : (count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr)),
        "space");
    if (count == 0 || H5Tis_variable_str(type.get()) > 0) {
        put_attribute(file, name, type, space, nullptr);
        return;
    }
    put_attribute(file, name, type, space, take_value(in, H5Tget_size(type.get()) * count).data());
}

void change_version(const Handle& file, Input& in) {
    const std::string version = in.flag() ? in.text()
                                          : std::to_string(schema::kMajor) + "." +
                                                std::to_string(in.below(schema::kMinor + 3)) + ".0";
    const Handle type = hdf5::string_type(std::max<size_t>(version.size(), 1));
    put_attribute(file, "schema_version", type, Handle(H5Screate(H5S_SCALAR), "space"),
                  version.c_str());
}

void change(const Handle& file, Input& in) {
    switch (static_cast<Change>(in.below(kChanges))) {
        case kCell:
            return change_cells(file, in, 1);
        case kMoreCells:
            return change_cells(file, in, in.below(8) + 1);
        case kRows:
            return change_rows(file, in);
        case kRebuild:
            return rebuild(file, in);
        case kLink:
            return change_link(file, in);
        case kAttribute:
            return change_attribute(file, in);
        case kVersion:
        case kChanges:
            return change_version(file, in);
    }
}

}  // namespace

void change_profile(const std::string& path, Input& in) {
    hdf5::silence();
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), "access");
    checked(H5Pset_file_locking(access.get(), false, true), "locking");
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), "open");
    // A dozen changes are as good as a hundred, and take less time.
    for (int left = 12; left > 0 && !in.empty(); --left) {
        try {
            change(file, in);
        } catch (const Failure&) {
            continue;
        }
    }
}

std::vector<std::string> sample_changes() {
    std::vector<std::string> made;
    for (uint32_t table = 0; table <= schema::tables().size(); ++table) {
        made.push_back(
            Output().byte(kCell).byte(table).number(1).byte(table % 4).byte(0).number(3).bytes());
        made.push_back(
            Output().byte(kCell).byte(table).number(0).byte(0).byte(1).text("x").bytes());
        made.push_back(Output().byte(kRows).byte(table).number(table == 0 ? 1U << 30U : 2).bytes());
        Output rebuilt;
        rebuilt.byte(kRebuild).byte(table).byte(1).byte(table % 5).byte(0).byte(1).number(9);
        made.push_back(rebuilt.byte(0).byte(3).number(4).byte(table).byte(0).byte(1).bytes());
    }
    for (uint32_t kind = 0; kind < 5; ++kind) {
        made.push_back(Output().byte(kLink).byte(kind).byte(kind).byte(1).bytes());
    }
    for (uint32_t number = 0; number < 12; ++number) {
        made.push_back(
            Output().byte(kAttribute).byte(number * 5).byte(1).byte(0).number(1).bytes());
        made.push_back(
            Output().byte(kAttribute).byte(number * 5).byte(number % 4).text("a text").bytes());
    }
    for (uint32_t minor = 0; minor < 3; ++minor) {
        made.push_back(Output().byte(kVersion).byte(0).byte(minor).bytes());
    }
    made.push_back(Output().byte(kVersion).byte(1).text("3.0.0").bytes());
    return made;
}

}  // namespace umbra::fuzz
