// The system's pread as this test program's code sees it, with faults.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>

namespace datum::testing {

/// Called in place of pread; none: the call is made. A negative result is an errno.
using AlteredPread = std::function<std::optional<ssize_t>(int fd, void* to, std::size_t size, off_t at)>;

/// The call without an alteration.
ssize_t system_pread(int fd, void* to, std::size_t size, off_t at);

/// Alters every pread while it lives, of every thread.
class PreadAlteration {
 public:
  explicit PreadAlteration(AlteredPread altered);
  ~PreadAlteration();
  PreadAlteration(const PreadAlteration&) = delete;
  PreadAlteration& operator=(const PreadAlteration&) = delete;
};

}  // namespace datum::testing
