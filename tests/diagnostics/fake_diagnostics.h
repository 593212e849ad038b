// SPDX-License-Identifier: MIT
// A runtime's diagnostics socket in a thread of the test, which answers whatever the test wants.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "src/base/unique_fd.h"
#include "src/diagnostics/discovery.h"
#include "src/diagnostics/wire.h"

namespace umbra::diagnostics::testing {

/// One answer: header and payload.
[[nodiscard]] std::string answer(std::string_view payload, unsigned char command = 0x00,
                                 unsigned char set = 0xff);
[[nodiscard]] std::string error_answer(uint32_t hresult);
/// A string of a payload, from ASCII.
[[nodiscard]] std::string ipc_string(std::string_view ascii);
[[nodiscard]] std::string little_endian(uint64_t value, int bytes);

class FakeDiagnostics {
  public:
    /// Takes the request, answers with what to send before closing.
    using Handler = std::function<std::string(const std::string& request)>;

    /// Listens as `folder`/`name`; `handler` empty: accepts nobody.
    FakeDiagnostics(const std::string& folder, const std::string& name, Handler handler);
    FakeDiagnostics(const FakeDiagnostics&) = delete;
    FakeDiagnostics& operator=(const FakeDiagnostics&) = delete;
    ~FakeDiagnostics();

    [[nodiscard]] Endpoint endpoint() const;
    /// Keeps each connection open after the answer until the test ends.
    void keep_open() { keep_open_ = true; }

  private:
    void serve();

    std::string folder_;
    std::string name_;
    Handler handler_;
    UniqueFd listener_;
    std::atomic<bool> keep_open_ = false;
    std::vector<UniqueFd> kept_;
    std::thread thread_;
};

}  // namespace umbra::diagnostics::testing
