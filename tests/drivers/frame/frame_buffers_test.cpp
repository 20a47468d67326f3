#include "drivers/frame/frame_buffers.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace datum {
namespace {

bool has_large_pages() {
  std::ifstream enabled("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  return std::getline(enabled, modes) && modes.find("[never]") == std::string::npos;
}

/// VmFlags of the mapping that has this address, as /proc/self/smaps states them.
std::string flags_at(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream range(line);
    std::uintptr_t from = 0, to = 0;
    char dash = 0;
    if (range >> std::hex >> from >> dash >> to && dash == '-') is_here = from <= wanted && wanted < to;
    if (is_here && line.rfind("VmFlags:", 0) == 0) return line + " ";
  }
  return "";
}

TEST(FrameBuffers, AskForLargePagesOfALargeFrameAlone) {
  if (!has_large_pages()) GTEST_SKIP() << "this kernel has no large pages";
  FrameBuffers buffers;
  const std::vector<std::int16_t> large = buffers.counts<std::int16_t>(8 << 20);
  EXPECT_NE(flags_at(large.data() + large.size() / 2).find(" hg "), std::string::npos);
  const std::vector<std::uint8_t> small = buffers.bytes(1 << 20);
  EXPECT_EQ(flags_at(small.data() + small.size() / 2).find(" hg "), std::string::npos);
}

TEST(FrameBuffers, KeepMemoryFromFrameToFrame) {
  FrameBuffers buffers(1);
  std::vector<std::uint8_t> first = buffers.bytes(1000);
  const std::uint8_t* const memory = first.data();
  buffers.give(std::move(first));
  std::vector<std::uint8_t> again = buffers.bytes(900);
  EXPECT_EQ(again.data(), memory);
  EXPECT_EQ(again.size(), 900u);
  EXPECT_EQ(buffers.bytes(5).size(), 5u) << "more than are kept";
}

}  // namespace
}  // namespace datum
