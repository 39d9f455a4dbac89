// Links all of dotin, the private dependencies of its static libraries included.
#include <cstdio>

#include "dotin/core/error.h"
#include "dotin/data/open.h"
#include "dotin/io/download.h"

int main() {
  try {
    dotin::data::open("no-such-dataset.zip", {});
  } catch (const dotin::core::Error& error) {
    std::printf("%s\n", error.what());
    return dotin::io::sha256_of_file("/dev/null").size() == 64 ? 0 : 1;
  }
  return 1;
}
