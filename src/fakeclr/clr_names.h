// SPDX-License-Identifier: MIT
// The names of the profiling API that fakeclr implements, spelled as corprof.idl spells them.
#pragma once

#include "src/clr/info.h"
#include "src/clr/metadata.h"

namespace umbra::fakeclr {

using clr::AssemblyID;
using clr::ClassID;
using clr::ComPtr;
using clr::COR_PRF_EX_CLAUSE_INFO;
using clr::COR_PRF_FRAME_INFO;
using clr::COR_PRF_RUNTIME_TYPE;
using clr::CorElementType;
using clr::failed;
using clr::FunctionEnter3;
using clr::FunctionEnter3WithInfo;
using clr::FunctionID;
using clr::FunctionIDMapper;
using clr::FunctionIDMapper2;
using clr::FunctionLeave3;
using clr::FunctionLeave3WithInfo;
using clr::FunctionTailcall3;
using clr::FunctionTailcall3WithInfo;
using clr::HRESULT;
using clr::IClassFactory;
using clr::ICorProfilerFunctionControl;
using clr::ICorProfilerFunctionEnum;
using clr::ICorProfilerInfo15;
using clr::ICorProfilerModuleEnum;
using clr::ICorProfilerThreadEnum;
using clr::IMetaDataImport;
using clr::IMetaDataImport2;
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
using clr::mdGenericParam;
using clr::mdMethodDef;
using clr::mdModule;
using clr::mdSignature;
using clr::mdToken;
using clr::mdTypeDef;
using clr::mdTypeRef;
using clr::ModuleID;
using clr::ObjectID;
using clr::ReJITID;
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
