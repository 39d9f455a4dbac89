// How much a reader accepts before it refuses: guards against broken and hostile files. All are options of the command
// line.
#pragma once

#include <cstdint>

namespace dotin::io {

struct Limits {
  int64_t max_entries = 10'000;                    // files in a zip
  int64_t max_unpacked_bytes = int64_t{64} << 30;  // of one zip, all wanted entries together
  double max_compression = 100;                    // unpacked entries / size of the zip; up to 16 MiB unpacked, any
  int64_t max_line_bytes = int64_t{64} << 20;      // one line of any text file
};

}  // namespace dotin::io
