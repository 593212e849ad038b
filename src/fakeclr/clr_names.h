// SPDX-License-Identifier: MIT
// The names of the profiling API that fakeclr implements, spelled as corprof.idl spells them.
#pragma once

#include "src/clr/info.h"
#include "src/clr/metadata.h"

namespace umbra::fakeclr {

using clr::AppDomainID;
using clr::AssemblyID;
using clr::ClassID;
using clr::ComPtr;
using clr::ContextID;
using clr::COR_DEBUG_IL_TO_NATIVE_MAP;
using clr::COR_FIELD_OFFSET;
using clr::COR_IL_MAP;
using clr::COR_PRF_CODE_INFO;
using clr::COR_PRF_ELT_INFO;
using clr::COR_PRF_EVENT_DATA;
using clr::COR_PRF_EVENTPIPE_PARAM_DESC;
using clr::COR_PRF_EVENTPIPE_PROVIDER_CONFIG;
using clr::COR_PRF_EX_CLAUSE_INFO;
using clr::COR_PRF_FRAME_INFO;
using clr::COR_PRF_FUNCTION_ARGUMENT_INFO;
using clr::COR_PRF_FUNCTION_ARGUMENT_RANGE;
using clr::COR_PRF_GC_GENERATION_RANGE;
using clr::COR_PRF_HANDLE_TYPE;
using clr::COR_PRF_NONGC_HEAP_RANGE;
using clr::COR_PRF_RUNTIME_TYPE;
using clr::COR_PRF_STATIC_TYPE;
using clr::CorElementType;
using clr::corprof_error;
using clr::EVENTPIPE_EVENT;
using clr::EVENTPIPE_PROVIDER;
using clr::EVENTPIPE_SESSION;
using clr::EventPipeProviderCallback;
using clr::failed;
using clr::FunctionEnter;
using clr::FunctionEnter2;
using clr::FunctionEnter3;
using clr::FunctionEnter3WithInfo;
using clr::FunctionID;
using clr::FunctionIDMapper;
using clr::FunctionIDMapper2;
using clr::FunctionLeave;
using clr::FunctionLeave2;
using clr::FunctionLeave3;
using clr::FunctionLeave3WithInfo;
using clr::FunctionTailcall;
using clr::FunctionTailcall2;
using clr::FunctionTailcall3;
using clr::FunctionTailcall3WithInfo;
using clr::Guid;
using clr::HRESULT;
using clr::IClassFactory;
using clr::ICorProfilerFunctionControl;
using clr::ICorProfilerFunctionEnum;
using clr::ICorProfilerInfo15;
using clr::ICorProfilerMethodEnum;
using clr::ICorProfilerModuleEnum;
using clr::ICorProfilerObjectEnum;
using clr::ICorProfilerThreadEnum;
using clr::IMetaDataImport;
using clr::IMetaDataImport2;
using clr::IMethodMalloc;
using clr::IUnknown;
using clr::kCallOnlyFromInit;
using clr::kFail;
using clr::kFalse;
using clr::kInconsistentWithFlags;
using clr::kInvalidArgument;
using clr::kNoInterface;
using clr::kNotImplemented;
using clr::kOk;
using clr::kPointer;
using clr::kProfilerCancelActivation;
using clr::mdCustomAttribute;
using clr::mdEvent;
using clr::mdFieldDef;
using clr::mdGenericParam;
using clr::mdGenericParamConstraint;
using clr::mdInterfaceImpl;
using clr::mdMemberRef;
using clr::mdMethodDef;
using clr::mdMethodSpec;
using clr::mdModule;
using clr::mdModuleRef;
using clr::mdParamDef;
using clr::mdPermission;
using clr::mdProperty;
using clr::mdSignature;
using clr::mdString;
using clr::mdToken;
using clr::mdTypeDef;
using clr::mdTypeRef;
using clr::mdTypeSpec;
using clr::ModuleID;
using clr::ObjectCallback;
using clr::ObjectHandleID;
using clr::ObjectID;
using clr::ObjectReferenceCallback;
using clr::ProcessID;
using clr::ReJITID;
using clr::StackSnapshotCallback;
using clr::succeeded;
using clr::ThreadID;

/// Answers where the caller asked for an answer.
template <typename T>
void put(T* out, const T& value) {
    if (out != nullptr) {
        *out = value;
    }
}

}  // namespace umbra::fakeclr
