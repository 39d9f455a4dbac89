#include "dotin/io/download.h"

#include <curl/curl.h>
#include <openssl/evp.h>

#include <exception>
#include <fstream>
#include <memory>

#include "dotin/core/error.h"
#include "dotin/core/memory.h"

namespace dotin::io {

namespace {

constexpr long kMaxRedirects = 5;

/// What curl's callbacks work on. They are called from C, so no exception may leave them: it is kept and thrown later.
struct Transfer {
  AtomicFile& file;
  core::Progress& progress;
  const DownloadOptions& options;
  std::string detail;
  int64_t received = 0;
  bool too_large = false;
  std::exception_ptr failure;
};

std::size_t on_data(char* bytes, std::size_t, std::size_t size, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  transfer.received += static_cast<int64_t>(size);
  if (transfer.received > transfer.options.max_bytes) {
    transfer.too_large = true;
    return CURL_WRITEFUNC_ERROR;
  }
  try {
    transfer.file.write(bytes, size);
    return size;
  } catch (...) {
    transfer.failure = std::current_exception();
    return CURL_WRITEFUNC_ERROR;
  }
}

int on_progress(void* context, curl_off_t total, curl_off_t done, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(context);
  try {
    transfer.progress.update(done, total, transfer.detail);
    return 0;
  } catch (...) {
    transfer.failure = std::current_exception();
    return 1;
  }
}

struct CurlDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using CurlHandle = std::unique_ptr<CURL, CurlDeleter>;

CurlHandle new_handle() {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  CurlHandle handle(initialised == CURLE_OK ? curl_easy_init() : nullptr);
  DOTIN_CHECK(handle != nullptr, "libcurl cannot be initialised");
  return handle;
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

/// What a server may redirect to: never to a local file, and never from https down to http.
const char* redirect_protocols(const std::string& url) { return starts_with(url, "https:") ? "https" : "http,https"; }

/// What to do about it, by what went wrong.
std::string explain(CURLcode code, const Transfer& transfer, const std::string& details, long status) {
  const std::string said = details.empty() ? curl_easy_strerror(code) : details;
  switch (code) {
    case CURLE_HTTP_RETURNED_ERROR:
      return fmt::format("the server answered HTTP {}; {}", status,
                         status == 404 ? "check the name" : "try again later or use another server");
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
      return fmt::format("{}; check the network", said);
    case CURLE_OPERATION_TIMEDOUT:
      return fmt::format("{}; check the network or try again later", said);
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
      return fmt::format("the connection broke after {} bytes ({}); try again", transfer.received, said);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
      return fmt::format("no trusted TLS connection: {}; install ca-certificates, and check the clock and any proxy",
                         said);
    case CURLE_TOO_MANY_REDIRECTS:
      return fmt::format("more than {} redirects; check the URL", kMaxRedirects);
    case CURLE_UNSUPPORTED_PROTOCOL:
      return fmt::format("{}; only http, https and file URLs are read, and a redirect may lead to the web only", said);
    default:
      return fmt::format("{}; check the URL", said);
  }
}

void configure(CURL* curl, const std::string& url, const DownloadOptions& options, Transfer& transfer, char* error) {
  const auto set = [&](CURLoption option, auto value) {
    const CURLcode code = curl_easy_setopt(curl, option, value);
    DOTIN_CHECK(code == CURLE_OK, "{}: libcurl refuses an option ({})", url, curl_easy_strerror(code));
  };
  set(CURLOPT_ERRORBUFFER, error);
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_USERAGENT, "dotin");
  set(CURLOPT_PROTOCOLS_STR, "http,https,file");
  set(CURLOPT_REDIR_PROTOCOLS_STR, redirect_protocols(url));
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, kMaxRedirects);
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(options.connect_timeout_seconds));
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stall_timeout_seconds));
  set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(options.max_bytes));
  set(CURLOPT_WRITEFUNCTION, &on_data);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &on_progress);
  set(CURLOPT_XFERINFODATA, static_cast<void*>(&transfer));
}

}  // namespace

void download(const std::string& url, AtomicFile& file, const DownloadOptions& options, core::Progress& progress) {
  DOTIN_CHECK(starts_with(url, "http://") || starts_with(url, "https://") || starts_with(url, "file://"),
              "{}: not a URL that can be downloaded; it must start with https://, http:// or file://", url);
  Transfer transfer{file, progress, options, url.substr(url.rfind('/') + 1), 0, false, nullptr};
  const CurlHandle curl = new_handle();
  char details[CURL_ERROR_SIZE] = {};
  configure(curl.get(), url, options, transfer, details);

  const CURLcode code = curl_easy_perform(curl.get());
  if (transfer.failure != nullptr) std::rethrow_exception(transfer.failure);
  DOTIN_CHECK(!transfer.too_large && code != CURLE_FILESIZE_EXCEEDED, "{}: larger than {}, the most that is downloaded",
              url, core::format_bytes(options.max_bytes));
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  DOTIN_CHECK(code == CURLE_OK, "{}: cannot download: {}", url, explain(code, transfer, details, status));
}

std::string sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  DOTIN_CHECK(file.good(), "{}: cannot read", path);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  bool good = context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  std::string piece(std::size_t{1} << 20, '\0');
  while (good && (file.read(piece.data(), static_cast<std::streamsize>(piece.size())), file.gcount() > 0)) {
    good = EVP_DigestUpdate(context.get(), piece.data(), static_cast<std::size_t>(file.gcount())) == 1;
  }
  DOTIN_CHECK(file.eof() && !file.bad(), "{}: cannot read all of it", path);
  unsigned char digest[EVP_MAX_MD_SIZE] = {};
  unsigned int size = 0;
  good = good && EVP_DigestFinal_ex(context.get(), digest, &size) == 1;
  DOTIN_CHECK(good, "{}: OpenSSL cannot compute SHA-256", path);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace dotin::io
