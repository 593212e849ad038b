// SPDX-License-Identifier: MIT
// What the error codes of runtime and profiler interface mean, and what to do about them.
#include "src/diagnostics/error_messages.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace umbra::diagnostics {
namespace {

struct Meaning {
    uint32_t code;
    std::string_view name;
    std::string_view sentence;
};

// What a user can do comes behind the colon or semicolon. Codes that only a faulty profiler gets
// to see say so: no user can help there.
constexpr std::string_view kOurFault = "an error of umbra's own; please report it";

constexpr std::array kMeanings = {
    Meaning{0x80131350, "CORPROF_E_FUNCTION_NOT_COMPILED",
            "the method has not been compiled yet: let it run once"},
    Meaning{0x80131351, "CORPROF_E_DATAINCOMPLETE",
            "the runtime has not loaded all of it yet: try again"},
    Meaning{0x80131354, "CORPROF_E_FUNCTION_NOT_IL",
            "the method has no IL (native code): choose another one"},
    Meaning{0x80131355, "CORPROF_E_NOT_MANAGED_THREAD", kOurFault},
    Meaning{0x80131356, "CORPROF_E_CALL_ONLY_FROM_INIT",
            "the runtime allows this at its start only: start the program under 'umbra run', or "
            "with the variables of 'umbra env'"},
    Meaning{0x8013135b, "CORPROF_E_NOT_YET_AVAILABLE",
            "the runtime is still starting: try again in a moment"},
    Meaning{0x8013135c, "CORPROF_E_TYPE_IS_PARAMETERIZED", kOurFault},
    Meaning{0x8013135d, "CORPROF_E_FUNCTION_IS_PARAMETERIZED", kOurFault},
    Meaning{0x8013135e, "CORPROF_E_STACKSNAPSHOT_INVALID_TGT_THREAD",
            "the thread has ended or is not managed: nothing to do"},
    Meaning{0x8013135f, "CORPROF_E_STACKSNAPSHOT_UNMANAGED_CTX", kOurFault},
    Meaning{0x80131360, "CORPROF_E_STACKSNAPSHOT_UNSAFE",
            "the thread's stack cannot be walked at this moment: nothing to do"},
    Meaning{0x80131361, "CORPROF_E_STACKSNAPSHOT_ABORTED", kOurFault},
    Meaning{0x80131362, "CORPROF_E_LITERALS_HAVE_NO_ADDRESS", kOurFault},
    Meaning{0x80131363, "CORPROF_E_UNSUPPORTED_CALL_SEQUENCE", kOurFault},
    Meaning{0x80131364, "CORPROF_E_ASYNCHRONOUS_UNSAFE", kOurFault},
    Meaning{0x80131365, "CORPROF_E_CLASSID_IS_ARRAY", kOurFault},
    Meaning{0x80131366, "CORPROF_E_CLASSID_IS_COMPOSITE", kOurFault},
    Meaning{0x80131367, "CORPROF_E_PROFILER_DETACHING",
            "the profiler before is still on its way out: try again in a few seconds"},
    Meaning{0x80131368, "CORPROF_E_PROFILER_NOT_ATTACHABLE",
            "the library is not a profiler that can be attached: name the agent of this umbra"},
    Meaning{0x80131369, "CORPROF_E_UNRECOGNIZED_PIPE_MSG_FORMAT",
            "the runtime does not understand the request: this version is not supported"},
    Meaning{0x8013136a, "CORPROF_E_PROFILER_ALREADY_ACTIVE",
            "a profiler is loaded already, and the runtime takes one only: end that one, or "
            "restart the program without it"},
    Meaning{0x8013136b, "CORPROF_E_PROFILEE_INCOMPATIBLE_WITH_TRIGGER",
            "the runtime is too old to attach to: start the program under 'umbra run'"},
    Meaning{0x8013136c, "CORPROF_E_IPC_FAILED", "the connection to the runtime broke: try again"},
    Meaning{0x8013136d, "CORPROF_E_PROFILEE_PROCESS_NOT_FOUND", "the process has ended"},
    Meaning{0x8013136e, "CORPROF_E_CALLBACK3_REQUIRED", kOurFault},
    Meaning{0x8013136f, "CORPROF_E_UNSUPPORTED_FOR_ATTACHING_PROFILER",
            "the runtime does not allow this to a profiler that came later: start the program "
            "under 'umbra run', or with the variables of 'umbra env'"},
    Meaning{0x80131370, "CORPROF_E_IRREVERSIBLE_INSTRUMENTATION_PRESENT",
            "the runtime lets no profiler go that has had exact timing: 'umbra stop' leaves it "
            "idle, at no cost"},
    Meaning{0x80131371, "CORPROF_E_RUNTIME_UNINITIALIZED",
            "the runtime is still starting, or already ending: try again in a moment"},
    Meaning{0x80131372, "CORPROF_E_IMMUTABLE_FLAGS_SET",
            "the runtime lets no profiler go that has asked for what can be set at the start only: "
            "'umbra stop' leaves it idle, at no cost"},
    Meaning{0x80131373, "CORPROF_E_PROFILER_NOT_YET_INITIALIZED",
            "the profiler is still being loaded: try again in a moment"},
    Meaning{0x80131374, "CORPROF_E_INCONSISTENT_WITH_FLAGS", kOurFault},
    Meaning{0x80131375, "CORPROF_E_PROFILER_CANCEL_ACTIVATION",
            "the agent did not want to be loaded: UMBRA_LOG in the environment of the program "
            "names a file in which it says why"},
    Meaning{0x80131376, "CORPROF_E_CONCURRENT_GC_NOT_PROFILABLE",
            "the runtime collects garbage concurrently, which this does not go with: set "
            "DOTNET_gcConcurrent=0 and restart the program"},
    Meaning{0x80131378, "CORPROF_E_DEBUGGING_DISABLED",
            "debugging is switched off in the program: unset DOTNET_EnableDiagnostics and restart "
            "it"},
    Meaning{0x80131379, "CORPROF_E_TIMEOUT_WAITING_FOR_CONCURRENT_GC",
            "a garbage collection took longer than the time-out: try again"},
    Meaning{0x8013137a, "CORPROF_E_MODULE_IS_DYNAMIC",
            "the method was made at run time (Reflection.Emit): choose another one"},
    Meaning{0x8013137b, "CORPROF_E_CALLBACK4_REQUIRED", kOurFault},
    Meaning{0x8013137c, "CORPROF_E_REJIT_NOT_ENABLED",
            "the profiler was loaded without the right to compile methods anew: start the program "
            "with the variables of 'umbra env'"},
    Meaning{0x8013137e, "CORPROF_E_FUNCTION_IS_COLLECTIBLE",
            "the method lies in an assembly that can be unloaded: choose another one"},
    Meaning{0x80131380, "CORPROF_E_CALLBACK6_REQUIRED", kOurFault},
    Meaning{0x80131382, "CORPROF_E_CALLBACK7_REQUIRED", kOurFault},
    Meaning{0x80131383, "CORPROF_E_REJIT_INLINING_DISABLED",
            "the runtime does not track inlined methods: unset DOTNET_ProfApi_RejitOnAttach and "
            "restart the program"},
    Meaning{0x80131384, "CORDIAGIPC_E_BAD_ENCODING",
            "the runtime does not understand the request: this version is not supported"},
    Meaning{0x80131385, "CORDIAGIPC_E_UNKNOWN_COMMAND",
            "the runtime does not know the command: it is too old, or not CoreCLR (Mono and "
            "NativeAOT take no profiler)"},
    Meaning{0x80131386, "CORDIAGIPC_E_UNKNOWN_MAGIC",
            "the runtime speaks another version of the diagnostics protocol: use an umbra that "
            "knows this runtime"},
    Meaning{0x80131387, "CORDIAGIPC_E_UNKNOWN_ERROR",
            "the runtime failed and does not say at what: try again"},
    Meaning{0x80131388, "CORPROF_E_SUSPENSION_IN_PROGRESS",
            "something else has stopped the runtime (a collection, a debugger): try again"},
    Meaning{0x80131389, "CORPROF_E_NOT_GC_OBJECT", kOurFault},
    Meaning{0x8013138a, "CORPROF_E_MODULE_IS_ENC",
            "the method lies in a module under edit and continue: restart the program without it"},
    Meaning{0x80131515, "COR_E_NOTSUPPORTED",
            "the runtime does not support this: it is too old, or was built without it"},
    Meaning{0x80004005, "E_FAIL",
            "the runtime or the agent failed and does not say at what: UMBRA_LOG in the "
            "environment of the program names a file in which the agent says more"},
    Meaning{0x80004001, "E_NOTIMPL",
            "the runtime does not support this: it is too old, or not CoreCLR"},
    Meaning{0x80070057, "E_INVALIDARG",
            "the runtime does not take these arguments: the agent and umbra may be of different "
            "versions"},
    Meaning{0x8007007a, "ERROR_INSUFFICIENT_BUFFER", "the request is too long for the runtime"},
    Meaning{0x8007007e, "ERROR_MOD_NOT_FOUND",
            "the program cannot load the agent's library: it must be readable for its user, on a "
            "file system that allows execution, and for the same C library (glibc or musl)"},
    Meaning{0x8007007f, "ERROR_PROC_NOT_FOUND",
            "the library is not a profiler of this umbra: name its agent, and restart a program "
            "that has loaded an older one"},
    Meaning{0x800700c1, "ERROR_BAD_EXE_FORMAT",
            "the agent's library is for another processor or C library than the program"},
    Meaning{0x8007000e, "E_OUTOFMEMORY", "the program has no memory left for the agent"},
    Meaning{0x80070005, "E_ACCESSDENIED",
            "the program may not read the agent's library: make it readable for its user"},
    Meaning{0x80040111, "CLASS_E_CLASSNOTAVAILABLE",
            "the library is no profiler of umbra's: name the agent of this umbra"},
    Meaning{0x80131022, "HOST_E_INVALIDOPERATION",
            "the runtime does not allow this in its present state: try again"},
};

}  // namespace

std::string sentence_of(int32_t hresult) {
    const auto code = static_cast<uint32_t>(hresult);
    const auto* const found =
        std::find_if(kMeanings.begin(), kMeanings.end(),
                     [code](const Meaning& meaning) { return meaning.code == code; });
    return found == kMeanings.end()
               ? fmt::format(
                     "the runtime answered with the error {:#010x}, of which umbra knows "
                     "nothing more",
                     code)
               : fmt::format("{} ({}, {:#010x})", found->sentence, found->name, code);
}

}  // namespace umbra::diagnostics
