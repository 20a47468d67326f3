// Splits, truncation, garbage, wrong sizes: typed errors and bounded memory.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "drivers/gocator/protocol_error.h"
#include "tests/drivers/gocator/golden.h"

namespace datum::gocator {
namespace {

using datum::testing::Bytes;
using datum::testing::golden_intensity_at;
using datum::testing::golden_surface;
using datum::testing::golden_surface_at;
using datum::testing::received;
using datum::testing::with;

/// The fault of refused bytes; none: accepted.
std::optional<Fault> fault_of(const Bytes& bytes, std::size_t most = 1 << 20) {
  DataReceiver receiver(most);
  try {
    received(receiver, bytes);
  } catch (const ProtocolError& error) {
    return error.fault();
  }
  return std::nullopt;
}

TEST(GocatorHostileBytes, SplitAtEveryByteTheyAreTheSame) {
  const Bytes golden = golden_surface();
  for (std::size_t split = 0; split <= golden.size(); ++split) {
    DataReceiver receiver(1 << 20);
    const ByteView all(golden);
    auto sets = received(receiver, all.first(split));
    EXPECT_EQ(sets.size(), split == golden.size() ? 1u : 0u);
    EXPECT_EQ(receiver.within_set(), split != 0 && split != golden.size()) << split;
    for (auto& set : received(receiver, all.subspan(split))) sets.push_back(std::move(set));
    ASSERT_EQ(sets.size(), 1u) << split;
    EXPECT_EQ(sets[0].heights, received(golden)[0].heights) << split;
    EXPECT_EQ(sets[0].stamp->serial, 67890u) << split;
  }
}

TEST(GocatorHostileBytes, ByteByByteTheyAreTheSame) {
  DataReceiver receiver(1 << 20);
  const auto sets = received(receiver, golden_surface(), 1);
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].intensity->cols, 3u);
  EXPECT_EQ(sets[0].grey_bytes()[5], 255);
}

TEST(GocatorHostileBytes, EveryTruncationGivesNoSet) {
  const Bytes golden = golden_surface();
  for (std::size_t size = 0; size < golden.size(); ++size)
    EXPECT_TRUE(received(Bytes(golden.begin(), golden.begin() + static_cast<std::ptrdiff_t>(size))).empty());
}

