// Who takes all pixels of frames early, and compares them with the frame when it is whole.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

#include "drivers/frame/height_frame.h"
#include "gpu/core/early_frame.h"

namespace datum::testing {

class EarlyCopies final : public EarlyPixels {
 public:
  std::shared_ptr<EarlyFrame> begin(CountType type, std::int32_t rows, std::int32_t cols) override {
    return std::make_shared<Copy>(type, static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  }

  /// A frame's pixels were all given, as they are now.
  static void expect_holds(const HeightFrame& frame) {
    const auto* copy = dynamic_cast<const Copy*>(frame.early.taken.get());
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(static_cast<std::size_t>(copy->type), frame.counts.index());
    EXPECT_FALSE(copy->changed_unannounced);
    EXPECT_EQ(copy->given, std::vector<std::uint8_t>(frame.size(), 1));
    EXPECT_EQ(std::memcmp(copy->classes.data(), frame.classes.data(), frame.size()), 0);
    std::visit(
        [&](const auto& counts) {
          EXPECT_EQ(copy->of, counts.data());
          EXPECT_EQ(std::memcmp(copy->counts.data(), counts.data(), counts.size() * sizeof counts[0]), 0);
        },
        frame.counts);
  }

 private:
  struct Copy final : EarlyFrame {
    Copy(CountType count_type, std::size_t pixels)
        : type(count_type),
          counts(pixels * (count_type == CountType::int16 ? 2 : 4)),
          classes(pixels, 0xEE),
          given(pixels) {}

    void put(const FrameView& frame, std::uint64_t first, std::uint64_t n) override {
      const std::size_t bytes = type == CountType::int16 ? 2 : 4;
      const std::lock_guard lock(mutex);
      of = frame.counts;
      std::memcpy(counts.data() + first * bytes, static_cast<const char*>(frame.counts) + first * bytes,
                  n * bytes);
      std::memcpy(classes.data() + first, frame.classes + first, n);
      const auto from = given.begin() + static_cast<std::ptrdiff_t>(first),
                 to = from + static_cast<std::ptrdiff_t>(n);
      if (withdrawn == 0 && std::find(from, to, 1) != to) changed_unannounced = true;
      std::fill(from, to, std::uint8_t{1});
    }
    void withdraw() override { ++withdrawn; }
    std::shared_ptr<EarlyWork> work(const FrameView&) override { return nullptr; }

    const CountType type;
    std::mutex mutex;
    std::vector<char> counts;
    std::vector<std::uint8_t> classes, given;
    const void* of = nullptr;
    std::atomic<int> withdrawn{0};
    bool changed_unannounced = false;
  };
};

}  // namespace datum::testing
