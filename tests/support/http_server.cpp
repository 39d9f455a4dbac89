#include "support/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace dotin::testing {

namespace {

constexpr int kTickMilliseconds = 20;

std::string response(const std::string& status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\n" + headers + "Connection: close\r\n\r\n" + body;
}

std::string length_header(std::size_t length) { return "Content-Length: " + std::to_string(length) + "\r\n"; }

}  // namespace

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (listener_ < 0 || ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 8) != 0 || ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("cannot listen on 127.0.0.1");
  }
  ::setenv("no_proxy", "127.0.0.1", 1);  // a proxy of the machine could not reach this server
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

HttpServer::~HttpServer() {
  stopping_ = true;
  thread_.join();
  ::close(listener_);
}

std::string HttpServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

void HttpServer::run() {
  while (!stopping_) {
    pollfd waiting{listener_, POLLIN, 0};
    if (::poll(&waiting, 1, kTickMilliseconds) <= 0) continue;
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    serve(connection);
    ::close(connection);
  }
}

void HttpServer::serve(int connection) {
  std::string request;
  char piece[4096];
  while (request.find("\r\n\r\n") == std::string::npos) {
    const ssize_t got = ::recv(connection, piece, sizeof piece, 0);
    if (got <= 0) return;
    request.append(piece, static_cast<std::size_t>(got));
  }
  ++requests_;
  const std::size_t from = request.find(' ') + 1;
  const Answer answer = handler_(request.substr(from, request.find(' ', from) - from));
  std::size_t sent = 0;
  while (sent < answer.bytes.size()) {
    const ssize_t now = ::send(connection, answer.bytes.data() + sent, answer.bytes.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return;
    sent += static_cast<std::size_t>(now);
  }
  // Until the client gives up.
  pollfd gone{connection, POLLIN, 0};
  while (answer.stall && !stopping_ && ::poll(&gone, 1, kTickMilliseconds) == 0) {
  }
}

HttpServer::Answer HttpServer::ok(const std::string& body) {
  return {response("200 OK", length_header(body.size()), body)};
}

HttpServer::Answer HttpServer::not_found() {
  const std::string page = "<html>nothing here</html>";
  return {response("404 Not Found", length_header(page.size()), page)};
}

HttpServer::Answer HttpServer::truncated(const std::string& body, std::size_t missing) {
  return {response("200 OK", length_header(body.size() + missing), body)};
}

HttpServer::Answer HttpServer::stalled(const std::string& start_of_body) {
  return {response("200 OK", length_header(start_of_body.size() + 1000), start_of_body), true};
}

HttpServer::Answer HttpServer::redirect(const std::string& location) {
  return {response("302 Found", "Location: " + location + "\r\n" + length_header(0), "")};
}

}  // namespace dotin::testing
