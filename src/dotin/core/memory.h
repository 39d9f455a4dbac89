// How much memory the process uses, as the kernel counts it.
#pragma once

#include <cstdint>
#include <string>

namespace dotin::core {

/// Resident memory now, in bytes (0 where the system does not tell).
int64_t resident_bytes();

/// The most resident memory since the start, or since reset_peak_resident(), in bytes.
int64_t peak_resident_bytes();

/// Starts a new peak measurement. Returns false where the system does not allow it; the peak then goes on counting from
/// the start.
bool reset_peak_resident();

/// Memory that is still available to new work, in bytes (0 where the system does not tell): of the machine, or of the
/// control group (v1 or v2) that a container or a service is limited by, or of the limits of the process (ulimit -v and
/// -d), whichever is least. root: where /proc and /sys are looked for.
int64_t available_bytes(const std::string& root = "/");

/// Lets the process keep memory that it has freed for its next allocations. For programs that train: steps take and
/// free the same blocks, and giving them back to the system in between costs a page fault per 4 KiB. Does nothing where
/// the C library is not glibc.
void keep_freed_memory();

/// "1.5 GiB", "320 MiB", "12 KiB", "7 B".
std::string format_bytes(int64_t bytes);

/// "1.2 ms", "3.4 s", "5 min 07 s", "2 h 05 min".
std::string format_seconds(double seconds);

}  // namespace dotin::core
