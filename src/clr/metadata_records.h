// SPDX-License-Identifier: MIT
// What every source of metadata answers: the rows behind a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/clr/types.h"

namespace umbra::clr {

/// So much of a name in metadata is read, in characters of its encoding and with the zero behind
/// it; what follows of a longer one is cut off.
inline constexpr uint32_t kMaxNameChars = 1U << 16;
/// No more methods of one type or generic parameters of one owner are read.
inline constexpr size_t kMaxListed = 1U << 16;
/// Of a method's implementation flags (MethodImplAttributes); 0: its code is IL.
inline constexpr uint32_t kCodeTypeMask = 3;
/// Of a method's implementation flags: its code gives back what its task holds (`int` for a
/// Task<int>), and the runtime lets its frames go and makes them anew where it waits ("runtime
/// async").
inline constexpr uint32_t kAsyncCode = 0x2000;
/// Others of them: its calls stay calls; hold a lock; are inlined where that can be done; have code
/// in the runtime itself; are compiled without optimisation.
inline constexpr uint32_t kNoInlining = 0x8;
inline constexpr uint32_t kSynchronized = 0x20;
inline constexpr uint32_t kNoOptimization = 0x40;
inline constexpr uint32_t kAggressiveInlining = 0x100;
inline constexpr uint32_t kInternalCall = 0x1000;
/// Of a method's flags (MethodAttributes).
inline constexpr uint32_t kFinalMethod = 0x20;
inline constexpr uint32_t kVirtualMethod = 0x40;
inline constexpr uint32_t kSpecialName = 0x800;
/// Of a type's flags (TypeAttributes): no type extends it.
inline constexpr uint32_t kSealedType = 0x100;

struct MethodProperties {
    std::string name;  ///< ".ctor", "get_Total", "<Run>b__1"
    mdTypeDef type = 0;
    uint32_t implementation = 0;  ///< MethodImplAttributes
    /// Lies in the module's memory: valid as long as the module is loaded.
    std::span<const uint8_t> signature;
};

/// A method's row as it stands. Name and signature lie in the module's memory.
struct MethodRow {
    uint32_t code = 0;            ///< where its body lies, relative to the image; 0: it has none
    uint32_t implementation = 0;  ///< MethodImplAttributes
    uint32_t flags = 0;           ///< MethodAttributes
    mdTypeDef type = 0;
    std::string_view name;
    std::span<const uint8_t> signature;
};

/// What a MemberRef names, as it stands. Lies in the module's memory.
struct MemberReference {
    mdToken parent = 0;  ///< TypeDef, TypeRef, ModuleRef, MethodDef or TypeSpec
    std::string_view name;
    std::span<const uint8_t> signature;
};

struct TypeProperties {
    std::string namespace_;  ///< empty for nested types
    std::string name;        ///< "List`1"
    mdToken enclosing = 0;   ///< TypeDef or TypeRef; 0: not nested
};

struct ParameterProperties {
    mdParamDef token = 0;
    uint32_t number = 0;  ///< from 1; 0 is the return value
    bool in = false;      ///< CorParamAttr
    bool out = false;
    std::string name;  ///< empty: it has none
};

inline constexpr uint32_t kParamIn = 1;  // CorParamAttr
inline constexpr uint32_t kParamOut = 2;

struct EnumType {
    struct Constant {
        uint64_t value = 0;  ///< 64 bits as the runtime loads them: extended as the type is
        std::string name;
    };
    bool is_signed = true;  ///< the integer it is stored as
    bool is_flags = false;  ///< its constants are to be combined (FlagsAttribute)
    std::vector<Constant> constants;
};

/// A custom attribute of a method.
struct MethodAttribute {
    mdMethodDef method = 0;
    mdToken type = 0;  ///< TypeDef or TypeRef
    /// What its constructor was given; lies in the module's memory.
    std::span<const uint8_t> value;
};

struct GenericParameter {
    uint32_t number = 0;
    std::string name;
};

}  // namespace umbra::clr
