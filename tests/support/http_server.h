// A tiny HTTP server on 127.0.0.1, for tests of downloads.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace dotin::testing {

/// Answers one request after the other in a thread of its own, until destroyed.
class HttpServer {
 public:
  struct Answer {
    std::string bytes;   // the raw response, status line included
    bool stall = false;  // keep the connection open and silent after the bytes
  };
  /// path ("/a/b.zip") -> answer
  using Handler = std::function<Answer(const std::string& path)>;

  explicit HttpServer(Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// "http://127.0.0.1:PORT"
  std::string url() const;
  int requests() const { return requests_; }

  static Answer ok(const std::string& body);
  static Answer not_found();
  /// Says that the body has `missing` bytes more than it sends.
  static Answer truncated(const std::string& body, std::size_t missing);
  static Answer stalled(const std::string& start_of_body);
  static Answer redirect(const std::string& location);

 private:
  void run();
  void serve(int connection);

  Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> requests_{0};
  std::thread thread_;
};

}  // namespace dotin::testing
