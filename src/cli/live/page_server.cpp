// SPDX-License-Identifier: MIT
#include "src/cli/live/page_server.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <deque>
#include <string_view>
#include <utility>

#include <boost/asio/ip/address_v4.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/write.hpp>
#include <fmt/format.h>
#include <sys/random.h>

#include "src/base/after.h"

namespace umbra::cli {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::chrono::seconds kRequestTimeout(10);
constexpr std::chrono::milliseconds kPause(100);

Result<std::string> random_token() {
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        return fail(ErrorCode::kSystem, "the kernel gives no random numbers for the address",
                    errno);
    }
    std::string token;
    for (const unsigned char byte : bytes) {
        token += fmt::format("{:02x}", byte);
    }
    return token;
}

/// Takes as long wherever the two differ.
bool equal(std::string_view a, std::string_view b) {
    bool same = a.size() == b.size();
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        same = static_cast<bool>(static_cast<int>(same) & static_cast<int>(a[i] == b[i]));
    }
    return same;
}

std::string_view view(beast::string_view text) {
    return {text.data(), text.size()};
}

}  // namespace

struct PageServer::Shared {
    std::string path;  ///< "/3f...9a/"
    uint16_t port = 0;
    std::function<Result<Page>()> page;
    std::size_t connections = 0;
    std::deque<std::weak_ptr<Connection>> silent;  ///< no request yet; the oldest first

    /// Whether there is room for one connection more.
    bool make_room();
};

/// One request and its answer.
class PageServer::Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(tcp::socket socket, std::shared_ptr<Shared> shared)
        : stream_(std::move(socket)), shared_(std::move(shared)), buffer_(kMaxRequestBytes) {
        ++shared_->connections;
        parser_.header_limit(kMaxRequestBytes);
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() { --shared_->connections; }

    void start() {
        shared_->silent.push_back(weak_from_this());
        stream_.expires_after(kRequestTimeout);
        http::async_read_header(
            stream_, buffer_, parser_,
            [self = shared_from_this()](error_code error, std::size_t) { self->answer(error); });
    }

    /// False: it has sent its request.
    bool close_if_silent() {
        if (!silent_) {
            return false;
        }
        stream_.close();
        return true;
    }

  private:
    using Response = http::response<http::span_body<const char>>;

    void answer(error_code error) {
        silent_ = false;
        if (error == http::error::header_limit || error == http::error::buffer_overflow) {
            return refuse(http::status::request_header_fields_too_large);
        }
        if (error && error.category() == make_error_code(http::error::bad_method).category() &&
            error != http::error::end_of_stream && error != http::error::partial_message) {
            return refuse(http::status::bad_request);
        }
        if (error) {
            return;  // gone, or too slow
        }
        const auto& request = parser_.get();
        if (request.method() != http::verb::get) {
            return refuse(http::status::method_not_allowed);
        }
        if (!equal(view(request.target()), shared_->path) ||
            !is_own_host(view(request[http::field::host]))) {
            return refuse(http::status::not_found);
        }
        const Result<Page> page = shared_->page();
        if (!page) {
            return refuse(http::status::internal_server_error, page.error().context);
        }
        send(http::status::ok, *page, "text/html; charset=utf-8");
    }

    /// A name of another site that leads to this machine is not ours.
    [[nodiscard]] bool is_own_host(std::string_view host) const {
        return host == fmt::format("127.0.0.1:{}", shared_->port) ||
               host == fmt::format("localhost:{}", shared_->port);
    }

    void refuse(http::status status, std::string_view reason = {}) {
        const std::string_view name = view(http::obsolete_reason(status));
        send(status,
             std::make_shared<const std::string>(
                 fmt::format("{}\n", reason.empty() ? name : reason)),
             "text/plain; charset=utf-8");
    }

    void send(http::status status, Page body, beast::string_view type) {
        body_ = std::move(body);
        response_.result(status);
        response_.version(11);
        response_.keep_alive(false);
        response_.set(http::field::content_type, type);
        response_.set(http::field::cache_control, "no-store");
        response_.set("Referrer-Policy", "no-referrer");
        response_.set("X-Content-Type-Options", "nosniff");
        response_.set("Content-Security-Policy", "frame-ancestors 'none'");
        if (status == http::status::method_not_allowed) {
            response_.set(http::field::allow, "GET");
        }
        response_.body() = {body_->data(), body_->size()};
        response_.prepare_payload();
        stream_.expires_after(kRequestTimeout);
        http::async_write(stream_, response_, [self = shared_from_this()](error_code, std::size_t) {
            error_code ignored;
            self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        });
    }

    beast::tcp_stream stream_;
    std::shared_ptr<Shared> shared_;
    beast::flat_buffer buffer_;
    http::request_parser<http::empty_body> parser_;
    Page body_;
    Response response_;
    bool silent_ = true;
};

bool PageServer::Shared::make_room() {
    if (connections < kMaxConnections) {
        std::erase_if(silent, [](const auto& one) { return one.expired(); });
        return true;
    }
    while (!silent.empty()) {
        const std::shared_ptr<Connection> oldest = silent.front().lock();
        silent.pop_front();
        if (oldest && oldest->close_if_silent()) {
            return true;
        }
    }
    return false;
}

Result<std::unique_ptr<PageServer>> PageServer::listen(asio::io_context& io, uint16_t port,
                                                       std::function<Result<Page>()> page) {
    Result<std::string> token = random_token();
    if (!token) {
        return tl::unexpected<Error>(token.error());
    }
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
    tcp::acceptor acceptor(io);
    error_code error;
    acceptor.open(endpoint.protocol(), error);
    if (!error) {
        acceptor.bind(endpoint, error);
    }
    if (!error) {
        acceptor.listen(tcp::acceptor::max_listen_connections, error);
    }
    if (error) {
        return fail(ErrorCode::kSystem,
                    fmt::format("cannot listen on 127.0.0.1, port {}: {}", port, error.message()),
                    error.value());
    }
    auto shared = std::make_shared<Shared>();
    shared->path = "/" + *token + "/";
    shared->port = acceptor.local_endpoint().port();
    shared->page = std::move(page);
    std::unique_ptr<PageServer> server(new PageServer(std::move(acceptor), std::move(shared)));
    server->accept();
    return server;
}

PageServer::PageServer(tcp::acceptor acceptor, std::shared_ptr<Shared> shared)
    : acceptor_(std::move(acceptor)), pause_(acceptor_.get_executor()), shared_(std::move(shared)) {
}

std::string PageServer::address() const {
    return fmt::format("http://127.0.0.1:{}{}", shared_->port, shared_->path);
}

void PageServer::accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
        if (error == asio::error::operation_aborted) {
            return;  // the server is gone
        }
        if (error) {
            return accept_later();
        }
        if (shared_->make_room()) {
            std::make_shared<Connection>(std::move(socket), shared_)->start();
        }
        accept();
    });
}

/// No descriptor is left, or no memory: at once it would fail again.
void PageServer::accept_later() {
    after(pause_, kPause, [this] { accept(); });
}

}  // namespace umbra::cli
