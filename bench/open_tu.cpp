// How long a TU zip takes to open, against `unzip -p X | wc -l` in the same run: bench_open_tu [X.zip]
//
// The two alternate, so that whatever else the machine does hits both. Prints medians, spreads, their ratio, and how
// much memory opening takes above the idle process.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "dotin/core/memory.h"
#include "dotin/data/dataset.h"
#include "dotin/io/tu.h"

namespace {

constexpr int kRepetitions = 7;

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Times {
  std::vector<double> seconds;

  void print(const char* name) {
    std::sort(seconds.begin(), seconds.end());
    fmt::print("{:<22} median {:7.1f} ms, from {:.1f} to {:.1f}\n", name, 1e3 * median(), 1e3 * seconds.front(),
               1e3 * seconds.back());
  }
  /// Of the sorted times.
  double median() const { return seconds[seconds.size() / 2]; }
};

std::string default_zip() {
  const char* const folder = std::getenv("DOTIN_DATA");
  return (std::filesystem::path(folder != nullptr ? folder : "../shared/data") / "DD.zip").string();
}

dotin::io::Records read(const std::string& zip) {
  dotin::io::ThrowingSink problems;
  return dotin::io::read_tu(zip, {}, problems);
}

dotin::data::Dataset open(const std::string& zip) {
  return dotin::data::build_dataset(read(zip), dotin::data::DuplicatePolicy::merge);
}

}  // namespace

int main(int argc, char** argv) {
  using dotin::core::format_bytes;
  const std::string zip = argc > 1 ? argv[1] : default_zip();
  if (!std::filesystem::exists(zip)) {
    fmt::print(stderr, "{}: no such file; usage: bench_open_tu [X.zip]\n", zip);
    return 2;
  }
  const std::string unzip = "unzip -p '" + zip + "' | wc -l > /dev/null";

  const int64_t idle = dotin::core::resident_bytes();
  dotin::core::reset_peak_resident();
  read(zip);
  const int64_t read_peak = dotin::core::peak_resident_bytes() - idle;
  open(zip);
  const int64_t open_peak = dotin::core::peak_resident_bytes() - idle;

  Times unzip_times, read_times, open_times;
  for (int i = 0; i < kRepetitions; ++i) {
    unzip_times.seconds.push_back(seconds([&] {
      if (std::system(unzip.c_str()) != 0) std::exit(1);
    }));
    read_times.seconds.push_back(seconds([&] { read(zip); }));
    open_times.seconds.push_back(seconds([&] { open(zip); }));
  }
  unzip_times.print("unzip -p | wc -l");
  read_times.print("read_tu");
  open_times.print("read_tu, build_dataset");
  fmt::print("ratio to unzip         read_tu {:.2f}, with build_dataset {:.2f}\n",
             read_times.median() / unzip_times.median(), open_times.median() / unzip_times.median());
  fmt::print("peak above idle        read_tu {}, with build_dataset {}\n", format_bytes(read_peak),
             format_bytes(open_peak));
}
