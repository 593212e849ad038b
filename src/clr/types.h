// SPDX-License-Identifier: MIT
// Identifiers, plain structures, enumerations and error codes of the CLR profiling API
// (corprof.idl).
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/clr/com.h"

namespace umbra::clr {

using FunctionID = uintptr_t;
using ClassID = uintptr_t;
using ModuleID = uintptr_t;
using AssemblyID = uintptr_t;
using AppDomainID = uintptr_t;
using ThreadID = uintptr_t;
using ProcessID = uintptr_t;
using ContextID = uintptr_t;
using ObjectID = uintptr_t;
using GCHandleID = uintptr_t;
using ReJITID = uintptr_t;
using COR_PRF_FRAME_INFO = uintptr_t;
using COR_PRF_ELT_INFO = uintptr_t;
using ObjectHandleID = void**;
using EVENTPIPE_PROVIDER = uintptr_t;
using EVENTPIPE_EVENT = uintptr_t;
using EVENTPIPE_SESSION = uint64_t;

using mdToken = uint32_t;
using mdModule = mdToken;
using mdTypeRef = mdToken;
using mdTypeDef = mdToken;
using mdFieldDef = mdToken;
using mdMethodDef = mdToken;
using mdParamDef = mdToken;
using mdInterfaceImpl = mdToken;
using mdMemberRef = mdToken;
using mdCustomAttribute = mdToken;
using mdPermission = mdToken;
using mdSignature = mdToken;
using mdEvent = mdToken;
using mdProperty = mdToken;
using mdModuleRef = mdToken;
using mdTypeSpec = mdToken;
using mdString = mdToken;
using mdGenericParam = mdToken;
using mdMethodSpec = mdToken;
using mdGenericParamConstraint = mdToken;
using mdExportedType = mdToken;

union FunctionIDOrClientID {
    FunctionID functionID;
    uintptr_t clientID;
};

using FunctionEnter = void(FunctionID);
using FunctionLeave = void(FunctionID);
using FunctionTailcall = void(FunctionID);
using FunctionEnter2 = void(FunctionID, uintptr_t, COR_PRF_FRAME_INFO, void*);
using FunctionLeave2 = void(FunctionID, uintptr_t, COR_PRF_FRAME_INFO, void*);
using FunctionTailcall2 = void(FunctionID, uintptr_t, COR_PRF_FRAME_INFO);
/// Called with the private register contract of hotpath/stubs.S (arch/README.md), never from C++.
using FunctionEnter3 = void(FunctionIDOrClientID);
using FunctionLeave3 = void(FunctionIDOrClientID);
using FunctionTailcall3 = void(FunctionIDOrClientID);
using FunctionEnter3WithInfo = void(FunctionIDOrClientID, COR_PRF_ELT_INFO);
using FunctionLeave3WithInfo = void(FunctionIDOrClientID, COR_PRF_ELT_INFO);
using FunctionTailcall3WithInfo = void(FunctionIDOrClientID, COR_PRF_ELT_INFO);
using FunctionIDMapper = uintptr_t(FunctionID, int32_t* pbHookFunction);
using FunctionIDMapper2 = uintptr_t(FunctionID, void* clientData, int32_t* pbHookFunction);
using StackSnapshotCallback = HRESULT(FunctionID, uintptr_t ip, COR_PRF_FRAME_INFO,
                                      uint32_t contextSize, uint8_t* context, void* clientData);
using ObjectReferenceCallback = int32_t(ObjectID root, ObjectID* reference, void* clientData);
using ObjectCallback = int32_t(ObjectID, void* callbackState);

struct COR_PRF_FILTER_DATA {
    uint64_t Ptr;
    uint32_t Size;
    uint32_t Type;
};
using EventPipeProviderCallback = void(const uint8_t* source_id, uint32_t is_enabled, uint8_t level,
                                       uint64_t match_any_keywords, uint64_t match_all_keywords,
                                       COR_PRF_FILTER_DATA* filter_data, void* callback_data);

struct COR_IL_MAP {
    uint32_t oldOffset;
    uint32_t newOffset;
    int32_t fAccurate;
};
struct COR_DEBUG_IL_TO_NATIVE_MAP {
    uint32_t ilOffset;
    uint32_t nativeStartOffset;
    uint32_t nativeEndOffset;
};
struct COR_FIELD_OFFSET {
    mdFieldDef ridOfField;
    uint32_t ulOffset;
};
struct COR_PRF_FUNCTION_ARGUMENT_RANGE {
    uintptr_t startAddress;
    uint32_t length;
};
struct COR_PRF_FUNCTION_ARGUMENT_INFO {
    uint32_t numRanges;
    uint32_t totalArgumentSize;
    COR_PRF_FUNCTION_ARGUMENT_RANGE ranges[1];
};
struct COR_PRF_CODE_INFO {
    uintptr_t startAddress;
    size_t size;
};
struct COR_PRF_FUNCTION {
    FunctionID functionId;
    ReJITID reJitId;
};
struct COR_PRF_METHOD {
    ModuleID moduleId;
    mdMethodDef methodId;
};
struct COR_PRF_GC_GENERATION_RANGE {
    int32_t generation;
    ObjectID rangeStart;
    uintptr_t rangeLength;
    uintptr_t rangeLengthReserved;
};
struct COR_PRF_NONGC_HEAP_RANGE {
    ObjectID rangeStart;
    uintptr_t rangeLength;
    uintptr_t rangeLengthReserved;
};
struct COR_PRF_EX_CLAUSE_INFO {
    int32_t clauseType;
    uintptr_t programCounter;
    uintptr_t framePointer;
    uintptr_t shadowStackPointer;
};
struct COR_PRF_EVENTPIPE_PROVIDER_CONFIG {
    const char16_t* providerName;
    uint64_t keywords;
    uint32_t loggingLevel;
    const char16_t* filterData;
};
struct COR_PRF_EVENTPIPE_PARAM_DESC {
    uint32_t type;
    uint32_t elementType;
    const char16_t* name;
};
struct COR_PRF_EVENT_DATA {
    uint64_t ptr;
    uint32_t size;
    uint32_t reserved;
};

enum COR_PRF_JIT_CACHE : int32_t {
    COR_PRF_CACHED_FUNCTION_FOUND,
    COR_PRF_CACHED_FUNCTION_NOT_FOUND
};
enum COR_PRF_TRANSITION_REASON : int32_t { COR_PRF_TRANSITION_CALL, COR_PRF_TRANSITION_RETURN };
enum COR_PRF_SUSPEND_REASON : int32_t {
    COR_PRF_SUSPEND_OTHER = 0,
    COR_PRF_SUSPEND_FOR_GC = 1,
    COR_PRF_SUSPEND_FOR_SHUTDOWN = 4,
    COR_PRF_SUSPEND_FOR_GC_PREP = 7,
    COR_PRF_SUSPEND_FOR_REJIT = 8,
    COR_PRF_SUSPEND_FOR_PROFILER = 9,
};
enum COR_PRF_GC_REASON : int32_t { COR_PRF_GC_OTHER = 0, COR_PRF_GC_INDUCED = 1 };
// What umbra passes on and never looks at.
enum COR_PRF_GC_ROOT_KIND : int32_t;
enum COR_PRF_GC_ROOT_FLAGS : int32_t;
enum COR_PRF_STATIC_TYPE : int32_t;
enum COR_PRF_HANDLE_TYPE : int32_t;
enum COR_PRF_RUNTIME_TYPE : int32_t { COR_PRF_DESKTOP_CLR = 1, COR_PRF_CORE_CLR = 2 };
enum COR_PRF_MODULE_FLAGS : uint32_t {
    COR_PRF_MODULE_DISK = 0x01,
    COR_PRF_MODULE_NGEN = 0x02,
    COR_PRF_MODULE_DYNAMIC = 0x04,
    COR_PRF_MODULE_COLLECTIBLE = 0x08,
    COR_PRF_MODULE_RESOURCE = 0x10,
    COR_PRF_MODULE_FLAT_LAYOUT = 0x20,
};

/// Flags of RequestReJITWithInliners (corprof.idl).
enum COR_PRF_REJIT_FLAGS : uint32_t {
    COR_PRF_REJIT_BLOCK_INLINING = 0x1,
    COR_PRF_REJIT_INLINING_CALLBACKS = 0x2,
};

/// Element types of a signature blob (ECMA-335 II.23.1.16).
enum CorElementType : int32_t {
    ELEMENT_TYPE_END = 0x00,
    ELEMENT_TYPE_VOID = 0x01,
    ELEMENT_TYPE_BOOLEAN = 0x02,
    ELEMENT_TYPE_CHAR = 0x03,
    ELEMENT_TYPE_I1 = 0x04,
    ELEMENT_TYPE_U1 = 0x05,
    ELEMENT_TYPE_I2 = 0x06,
    ELEMENT_TYPE_U2 = 0x07,
    ELEMENT_TYPE_I4 = 0x08,
    ELEMENT_TYPE_U4 = 0x09,
    ELEMENT_TYPE_I8 = 0x0a,
    ELEMENT_TYPE_U8 = 0x0b,
    ELEMENT_TYPE_R4 = 0x0c,
    ELEMENT_TYPE_R8 = 0x0d,
    ELEMENT_TYPE_STRING = 0x0e,
    ELEMENT_TYPE_PTR = 0x0f,
    ELEMENT_TYPE_BYREF = 0x10,
    ELEMENT_TYPE_VALUETYPE = 0x11,
    ELEMENT_TYPE_CLASS = 0x12,
    ELEMENT_TYPE_VAR = 0x13,
    ELEMENT_TYPE_ARRAY = 0x14,
    ELEMENT_TYPE_GENERICINST = 0x15,
    ELEMENT_TYPE_TYPEDBYREF = 0x16,
    ELEMENT_TYPE_I = 0x18,
    ELEMENT_TYPE_U = 0x19,
    ELEMENT_TYPE_FNPTR = 0x1b,
    ELEMENT_TYPE_OBJECT = 0x1c,
    ELEMENT_TYPE_SZARRAY = 0x1d,
    ELEMENT_TYPE_MVAR = 0x1e,
    ELEMENT_TYPE_CMOD_REQD = 0x1f,
    ELEMENT_TYPE_CMOD_OPT = 0x20,
    ELEMENT_TYPE_MODIFIER = 0x40,
    ELEMENT_TYPE_SENTINEL = 0x41,
    ELEMENT_TYPE_PINNED = 0x45,
};

/// The event mask's low word (SetEventMask2).
enum EventMask : uint32_t {
    COR_PRF_MONITOR_NONE = 0,
    COR_PRF_MONITOR_FUNCTION_UNLOADS = 0x00000001,
    COR_PRF_MONITOR_CLASS_LOADS = 0x00000002,
    COR_PRF_MONITOR_MODULE_LOADS = 0x00000004,
    COR_PRF_MONITOR_ASSEMBLY_LOADS = 0x00000008,
    COR_PRF_MONITOR_JIT_COMPILATION = 0x00000020,
    COR_PRF_MONITOR_EXCEPTIONS = 0x00000040,
    COR_PRF_MONITOR_THREADS = 0x00000200,
    COR_PRF_MONITOR_ENTERLEAVE = 0x00001000,
    COR_PRF_MONITOR_SUSPENDS = 0x00010000,
    COR_PRF_MONITOR_CACHE_SEARCHES = 0x00020000,
    COR_PRF_ENABLE_REJIT = 0x00040000,
    COR_PRF_DISABLE_INLINING = 0x00200000,
    COR_PRF_ENABLE_STACK_SNAPSHOT = 0x10000000,
};
/// The event mask's high word.
enum HighEventMask : uint32_t {
    COR_PRF_HIGH_MONITOR_NONE = 0,
    COR_PRF_HIGH_DISABLE_TIERED_COMPILATION = 0x008,
    COR_PRF_HIGH_BASIC_GC = 0x010,
};

constexpr HRESULT corprof_error(uint32_t code) {
    return static_cast<HRESULT>(0x80130000U | code);
}
inline constexpr HRESULT kDataIncomplete = corprof_error(0x1351);
inline constexpr HRESULT kClassIdIsArray = corprof_error(0x1365);
inline constexpr HRESULT kCallOnlyFromInit = corprof_error(0x1356);
inline constexpr HRESULT kProfilerAlreadyActive = corprof_error(0x136a);
inline constexpr HRESULT kInconsistentWithFlags = corprof_error(0x1374);
/// What Initialize answers to be unloaded politely: the program runs on, nothing is printed.
inline constexpr HRESULT kProfilerCancelActivation = corprof_error(0x1375);
/// Of a dynamic assembly (Reflection.Emit) the runtime makes no new versions.
inline constexpr HRESULT kModuleIsDynamic = corprof_error(0x137a);
inline constexpr HRESULT kSuspensionInProgress = corprof_error(0x1388);

}  // namespace umbra::clr
