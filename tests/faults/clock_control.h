// The time of day as a program sees it, set while it runs (clock_library.cpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace datum::faults {

struct ClockControl {
  std::atomic<std::int64_t> ahead_ns;  // of the true time of day
};

constexpr const char* clock_control_variable = "FAULT_CLOCK_CONTROL";  // a file with a ClockControl

}  // namespace datum::faults
