#include "tests/drivers/sensor/altered_pread.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace datum::testing {

ssize_t system_pread(int fd, void* to, std::size_t size, off_t at) {
  return static_cast<ssize_t>(::syscall(SYS_pread64, fd, to, size, at));
}

namespace {

AlteredPread& alteration() {
  static AlteredPread set;
  return set;
}

ssize_t pread_of_test(int fd, void* to, std::size_t size, off_t at) {
  if (alteration()) {
    if (const auto result = alteration()(fd, to, size, at)) {
      if (*result >= 0) return *result;
      errno = static_cast<int>(-*result);
      return -1;
    }
  }
  return system_pread(fd, to, size, at);
}

}  // namespace

PreadAlteration::PreadAlteration(AlteredPread altered) { alteration() = std::move(altered); }
PreadAlteration::~PreadAlteration() { alteration() = nullptr; }

}  // namespace datum::testing

// Found before the C library's.
extern "C" ssize_t pread(int fd, void* to, std::size_t size, off_t at) {
  return datum::testing::pread_of_test(fd, to, size, at);
}
extern "C" ssize_t __pread_chk(int fd, void* to, std::size_t size, off_t at, std::size_t) {
  return datum::testing::pread_of_test(fd, to, size, at);
}
