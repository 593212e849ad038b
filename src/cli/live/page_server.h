// SPDX-License-Identifier: MIT
// Serves one page to the browser of this machine's user, and to nobody else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "src/base/result.h"

namespace umbra::cli {

/// Bytes of a request's first line and header; a longer one is refused with status 431.
inline constexpr std::size_t kMaxRequestBytes = 8192;
/// Connections at once. For one more, the one that has been longest without a request is closed.
inline constexpr std::size_t kMaxConnections = 32;

/// HTTP on 127.0.0.1. The page has one address, of which 128 bits are random; whoever does not know
/// it is told 404. Only GET; no body of a request is read; a request that takes longer than ten
/// seconds ends its connection. Lives and works on the thread that runs `io`.
class PageServer {
  public:
    using Page = std::shared_ptr<const std::string>;

    /// `page` is asked at every request for it, on the thread of `io`. `port` 0: one that is free.
    /// Errors: kSystem (the port is taken, no random numbers).
    static Result<std::unique_ptr<PageServer>> listen(boost::asio::io_context& io, uint16_t port,
                                                      std::function<Result<Page>()> page);

    /// "http://127.0.0.1:4711/3f...9a/"
    [[nodiscard]] std::string address() const;

  private:
    /// What connections need to answer; they may outlive the server.
    struct Shared;
    class Connection;

    PageServer(boost::asio::ip::tcp::acceptor acceptor, std::shared_ptr<Shared> shared);
    void accept();
    void accept_later();

    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_;
    std::shared_ptr<Shared> shared_;
};

}  // namespace umbra::cli
