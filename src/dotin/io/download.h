// Downloads with libcurl: TLS verified, written to a temporary name and renamed, SHA-256 recorded.
#pragma once

#include <string>

#include "dotin/core/progress.h"
#include "dotin/io/atomic_file.h"

namespace dotin::io {

struct DownloadOptions {
  int connect_timeout_seconds = 10;
  int stall_timeout_seconds = 30;  // give up after so long under 1 byte a second
  int64_t max_bytes = int64_t{16} << 30;
};

/// Downloads url (http, https, file) into a file; committing it is up to the caller. Throws core::Error that says what
/// failed (cannot resolve, connection refused, HTTP 404, TLS, too large) and what to do.
void download(const std::string& url, AtomicFile& file, const DownloadOptions& options, core::Progress& progress);

/// Lower-case hex SHA-256 of a file, read in pieces.
std::string sha256_of_file(const std::string& path);

}  // namespace dotin::io
