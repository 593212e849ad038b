// SPDX-License-Identifier: MIT
// Holds the hand-declared interfaces against the contract of the runtime: a method in the wrong
// slot would be called with the arguments of another one.

#include <cstdio>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "src/clr/callback.h"
#include "src/clr/enumerators.h"
#include "tests/clr/uncounted.h"

namespace umbra::clr {
namespace {

/// Where the compiler put a virtual method: the Itanium ABI spells a pointer to one as its offset
/// in the vtable plus one; that of AArch64 as the offset, and the one is in the second word.
template <typename Method>
size_t slot_of(Method method) {
    static_assert(sizeof(Method) == 2 * sizeof(size_t));
    size_t words[2];
    std::memcpy(words, &method, sizeof words);
    return (words[0] - ((words[1] & 1) == 0 ? 1 : 0)) / sizeof(void*);
}

std::string text_of(const Guid& id) {
    char text[37];
    std::snprintf(text, sizeof text, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", id.data1,
                  unsigned{id.data2}, unsigned{id.data3}, unsigned{id.data4[0]},
                  unsigned{id.data4[1]}, unsigned{id.data4[2]}, unsigned{id.data4[3]},
                  unsigned{id.data4[4]}, unsigned{id.data4[5]}, unsigned{id.data4[6]},
                  unsigned{id.data4[7]});
    return text;
}

TEST(Vtable, EveryMethodIsInTheSlotOfTheContract) {
#define INTERFACE_ID(interface, id)
#define SLOT(interface, method, slot) \
    EXPECT_EQ(slot_of(&interface::method), size_t{slot}) << #interface "::" #method;
#include "src/clr/vtable_contract.inc"
#undef SLOT
#undef INTERFACE_ID
}

TEST(Vtable, EveryInterfaceHasTheIdOfTheContract) {
#define INTERFACE_ID(interface, id) EXPECT_EQ(text_of(interface::kIid), id) << #interface;
#define SLOT(interface, method, slot)
#include "src/clr/vtable_contract.inc"
#undef SLOT
#undef INTERFACE_ID
}

/// Calls what lies in a slot, as the runtime does.
template <typename... Arguments>
HRESULT call_slot(void* object, size_t slot, Arguments... arguments) {
    using Method = HRESULT (*)(void*, Arguments...);
    void** vtable = nullptr;
    std::memcpy(&vtable, object, sizeof vtable);
    return reinterpret_cast<Method>(vtable[slot])(object, arguments...);
}

TEST(Vtable, ACallThroughTheLastCallbackSlotArrives) {
    struct Profiler final : ICorProfilerCallback11 {
        HRESULT QueryInterface(const Guid&, void**) override { return kNoInterface; }
        uint32_t AddRef() override { return 1; }
        uint32_t Release() override { return 1; }
        HRESULT LoadAsNotificationOnly(int32_t* notification_only) override {
            *notification_only = 42;
            return kFalse;
        }
    } profiler;
    int32_t answer = 0;
    EXPECT_EQ(call_slot(&profiler, 97, &answer), kFalse);
    EXPECT_EQ(answer, 42);
    EXPECT_EQ(call_slot(&profiler, 43), kOk);
}

TEST(Vtable, CallsThroughInfoSlotsArrive) {
    struct Runtime final : InfoBase {
        HRESULT SetEventMask2(uint32_t low, uint32_t high) override {
            return static_cast<HRESULT>(low + high);
        }
        HRESULT SetFunctionIDMapper2(FunctionIDMapper2*, void* data) override {
            return data == this ? 59 : 0;
        }
    } runtime;
    EXPECT_EQ(call_slot(&runtime, 82, uint32_t{80}, uint32_t{2}), 82);
    EXPECT_EQ(call_slot(&runtime, 59, static_cast<FunctionIDMapper2*>(nullptr),
                        static_cast<void*>(&runtime)),
              59);
    EXPECT_EQ(call_slot(&runtime, 114), kNotImplemented);
}

TEST(Vtable, ACallThroughAMetadataSlotArrives) {
    struct Metadata final : MetadataBase {
        HRESULT GetNestedClassProps(mdTypeDef nested, mdTypeDef* enclosing) override {
            *enclosing = nested + 1;
            return kOk;
        }
    } metadata;
    mdTypeDef outer = 0;
    EXPECT_EQ(call_slot(&metadata, 62, mdTypeDef{6}, &outer), kOk);
    EXPECT_EQ(outer, 7U);
}

TEST(HResult, IsWrittenAsInTheRuntimesHeaders) {
    EXPECT_EQ(hexadecimal(kNoInterface), "0x80004002");
    EXPECT_EQ(hexadecimal(kModuleIsDynamic), "0x8013137a");
    EXPECT_EQ(hexadecimal(kOk), "0x00000000");
}

}  // namespace
}  // namespace umbra::clr
