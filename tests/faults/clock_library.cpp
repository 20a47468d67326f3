// Preloaded into datumd (LD_PRELOAD): an adjustable time of day. As in the kernel, the monotonic clock, timers and file
// times are not affected.
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

#include <cstdlib>

#include "tests/faults/clock_control.h"
#include "tests/faults/disk_control.h"

namespace {

using namespace datum::faults;

constexpr std::int64_t second_ns = 1'000'000'000;
ClockControl* control = nullptr;

__attribute__((constructor)) void begin() {
  if (const char* name = std::getenv(clock_control_variable)) control = share<ClockControl>(name);
}

int true_time(clockid_t clock, timespec* to) {
  static auto* const real =
      reinterpret_cast<int (*)(clockid_t, timespec*)>(::dlsym(RTLD_NEXT, "clock_gettime"));
  return real(clock, to);
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* to) noexcept {
  const int result = true_time(clock, to);
  if (result != 0 || !control || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  const std::int64_t ns = to->tv_sec * second_ns + to->tv_nsec + control->ahead_ns;
  *to = {ns / second_ns, ns % second_ns};
  return 0;
}

int gettimeofday(timeval* to, void*) noexcept {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  *to = {time.tv_sec, time.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* to) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (to) *to = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
