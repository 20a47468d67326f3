// What a process takes of the machine, and whether it takes more and more.
#pragma once

#include <sys/types.h>

#include <vector>

namespace datum::scenario {

struct Usage {
  double rss_kib = 0, anon_kib = 0, peak_kib = 0;  // resident; of it not of files; the most that was
  int descriptors = 0, threads = 0;
};
/// Under a sanitizer a process keeps what it gave back, so that its memory tells nothing.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_tells = false;
#else
constexpr bool memory_tells = true;
#endif

/// Of /proc/PID/status and /proc/PID/fd. Throws std::runtime_error where the process is not there.
Usage usage_of(pid_t pid);

/// By the median of the slopes between all pairs (Theil, Sen): a leak makes it rise whatever the noise; a single step, an
/// arena that was filled once, does not, and shows in the span.
struct Growth {
  double mean = 0, per_step = 0;
  double whole = 0;  // per_step over all steps, as a part of the mean
  double span = 0;   // largest less smallest, as a part of the mean
};
/// Of values seen at equal steps; at least two.
Growth growth_of(const std::vector<double>& values);

}  // namespace datum::scenario
