// Memory that runs out at a chosen allocation, switched while a program runs (memory_library.cpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace datum::faults {

struct MemoryControl {
  std::atomic<std::int64_t> until;   // so many allocations succeed; below 0: all do
  std::atomic<std::int64_t> fail;    // then so many fail
  std::atomic<std::int64_t> failed;  // that did
  std::atomic<std::int64_t> made;    // all that were asked for
};

constexpr const char* memory_control_variable = "FAULT_MEMORY_CONTROL";  // a file with a MemoryControl

}  // namespace datum::faults
