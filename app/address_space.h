// Whether there is room for the libraries at all (ulimit -v).
#pragma once

#include <cstdint>
#include <string>

namespace dotin::app {

/// What a program is linked with.
enum class Libraries { blas, torch };

/// What is wrong with a limit on the address space of so many bytes (negative: none) on a machine with so many
/// processors; empty if nothing. libtorch takes a GiB before it is used, and OpenBLAS, where it gets no memory for its
/// threads, asks again for ever.
std::string too_little_address_space(int64_t limit, int processors, Libraries libraries = Libraries::torch);

/// The limit of this process; negative: none.
int64_t address_space_limit();

}  // namespace dotin::app
