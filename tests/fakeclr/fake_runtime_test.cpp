// SPDX-License-Identifier: MIT
// Loading, masks, the mapper's contract and the order of callbacks, seen from a profiler.
#include "src/fakeclr/fake_runtime.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "src/fakeclr/fake_emit.h"
#include "src/fakeclr/script.h"
#include "tests/fakeclr/fixture.h"

namespace umbra::fakeclr {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr uint32_t kEnterLeave = clr::COR_PRF_MONITOR_ENTERLEAVE;
constexpr uint32_t kJit = clr::COR_PRF_MONITOR_JIT_COMPILATION;

// ---- loading --------------------------------------------------------------------------------

TEST(LoadProfiler, AsksForTheInterfacesInTheOrderOfTheRuntime) {
    Host host({.events_low = kEnterLeave});
    ASSERT_TRUE(host.loaded.has_value()) << host.loaded.error().context;
    EXPECT_TRUE(*host.loaded);
    // The first 2 is CreateInstance; 4 and 11 are kept in use, hence asked for twice.
    EXPECT_THAT(host.take_log(),
                ElementsAre("QueryInterface 2", "QueryInterface 2", "QueryInterface 11",
                            "QueryInterface 11", "LoadAsNotificationOnly", "QueryInterface 10",
                            "QueryInterface 9", "QueryInterface 8", "QueryInterface 7",
                            "QueryInterface 6", "QueryInterface 5", "QueryInterface 4",
                            "QueryInterface 4", "QueryInterface 3", "Initialize"));
}

TEST(LoadProfiler, AProfilerThatCancelsIsUnloadedWithoutAnError) {
    Host host({.initialize_answer = clr::kProfilerCancelActivation});
    ASSERT_TRUE(host.loaded.has_value());
    EXPECT_FALSE(*host.loaded);
    EXPECT_EQ(test_profiler_symbol<LiveInstances>("test_profiler_live")(), 0);
    FakeMethod& total = host.method("Total");
    EXPECT_FALSE(host.runtime.compile(total).hooked);
}

TEST(LoadProfiler, AFailingInitializeIsReported) {
    Host host({.initialize_answer = clr::kFail});
    ASSERT_FALSE(host.loaded.has_value());
    EXPECT_THAT(host.loaded.error().context, HasSubstr("0x80004005"));
    EXPECT_EQ(test_profiler_symbol<LiveInstances>("test_profiler_live")(), 0);
}

TEST(LoadProfiler, AMissingLibraryIsReported) {
    FakeRuntime runtime;
    const auto loaded = runtime.load_profiler("/nowhere/libprofiler.so");
    ASSERT_FALSE(loaded.has_value());
    EXPECT_THAT(loaded.error().context, HasSubstr("/nowhere/libprofiler.so"));
}

TEST(LoadProfiler, TheProfilerIsReleasedWithItsRuntime) {
    { const Host host({.events_low = kEnterLeave}); }
    EXPECT_EQ(test_profiler_symbol<LiveInstances>("test_profiler_live")(), 0);
}

TEST(LoadProfiler, TheEnvironmentDecidesAsForTheRuntime) {
    test_profiler_symbol<SetSettings>("test_profiler_set")({.events_low = kEnterLeave});
    const auto load = [] { return FakeRuntime().load_profiler_from_environment(); };
    unsetenv("CORECLR_ENABLE_PROFILING");
    setenv("CORECLR_PROFILER_PATH", kTestProfilerPath.c_str(), 1);
    setenv("CORECLR_PROFILER", "{01234567-89ab-cdef-0123-456789abcdef}", 1);
    EXPECT_FALSE(load().value());
    setenv("CORECLR_ENABLE_PROFILING", "1", 1);
    EXPECT_TRUE(load().value());
    setenv("CORECLR_PROFILER", "01234567", 1);
    EXPECT_FALSE(load().has_value());
    setenv("CORECLR_ENABLE_PROFILING", "0", 1);
    EXPECT_FALSE(load().value());
}

// ---- what may be switched when ----------------------------------------------------------------

TEST(FakeInfo, HooksAreForInitializeOnly) {
    Host host({.events_low = kEnterLeave});
    auto* hook = reinterpret_cast<clr::FunctionEnter3*>(umbra_fakeclr_no_hook);
    EXPECT_EQ(host.profiler->info().SetEnterLeaveFunctionHooks3(hook, hook, hook),
              clr::kCallOnlyFromInit);
    EXPECT_EQ(host.profiler->info().SetEnterLeaveFunctionHooks3(nullptr, nullptr, nullptr),
              clr::kInvalidArgument);
}

TEST(FakeInfo, HooksFirstAndThenAMaskWithoutEnterLeaveIsRefused) {
    clr::HRESULT hooks_first = clr::kOk;
    clr::HRESULT with_enterleave = clr::kFail;
    clr::HRESULT mask_first = clr::kFail;
    Host host({.install_hooks = false, .in_initialize = [&](clr::ICorProfilerInfo15& info) {
                   auto* hook = reinterpret_cast<clr::FunctionEnter3*>(umbra_fakeclr_no_hook);
                   mask_first = info.SetEventMask2(kJit, 0);
                   info.SetEnterLeaveFunctionHooks3(hook, nullptr, nullptr);
                   hooks_first = info.SetEventMask2(kJit, 0);
                   with_enterleave = info.SetEventMask2(kJit | kEnterLeave, 0);
               }});
    EXPECT_EQ(mask_first, clr::kOk);
    EXPECT_EQ(hooks_first, clr::kInconsistentWithFlags);
    EXPECT_EQ(with_enterleave, clr::kOk);
    // Later it may come and go: that is how selective instrumentation works.
    EXPECT_EQ(host.profiler->info().SetEventMask2(kJit, 0), clr::kOk);
}

TEST(FakeInfo, FastHooksDoNotGoWithSlowFlags) {
    constexpr uint32_t kFunctionArgs = 0x02000000;
    clr::HRESULT answer = clr::kOk;
    Host host({.install_hooks = false, .in_initialize = [&](clr::ICorProfilerInfo15& info) {
                   auto* hook = reinterpret_cast<clr::FunctionEnter3*>(umbra_fakeclr_no_hook);
                   info.SetEventMask2(kEnterLeave | kFunctionArgs, 0);
                   answer = info.SetEnterLeaveFunctionHooks3(hook, hook, hook);
               }});
    EXPECT_EQ(answer, clr::kInconsistentWithFlags);
}

TEST(FakeInfo, ImmutableFlagsStayAsInitializeLeftThem) {
    Host host({.events_low = kEnterLeave | clr::COR_PRF_DISABLE_INLINING});
    clr::ICorProfilerInfo15& info = host.profiler->info();
    EXPECT_EQ(info.SetEventMask2(kEnterLeave, 0), clr::kFail);
    EXPECT_EQ(info.SetEventMask2(kEnterLeave | clr::COR_PRF_DISABLE_INLINING,
                                 clr::COR_PRF_HIGH_DISABLE_TIERED_COMPILATION),
              clr::kFail);
    EXPECT_EQ(info.SetEventMask2(kJit | clr::COR_PRF_DISABLE_INLINING, clr::COR_PRF_HIGH_BASIC_GC),
              clr::kOk);
    uint32_t low = 0;
    uint32_t high = 0;
    EXPECT_EQ(info.GetEventMask2(&low, &high), clr::kOk);
    EXPECT_EQ(low, kJit | clr::COR_PRF_DISABLE_INLINING);
    EXPECT_EQ(high, clr::COR_PRF_HIGH_BASIC_GC);
}

TEST(FakeInfo, DetachIsRefusedOnceHooksWereSet) {
    Host host({.events_low = kEnterLeave});
    EXPECT_EQ(host.profiler->info().RequestProfilerDetach(1000), clr::corprof_error(0x1370));
}

// ---- compilation ------------------------------------------------------------------------------

TEST(Compile, AsksTheMapperBetweenStartedAndFinished) {
    Host host({.events_low = kEverything});
    FakeMethod& total = host.method("Total");
    host.take_log();
    EXPECT_TRUE(host.runtime.compile(total).hooked);
    EXPECT_THAT(host.take_log(), ElementsAre("JITCompilationStarted Total", "Mapper Total",
                                             "JITCompilationFinished Total"));
}

TEST(Compile, AsksTheMapperOnceForEachCompilation) {
    Host host({.events_low = kEnterLeave});
    FakeMethod& total = host.method("Total");
    host.take_log();
    host.runtime.body(total);
    host.runtime.body(total);
    EXPECT_THAT(host.take_log(), ElementsAre("Mapper Total"));
    host.runtime.compile(total);
    EXPECT_THAT(host.take_log(), ElementsAre("Mapper Total"));
}

TEST(Compile, DoesNotAskTheMapperWhenEnterLeaveIsOff) {
    Host host({.events_low = kJit});
    FakeMethod& total = host.method("Total");
    host.take_log();
    const CompiledBody& body = host.runtime.compile(total);
    EXPECT_FALSE(body.hooked);
    EXPECT_FALSE(body.mapper_asked);
    EXPECT_THAT(host.take_log(), Not(Contains("Mapper Total")));
}

TEST(Compile, TheMaskIsReadAfterStarted) {
    Host host({.events_low = kJit, .compiling = [](clr::ICorProfilerInfo15& info, bool started) {
                   info.SetEventMask2(started ? kJit | kEnterLeave : kJit, 0);
               }});
    FakeMethod& total = host.method("Total");
    EXPECT_TRUE(host.runtime.compile(total).hooked);
}

TEST(Compile, ARefusedMethodHasNoHooks) {
    Host host({.events_low = kEnterLeave, .hook = [](FunctionID) { return false; }});
    FakeMethod& total = host.method("Total");
    const CompiledBody& body = host.runtime.compile(total);
    EXPECT_TRUE(body.mapper_asked);
    EXPECT_FALSE(body.hooked);
}

TEST(Compile, PrecompiledCodeIsUsedUnlessTheProfilerSaysNo) {
    FunctionID refused = 0;
    Host host({.events_low = kJit | clr::COR_PRF_MONITOR_CACHE_SEARCHES,
               .use_cached = [&](FunctionID id) { return id != refused; }});
    FakeMethod& kept = host.method("Kept", true);
    FakeMethod& jitted = host.method("Jitted", true);
    refused = jitted.id;
    host.runtime.load_module(host.shop);
    host.take_log();
    EXPECT_TRUE(host.runtime.compile(kept).precompiled);
    EXPECT_FALSE(host.runtime.compile(jitted).precompiled);
    EXPECT_THAT(
        host.take_log(),
        ElementsAre("JITCachedFunctionSearchStarted Kept", "JITCachedFunctionSearchFinished Kept",
                    "JITCachedFunctionSearchStarted Jitted", "JITCompilationStarted Jitted",
                    "JITCompilationFinished Jitted"));
}

TEST(Compile, AnImageLoadedUnderEnterLeaveHasNoPrecompiledCode) {
    Host host({.events_low = kEverything});
    FakeMethod& total = host.method("Total", true);
    host.runtime.load_module(host.shop);
    host.take_log();
    EXPECT_FALSE(host.runtime.compile(total).precompiled);
    EXPECT_THAT(host.take_log(), Not(Contains("JITCachedFunctionSearchStarted Total")));
}

TEST(Compile, ReJitHappensAtTheNextCallAndRevertRestoresTheOldCode) {
    Host host({.events_low = kJit | clr::COR_PRF_ENABLE_REJIT});
    FakeMethod& total = host.method("Total");
    host.runtime.body(total);
    host.take_log();
    clr::ModuleID module = host.shop.id();
    clr::mdMethodDef token = total.token;
    clr::ICorProfilerInfo15& info = host.profiler->info();
    ASSERT_EQ(info.RequestReJIT(1, &module, &token), clr::kOk);
    EXPECT_THAT(host.take_log(), IsEmpty());
    info.SetEventMask2(kJit | clr::COR_PRF_ENABLE_REJIT | kEnterLeave, 0);
    EXPECT_TRUE(host.runtime.body(total).hooked);
    EXPECT_THAT(host.take_log(), ElementsAre("GetReJITParameters", "ReJITCompilationStarted Total",
                                             "Mapper Total", "ReJITCompilationFinished Total"));
    clr::HRESULT status = clr::kFail;
    ASSERT_EQ(info.RequestRevert(1, &module, &token, &status), clr::kOk);
    EXPECT_EQ(status, clr::kOk);
    EXPECT_FALSE(host.runtime.body(total).hooked);
}

TEST(Compile, ARequestedVersionOfWhatWasNeverCalledGoesWithItsRevert) {
    Host host({.events_low = kJit | clr::COR_PRF_ENABLE_REJIT | kEnterLeave});
    FakeMethod& total = host.method("Total");
    clr::ModuleID module = host.shop.id();
    clr::mdMethodDef token = total.token;
    clr::ICorProfilerInfo15& info = host.profiler->info();
    ASSERT_EQ(info.RequestReJIT(1, &module, &token), clr::kOk);
    EXPECT_TRUE(host.runtime.body(total).hooked);
    info.SetEventMask2(kJit | clr::COR_PRF_ENABLE_REJIT, 0);
    ASSERT_EQ(info.RequestRevert(1, &module, &token, nullptr), clr::kOk);
    EXPECT_FALSE(host.runtime.body(total).hooked) << "compiled anew, as it first was not";
}

std::vector<std::string> g_told;
void told(uint64_t number, uint64_t frame) {
    g_told.push_back(std::to_string(number) + (frame % 8 == 0 ? "" : " off"));
}

/// ldc.i8 number; ldloca.s 0; ldc.i8 told; calli token
Blob probe(uint8_t number, uint8_t signature) {
    Blob code{0x21, number, 0, 0, 0, 0, 0, 0, 0, 0x12, 0, 0x21};
    const auto address = reinterpret_cast<uintptr_t>(&told);
    for (int shift = 0; shift < 64; shift += 8) {
        code.push_back(static_cast<uint8_t>(address >> shift));
    }
    code.insert(code.end(), {0x29, signature, 0, 0, 0x11});
    return code;
}

TEST(Compile, CodeThatTheProfilerGivesIsRun) {
    Blob body{0x03, 0x30, 8, 0, 51, 0, 0, 0, 1, 0, 0, 0x11};  // fat header, 51 bytes of code
    for (const Blob& part : {probe(1, 1), Blob{0x01}, probe(2, 1), Blob{0x2a}}) {
        body.insert(body.end(), part.begin(), part.end());
    }
    body[4] = static_cast<uint8_t>(body.size() - 12);
    bool runs = true;
    Host host({.events_low = kJit | clr::COR_PRF_ENABLE_REJIT,
               .rejit = [&](clr::ICorProfilerFunctionControl& control) {
                   const Blob given = runs ? body : Blob{0x0e, 0x02, 0x01, 0x2a};  // ldarg.0
                   control.SetILFunctionBody(static_cast<uint32_t>(given.size()), given.data());
               }});
    FakeMethod& total = host.method("Total");
    FakeMethod& inner = host.method("Inner");
    const Blob two_numbers{0x00, 0x02, clr::ELEMENT_TYPE_VOID, clr::ELEMENT_TYPE_U8,
                           clr::ELEMENT_TYPE_I};
    clr::mdSignature signature = 0;
    host.shop.emit->GetTokenFromSig(two_numbers.data(), 5, &signature);
    clr::ModuleID module = host.shop.id();
    clr::mdMethodDef token = total.token;
    clr::ICorProfilerInfo15& info = host.profiler->info();
    ASSERT_EQ(info.RequestReJITWithInliners(1, 1, &module, &token), clr::kOk);
    Player player(host.runtime);
    player.call(total, [&](Player& p) {
        EXPECT_THAT(g_told, ElementsAre("1"));
        p.call(inner);
    });
    EXPECT_THAT(g_told, ElementsAre("1", "2"));
    EXPECT_THAT(player.calls_by_path(), ElementsAre(testing::Pair("Shop.Cart.Total", 1)));
    runs = false;
    ASSERT_EQ(info.RequestReJITWithInliners(1, 1, &module, &token), clr::kOk);
    player.call(total);
    EXPECT_EQ(g_told.size(), 2U) << "it has its own code again";
    EXPECT_THAT(host.take_log(), Contains("ReJITError Total"));
}

TEST(Compile, ReJitNeedsItsFlag) {
    Host host({.events_low = kJit});
    clr::ModuleID module = host.shop.id();
    clr::mdMethodDef token = host.method("Total").token;
    EXPECT_EQ(host.profiler->info().RequestReJIT(1, &module, &token), clr::corprof_error(0x137c));
}

// ---- modules, threads, collections ------------------------------------------------------------

TEST(Modules, LoadAndUnloadInOrderAndTheIdsDie) {
    Host host({.events_low = kEverything});
    FakeMethod& total = host.method("Total");
    host.take_log();
    host.runtime.load_module(host.shop);
    EXPECT_THAT(host.take_log(),
                ElementsAre("ModuleLoadStarted", "ModuleLoadFinished", "ModuleAttachedToAssembly"));
    host.runtime.compile(total);
    host.take_log();
    host.runtime.unload_module(host.shop);
    EXPECT_THAT(host.take_log(), ElementsAre("FunctionUnloadStarted Total", "ModuleUnloadStarted",
                                             "ModuleUnloadFinished"));
    EXPECT_EQ(host.runtime.model().method(total.id), nullptr);
    FakeModule& again = host.runtime.model().add_module({.path = "/app/Again.dll"});
    FakeType& type = host.runtime.model().add_type(again, {.name = "Again"});
    FakeMethod& heir =
        host.runtime.model().add_method(type, {.name = "Heir", .reuse_id = total.id});
    EXPECT_EQ(host.runtime.model().method(total.id), &heir);
}

TEST(Threads, TheNameComesFirstAndOnTheNamingThread) {
    Host host({.events_low = kEverything});
    host.take_log();
    FakeThread& thread = host.runtime.create_thread("Worker");
    host.runtime.start_thread(thread);
    ThreadID current = 0;
    EXPECT_EQ(host.profiler->info().GetCurrentThreadID(&current), clr::kOk);
    EXPECT_EQ(current, thread.id());
    uint32_t os_tid = 0;
    EXPECT_EQ(host.profiler->info().GetThreadInfo(current, &os_tid), clr::kOk);
    EXPECT_EQ(os_tid, static_cast<uint32_t>(gettid()));
    host.runtime.end_thread(thread);
    EXPECT_EQ(host.profiler->info().GetCurrentThreadID(&current), clr::corprof_error(0x1355));
    EXPECT_THAT(host.take_log(), ElementsAre("ThreadNameChanged Worker", "ThreadCreated",
                                             "ThreadAssignedToOSThread", "ThreadDestroyed"));
}

TEST(Collections, AreBracketedBySuspension) {
    Host host({.events_low = kEverything, .events_high = clr::COR_PRF_HIGH_BASIC_GC});
    host.take_log();
    host.runtime.collect_garbage(1);
    host.runtime.shutdown();
    EXPECT_THAT(host.take_log(),
                ElementsAre("RuntimeSuspendStarted", "RuntimeSuspendFinished",
                            "GarbageCollectionStarted", "GarbageCollectionFinished",
                            "RuntimeResumeStarted", "RuntimeResumeFinished", "Shutdown"));
}

TEST(Callbacks, StayAwayWhenTheMaskDoesNotAskForThem) {
    Host host({.events_low = kEnterLeave});
    FakeMethod& total = host.method("Total");
    host.take_log();
    host.runtime.load_module(host.shop);
    host.runtime.compile(total);
    FakeThread& thread = host.runtime.create_thread("Worker");
    host.runtime.start_thread(thread);
    host.runtime.end_thread(thread);
    host.runtime.collect_garbage(2);
    EXPECT_THAT(host.take_log(), ElementsAre("Mapper Total"));
}

// ---- several runtimes ---------------------------------------------------------------------------

TEST(TwoRuntimes, HaveTheirOwnInfoMaskAndProfiler) {
    Host first({.events_low = kEnterLeave | kJit});
    Host second({.events_low = kJit});
    EXPECT_NE(&first.profiler->info(), &second.profiler->info());
    EXPECT_EQ(test_profiler_symbol<LiveInstances>("test_profiler_live")(), 2);
    FakeMethod& hooked = first.method("Total");
    FakeMethod& plain = second.method("Total");
    EXPECT_TRUE(first.runtime.compile(hooked).hooked);
    EXPECT_FALSE(second.runtime.compile(plain).hooked);
    clr::mdToken token = 0;
    EXPECT_EQ(second.profiler->info().GetFunctionInfo(hooked.id, nullptr, nullptr, &token),
              clr::kInvalidArgument);
}

// ---- what can be asked
// ----------------------------------------------------------------------------

TEST(FakeInfo, TellsVersionAndModules) {
    Host host({.events_low = kEnterLeave});
    clr::ICorProfilerInfo15& info = host.profiler->info();
    uint16_t major = 0;
    char16_t text[32];
    uint32_t length = 0;
    ASSERT_EQ(info.GetRuntimeInformation(nullptr, nullptr, &major, nullptr, nullptr, nullptr, 32,
                                         &length, text),
              clr::kOk);
    EXPECT_EQ(major, 10);
    EXPECT_EQ(narrow(text), "10.0.12");
    EXPECT_EQ(length, 8U);  // the zero counts

    host.runtime.load_module(host.shop);
    clr::ComPtr<clr::ICorProfilerModuleEnum> modules;
    ASSERT_EQ(info.EnumModules(modules.put()), clr::kOk);
    ModuleID ids[4];
    uint32_t fetched = 0;
    EXPECT_EQ(modules->Next(4, ids, &fetched), clr::kFalse);
    ASSERT_EQ(fetched, 1U);
    EXPECT_EQ(info.GetModuleInfo2(ids[0], nullptr, 5, &length, text, nullptr, nullptr), clr::kOk);
    EXPECT_EQ(narrow(text), "/app");
    EXPECT_EQ(length, std::string("/app/Shop.dll").size() + 1);
}

TEST(FakeInfo, UnneededCallsAreNotImplemented) {
    Host host({.events_low = kEnterLeave});
    EXPECT_EQ(host.profiler->info().ForceGC(), clr::kNotImplemented);
}

}  // namespace
}  // namespace umbra::fakeclr
