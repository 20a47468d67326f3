// Resources of a process, and their growth.
#pragma once

#include <sys/types.h>

#include <vector>

namespace datum::scenario {

struct Usage {
  double rss_kib = 0, anon_kib = 0, peak_kib = 0;  // resident; of it anonymous; peak of resident
  int descriptors = 0, threads = 0;
};
/// A sanitizer keeps freed memory, so the memory size is not conclusive.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_tells = false;
#else
constexpr bool memory_tells = true;
#endif

/// From /proc/PID/status and /proc/PID/fd. Throws std::runtime_error where the process does not exist.
Usage usage_of(pid_t pid);

/// Median of the slopes between all pairs of values (H. Theil 1950; P. K. Sen, J. Am. Stat. Assoc. 63, 1968, 1379). A
/// leak raises it under any noise. A single step, such as a newly filled arena, does not raise it, but shows in `span`.
struct Growth {
  double mean = 0, per_step = 0;
  double whole = 0;  // per_step over all steps, relative to the mean
  double span = 0;   // largest less smallest, relative to the mean
};
/// Values at equal steps; at least two.
Growth growth_of(const std::vector<double>& values);

}  // namespace datum::scenario
