// SPDX-License-Identifier: MIT
// A runtime's diagnostics socket in a thread of the test.
#include "tests/diagnostics/fake_diagnostics.h"

#include <array>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/local_socket.h"

namespace umbra::diagnostics::testing {

std::string little_endian(uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) {
        out.push_back(static_cast<char>(value >> (8 * i)));
    }
    return out;
}

std::string answer(std::string_view payload, unsigned char command, unsigned char set) {
    std::string out("DOTNET_IPC_V1\0", 14);
    out += little_endian(20 + payload.size(), 2);
    out.push_back(static_cast<char>(set));
    out.push_back(static_cast<char>(command));
    out += little_endian(0, 2);
    out += payload;
    return out;
}

std::string error_answer(uint32_t hresult) {
    return answer(little_endian(hresult, 4), 0xff);
}

std::string ipc_string(std::string_view ascii) {
    std::string out = little_endian(ascii.size() + 1, 4);
    for (const char c : ascii) {
        out.push_back(c);
        out.push_back('\0');
    }
    return out + std::string(2, '\0');
}

FakeDiagnostics::FakeDiagnostics(const std::string& folder, const std::string& name,
                                 Handler handler)
    : folder_(folder),
      name_(name),
      handler_(std::move(handler)),
      listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const std::string path = folder + "/" + name;
    const std::optional<LocalAddress> address = local_address(path);
    if (!address) {
        throw std::runtime_error("path too long: " + path);
    }
    unlink(path.c_str());
    if (bind(listener_.get(), address->get(), address->size) != 0 ||
        listen(listener_.get(), 1) != 0) {
        throw std::runtime_error("cannot listen on " + path);
    }
    if (handler_) {
        thread_ = std::thread([this] { serve(); });
    }
}

FakeDiagnostics::~FakeDiagnostics() {
    shutdown(listener_.get(), SHUT_RDWR);
    if (thread_.joinable()) {
        thread_.join();
    }
    unlink((folder_ + "/" + name_).c_str());
}

Endpoint FakeDiagnostics::endpoint() const {
    return {.pid = getpid(), .uid = geteuid(), .folder = folder_, .name = name_};
}

void FakeDiagnostics::serve() {
    for (;;) {
        UniqueFd connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!connection) {
            return;
        }
        std::array<char, 70000> buffer;
        pollfd waiting = {.fd = connection.get(), .events = POLLIN, .revents = 0};
        poll(&waiting, 1, 2000);
        const ssize_t got = recv(connection.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        const std::string request(buffer.data(), got > 0 ? static_cast<size_t>(got) : 0);
        const std::string reply = handler_(request);
        send(connection.get(), reply.data(), reply.size(), MSG_NOSIGNAL);
        if (keep_open_) {
            kept_.push_back(std::move(connection));
        }
    }
}

}  // namespace umbra::diagnostics::testing
