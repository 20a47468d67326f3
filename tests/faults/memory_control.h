// Memory exhaustion at a chosen allocation, switched at run time (memory_library.cpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace datum::faults {

struct MemoryControl {
  std::atomic<std::int64_t> until;   // number of allocations that succeed; below 0: all
  std::atomic<std::int64_t> fail;    // number of allocations that fail after them
  std::atomic<std::int64_t> failed;  // failed allocations
  std::atomic<std::int64_t> made;    // requested allocations
};

// Path of a file with a MemoryControl.
constexpr const char* memory_control_variable = "FAULT_MEMORY_CONTROL";

}  // namespace datum::faults
