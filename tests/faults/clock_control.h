// Control of a program's time of day at run time (clock_library.cpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace datum::faults {

struct ClockControl {
  std::atomic<std::int64_t> ahead_ns;  // offset to the true time of day
};

constexpr const char* clock_control_variable = "FAULT_CLOCK_CONTROL";  // path of a file with a ClockControl

}  // namespace datum::faults
