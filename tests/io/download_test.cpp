#include "dotin/io/download.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "dotin/core/error.h"
#include "support/expect.h"
#include "support/http_server.h"
#include "support/temporary_folder.h"

namespace dotin::io {
namespace {

void download_to(const std::string& url, const std::string& path, const DownloadOptions& options,
                 core::Progress& progress) {
  AtomicFile file(path);
  download(url, file, options, progress);
  file.commit();
}

using dotin::testing::HttpServer;
using dotin::testing::read_text;
using dotin::testing::TemporaryFolder;

class RecordingProgress : public core::Progress {
 public:
  void update(int64_t done, int64_t total, const std::string& text) override {
    last_done = done;
    last_total = total;
    detail = text;
  }
  int64_t last_done = 0, last_total = 0;
  std::string detail;
};

/// The message of the error, after which the folder must hold what it held before.
std::string error_of(const std::string& url, const DownloadOptions& options = {}) {
  TemporaryFolder folder;
  folder.write("x.zip", "old");
  core::NoProgress progress;
  std::string message = "no error";
  try {
    download_to(url, folder / "x.zip", options, progress);
  } catch (const core::Error& error) {
    message = error.what();
  }
  EXPECT_EQ(read_text(folder / "x.zip"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "a temporary file is left";
  EXPECT_NE(message.find(url), std::string::npos) << message;
  return message;
}

TEST(Download, WritesTheBodyAndReportsProgress) {
  const std::string body(300'000, 'b');
  HttpServer server([&](const std::string&) { return HttpServer::ok(body); });
  TemporaryFolder folder;
  RecordingProgress progress;
  download_to(server.url() + "/sub/x.zip", folder / "new/x.zip", {}, progress);
  EXPECT_EQ(read_text(folder / "new/x.zip"), body);
  EXPECT_EQ(progress.last_done, 300'000);
  EXPECT_EQ(progress.last_total, 300'000);
  EXPECT_EQ(progress.detail, "x.zip");
}

TEST(Download, FollowsRedirectsWithinTheWeb) {
  HttpServer server(
      [](const std::string& path) { return path == "/a.zip" ? HttpServer::redirect("/b.zip") : HttpServer::ok(path); });
  TemporaryFolder folder;
  core::NoProgress progress;
  download_to(server.url() + "/a.zip", folder / "x", {}, progress);
  EXPECT_EQ(read_text(folder / "x"), "/b.zip");
}

TEST(Download, RefusesARedirectToALocalFile) {
  HttpServer server([](const std::string&) { return HttpServer::redirect("file:///etc/passwd"); });
  EXPECT_SAYS(error_of(server.url() + "/x.zip"), "a redirect may lead to the web only");
}

TEST(Download, GivesUpOnARedirectLoop) {
  HttpServer server([](const std::string& path) { return HttpServer::redirect(path); });
  EXPECT_SAYS(error_of(server.url() + "/x.zip"), "more than 5 redirects");
  EXPECT_EQ(server.requests(), 6);
}

TEST(Download, AMissingPageIsAnErrorAndItsTextIsNotKept) {
  HttpServer server([](const std::string&) { return HttpServer::not_found(); });
  EXPECT_SAYS(error_of(server.url() + "/x.zip"), "HTTP 404; check the name");
}

TEST(Download, ABodyThatStopsEarlyIsAnError) {
  HttpServer server([](const std::string&) { return HttpServer::truncated("half", 4); });
  EXPECT_SAYS(error_of(server.url() + "/x.zip"), "the connection broke after 4 bytes");
}

TEST(Download, AStalledServerIsGivenUp) {
  HttpServer server([](const std::string&) { return HttpServer::stalled("start"); });
  DownloadOptions options;
  options.stall_timeout_seconds = 1;
  EXPECT_SAYS(error_of(server.url() + "/x.zip", options), "too slow");
}

TEST(Download, ABodyOverTheLimitIsRefusedWhetherAnnouncedOrNot) {
  DownloadOptions options;
  options.max_bytes = 10;
  HttpServer announced([](const std::string&) { return HttpServer::ok(std::string(11, 'x')); });
  EXPECT_SAYS(error_of(announced.url() + "/x.zip", options), "larger than 10 B");
  HttpServer silent([](const std::string&) {
    return HttpServer::Answer{"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + std::string(11, 'x')};
  });
  EXPECT_SAYS(error_of(silent.url() + "/x.zip", options), "larger than 10 B");
}

TEST(Download, ARefusedConnectionSaysToCheckTheNetwork) {
  std::string url;
  {
    HttpServer server([](const std::string&) { return HttpServer::not_found(); });
    url = server.url();
  }
  EXPECT_SAYS(error_of(url + "/x.zip"), "check the network");
}

TEST(Download, RefusesOtherProtocols) {
  EXPECT_SAYS(error_of("ftp://127.0.0.1/x.zip"), "https://, http:// or file://");
  EXPECT_SAYS(error_of("x.zip"), "https://, http:// or file://");
}

TEST(Download, ReadsFileUrlsThatTheUserGives) {
  TemporaryFolder folder;
  core::NoProgress progress;
  download_to("file://" + folder.write("from.zip", "local"), folder / "to.zip", {}, progress);
  EXPECT_EQ(read_text(folder / "to.zip"), "local");
}

TEST(Download, WhatTheProgressThrowsArrivesAndNothingIsKept) {
  class Interrupted : public core::Progress {
    void update(int64_t, int64_t, const std::string&) override { throw std::runtime_error("interrupted"); }
  };
  HttpServer server([](const std::string&) { return HttpServer::ok("body"); });
  TemporaryFolder folder;
  Interrupted progress;
  EXPECT_THROW(download_to(server.url() + "/x.zip", folder / "x.zip", {}, progress), std::runtime_error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Sha256, MatchesTheStandardsExamples) {
  TemporaryFolder folder;
  EXPECT_EQ(sha256_of_file(folder.write("abc", "abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of_file(folder.write("empty", "")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of_file(folder.write("million", std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_THROW(sha256_of_file(folder / "none"), core::Error);
  EXPECT_THROW(sha256_of_file(folder.path()), core::Error);
}

}  // namespace
}  // namespace dotin::io