TEST(GocatorHostileBytes, LiesAboutSizesAreTyped) {
  const Bytes golden = golden_surface();
  const auto u32 = [&](std::size_t at, std::uint32_t v) { return with(golden, at, v); };
  const auto u16 = [&](std::size_t at, std::uint16_t v) { return with(golden, at, v); };
  const std::size_t surface = golden_surface_at, intensity = golden_intensity_at;
  EXPECT_EQ(fault_of(u32(0, 5)), Fault::too_short);
  EXPECT_EQ(fault_of(u32(0, 0xFFFFFFFF)), Fault::too_long);
  EXPECT_EQ(fault_of(u32(0, 100'000)), Fault::too_long) << "a stamp is small";
  EXPECT_EQ(fault_of(u16(10, 55)), Fault::attribute_size) << "a stamp of 55 bytes";
  EXPECT_EQ(fault_of(u32(6, 2)), Fault::size_mismatch) << "two stamps in the room of one";
  EXPECT_EQ(fault_of(u32(6, 0xFFFFFFFF)), Fault::size_mismatch);
  EXPECT_EQ(fault_of(u32(surface, 7)), Fault::too_short);
  EXPECT_EQ(fault_of(u16(surface + 6, 43)), Fault::attribute_size);
  EXPECT_EQ(fault_of(u16(surface + 6, 73)), Fault::attribute_size) << "beyond its message";
  EXPECT_EQ(fault_of(u16(surface + 6, 61)), Fault::size_mismatch);
  EXPECT_EQ(fault_of(u32(surface + 8, 3)), Fault::size_mismatch);
  EXPECT_EQ(fault_of(u32(surface + 12, 2)), Fault::size_mismatch);
  EXPECT_EQ(fault_of(u32(surface, 82)), Fault::size_mismatch);
  EXPECT_EQ(fault_of(u16(intensity + 6, 31)), Fault::attribute_size);
  EXPECT_EQ(fault_of(u32(intensity + 8, 1)), Fault::size_mismatch);
  EXPECT_EQ(fault_of(golden, 79), Fault::too_long) << "the limit of the cell";
  EXPECT_EQ(fault_of(golden, 80), std::nullopt);
}

TEST(GocatorHostileBytes, ASizeThatOverflowsIsNoSize) {
  Bytes bytes = golden_surface();
  bytes.resize(golden_surface_at + 72);
  bytes = with(bytes, golden_surface_at, std::uint32_t{72});
  // Rows x columns is 2^63 + 2; two bytes each are 4 modulo 2^64, the available size.
  bytes = with(bytes, golden_surface_at + 8, std::uint32_t{0xFFFE0002});
  bytes = with(bytes, golden_surface_at + 12, std::uint32_t{0x80010001});
  EXPECT_EQ(fault_of(bytes), Fault::size_mismatch);
}

TEST(GocatorHostileBytes, GarbageBeforeASetIsNeverASet) {
  for (const int garbage : {0x00, 0x0A, 0x80, 0xFF}) {
    for (const std::size_t size : {1, 2, 3, 4, 5, 6, 7, 100}) {
      Bytes bytes(size, static_cast<std::uint8_t>(garbage));
      const Bytes golden = golden_surface();
      bytes.insert(bytes.end(), golden.begin(), golden.end());
      DataReceiver receiver(1 << 20);
      try {
        for (const auto& set : received(receiver, bytes))
          EXPECT_FALSE(set.surface && set.stamp) << garbage << " x " << size;
      } catch (const ProtocolError&) {
      }
    }
  }
}

TEST(GocatorHostileBytes, AfterAResetItReadsAgain) {
  DataReceiver receiver(1 << 20);
  EXPECT_THROW(received(receiver, Bytes(6, 0)), ProtocolError);
  receiver.reset();
  EXPECT_EQ(received(receiver, golden_surface()).size(), 1u);
  received(receiver, Bytes(3, 1));
  receiver.reset();
  EXPECT_EQ(received(receiver, golden_surface()).size(), 1u);
}

// A set without end must not grow without bound either.
TEST(GocatorHostileBytes, MeasurementsWithoutEndEndTheLink) {
  Bytes message;
  append(message, std::uint32_t{14 + 8 * 8000});
  append(message, std::uint16_t{10});
  append(message, std::uint32_t{8000});
  append(message, std::uint32_t{0});
  message.resize(14 + 8 * 8000);
  DataReceiver receiver(1 << 20);
  const auto forever = [&] {
    for (int i = 0; i < 100; ++i) received(receiver, message);
  };
  EXPECT_THROW(forever(), ProtocolError);
}

// 50 000 mutations of the golden bytes: no crash (also under the sanitizers), typed errors only.
TEST(GocatorHostileBytes, MutationsGiveTypedErrorsAlone) {
  std::mt19937 random(1);
  std::map<Fault, int> seen;
  int whole = 0;
  for (int round = 0; round < 50'000; ++round) {
    Bytes bytes = golden_surface();
    for (auto n = 1 + random() % 3; n > 0; --n)
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random() % 4 == 0 ? 0xFF : random());
    DataReceiver receiver(4096);
    try {
      for (auto& set : received(receiver, bytes, 1 + random() % 64)) {
        ++whole;
        EXPECT_EQ(set.heights.size(), set.surface ? set.surface->pixels() : 0);
      }
    } catch (const ProtocolError& error) {
      ++seen[error.fault()];
    }
  }
  EXPECT_GT(whole, 1000);
  for (const Fault fault : {Fault::too_short, Fault::too_long, Fault::attribute_size, Fault::size_mismatch})
    EXPECT_GT(seen[fault], 0) << static_cast<int>(fault);
}

}  // namespace
}  // namespace datum::gocator
