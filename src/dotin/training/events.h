// Scalars over time in the files that TensorBoard reads (docs/formats.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

namespace dotin::training {

/// CRC-32C (Castagnoli), as iSCSI and TFRecord use it: "123456789" gives 0xE3069283.
uint32_t crc32c(const void* bytes, std::size_t size);

/// Seconds since 1970.
double wall_time();

/// Writes one new file events.out.tfevents.<seconds>.<host>.<pid> into a folder (made if missing). TensorBoard joins
/// all the event files of a folder, so a resumed run just writes another one.
class EventWriter {
 public:
  explicit EventWriter(const std::string& folder, std::function<double()> clock = wall_time);

  /// A point of the curve `tag`, e.g. "validation/classify/accuracy".
  void scalar(const std::string& tag, int64_t step, double value);

  /// Hands all that was written to the system; core::Error where that fails (a full disk, say).
  void flush();

  const std::string& path() const { return path_; }

 private:
  void record(const std::string& event);

  std::string path_;
  std::function<double()> clock_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace dotin::training
