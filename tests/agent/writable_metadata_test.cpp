// SPDX-License-Identifier: MIT
// When a module's metadata is opened: at once where nobody knows it, else while threads stand
// still.
#include "src/agent/il/writable_metadata.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include "src/clr/enumerators.h"
#include "src/fakeclr/fake_emit.h"
#include "src/fakeclr/fake_enum.h"
#include "src/fakeclr/fake_metadata.h"
#include "src/fakeclr/fake_model.h"
#include "tests/clr/uncounted.h"

namespace umbra::agent {
namespace {

using Known = WritableMetadata::Known;

/// Tells what was asked while the runtime was suspended, and of one other thread.
class OpeningInfo final : public clr::InfoBase {
  public:
    clr::HRESULT SuspendRuntime() override {
        suspensions += 1;
        suspending();
        suspended = clr::succeeded(suspension);
        return suspension;
    }
    clr::HRESULT ResumeRuntime() override {
        suspended = false;
        return clr::kOk;
    }
    clr::HRESULT EnumThreads(clr::ICorProfilerThreadEnum** threads) override {
        *threads = new fakeclr::FakeEnum<clr::ICorProfilerThreadEnum, clr::ThreadID>(
            {clr::ThreadID(gettid()), clr::ThreadID(other_thread)});
        return clr::kOk;
    }
    clr::HRESULT GetThreadInfo(clr::ThreadID thread, uint32_t* os_thread) override {
        *os_thread = static_cast<uint32_t>(thread);
        return clr::kOk;
    }
    clr::HRESULT GetModuleMetaData(clr::ModuleID /*module*/, uint32_t flags, const Guid& riid,
                                   clr::IUnknown** out) override {
        constexpr uint32_t kForWrite = 1;
        EXPECT_NE(flags & kForWrite, 0U);
        openings += 1;
        opened_suspended = suspended;
        opening();
        return module.metadata->QueryInterface(riid, reinterpret_cast<void**>(out));
    }

    clr::HRESULT suspension = clr::kOk;
    uint32_t other_thread = 0x7fff'fff0;  ///< has ended
    std::function<void()> suspending = [] {};
    std::function<void()> opening = [] {};
    int suspensions = 0;
    int openings = 0;
    bool suspended = false;
    bool opened_suspended = false;
    fakeclr::FakeModel model;
    fakeclr::FakeModule& module = model.add_module({.path = "/app/shop.dll"});
};

struct WritableMetadataTest : ::testing::Test {
    OpeningInfo info;
    WritableMetadata metadata{info};
    const clr::ModuleID id = info.module.id();
};

/// Runs until it goes.
class BusyThread {
  public:
    BusyThread() {
        while (os_thread_ == 0) {
            std::this_thread::yield();
        }
    }
    ~BusyThread() {
        stop();
        thread_.join();
    }
    BusyThread(const BusyThread&) = delete;
    BusyThread& operator=(const BusyThread&) = delete;
    void stop() { stopped_ = true; }
    [[nodiscard]] uint32_t os_thread() const { return os_thread_; }

  private:
    std::atomic<bool> stopped_{false};
    std::atomic<uint32_t> os_thread_{0};
    std::thread thread_{[this] {
        os_thread_ = static_cast<uint32_t>(gettid());
        while (!stopped_) {
        }
    }};
};

TEST_F(WritableMetadataTest, OfAModuleThatNobodyKnowsIsOpenedBesideOthers) {
    EXPECT_EQ(metadata.find(id), nullptr);
    metadata.open(id, Known::kToNobody);
    EXPECT_NE(metadata.find(id), nullptr);
    EXPECT_EQ(info.suspensions, 0);
}

TEST_F(WritableMetadataTest, OfALoadedModuleIsOpenedWhileTheRuntimeStands) {
    metadata.open(id, Known::kToThreads);
    EXPECT_NE(metadata.find(id), nullptr);
    EXPECT_TRUE(info.opened_suspended);
    EXPECT_FALSE(info.suspended);
    EXPECT_EQ(info.suspensions, 1);
}

TEST_F(WritableMetadataTest, IsOpenedOnceUntilItIsForgotten) {
    metadata.open(id, Known::kToThreads);
    metadata.open(id, Known::kToThreads);
    metadata.open(id, Known::kToNobody);
    EXPECT_EQ(info.openings, 1);
    metadata.forget(id);
    EXPECT_EQ(metadata.find(id), nullptr);
    metadata.open(id, Known::kToThreads);
    EXPECT_EQ(info.openings, 2);
}

TEST_F(WritableMetadataTest, StaysClosedWhereTheRuntimeIsNotSuspended) {
    info.suspension = clr::kNotImplemented;
    metadata.open(id, Known::kToThreads);
    EXPECT_EQ(metadata.find(id), nullptr);
    EXPECT_EQ(info.openings, 0);
}

TEST_F(WritableMetadataTest, WaitsForAThreadInNativeCode) {
    BusyThread busy;
    info.other_thread = busy.os_thread();
    info.suspending = [&] {
        if (info.suspensions == 3) {
            busy.stop();
        }
    };
    metadata.open(id, Known::kToThreads);
    EXPECT_GE(info.suspensions, 3);
    EXPECT_TRUE(info.opened_suspended);
}

TEST_F(WritableMetadataTest, IsOpenedBesideAThreadThatNeverRests) {
    const BusyThread busy;
    info.other_thread = busy.os_thread();
    metadata.open(id, Known::kToThreads);
    EXPECT_NE(metadata.find(id), nullptr);
    EXPECT_EQ(info.suspensions, 20);
    EXPECT_FALSE(info.suspended);
}

TEST_F(WritableMetadataTest, NothingBeginsToBeCompiledMeanwhile) {
    std::atomic<bool> open{false};
    std::atomic<bool> compiled_open{false};
    std::thread compiler;
    info.opening = [&] {
        compiler = std::thread([&] {
            metadata.let_open();
            compiled_open = open.load();
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        open = true;
    };
    metadata.open(id, Known::kToThreads);
    compiler.join();
    EXPECT_TRUE(compiled_open);
}

}  // namespace
}  // namespace umbra::agent
