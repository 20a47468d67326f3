// Variations of firmware: attribute sizes, order, unknown messages; and sets that are no frame.
#include <gmock/gmock.h>

#include "drivers/frame/frame_error.h"
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Bytes part(std::size_t from, std::size_t to) {
  const Bytes all = golden_surface();
  return {all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(to)};
}
Bytes stamp() { return part(0, golden_surface_at); }
Bytes surface() { return part(golden_surface_at, golden_intensity_at); }
Bytes intensity() { return part(golden_intensity_at, 220); }

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Bytes last(Bytes message) {
  message[5] |= 0x80;
  return message;
}

/// The grid message with attributes of another size: truncated, or with unknown bytes before the payload.
Bytes with_attributes(const Bytes& message, std::size_t size) {
  const std::size_t old = at<std::uint16_t>(message, 6);
  Bytes head(message.begin(), message.begin() + 8 + static_cast<std::ptrdiff_t>(std::min(size, old)));
  head.resize(8 + size, 0xAB);
  Bytes all = head + Bytes(message.begin() + 8 + static_cast<std::ptrdiff_t>(old), message.end());
  return with(with(all, 0, static_cast<std::uint32_t>(all.size())), 6, static_cast<std::uint16_t>(size));
}

Bytes message_of(std::uint16_t type, const Bytes& body) {
  Bytes bytes;
  append(bytes, static_cast<std::uint32_t>(6 + body.size()));
  append(bytes, type);
  return bytes + body;
}

std::string refusal_of(const Bytes& bytes) {
  auto sets = received(bytes);
  if (sets.size() != 1) return "no single set";
  try {
    frame_of(std::move(sets[0]), "g");
  } catch (const FrameError& error) {
    return error.what();
  }
  return "";
}

TEST(GocatorData, PixelsBeginAfterTheAttributesWhateverTheirSize) {
  for (const std::size_t size : {44, 52, 60, 64, 68, 200}) {
    const auto sets = received(stamp() + last(with_attributes(surface(), size)));
    ASSERT_EQ(sets.size(), 1u) << size;
    EXPECT_THAT(sets[0].heights, ElementsAre(-32768, 0, 1, 2, -3, 32767)) << size;
    EXPECT_EQ(sets[0].surface->stream_step.has_value(), size >= 52) << size;
  }
  for (const std::size_t size : {32, 40, 48, 99}) {
    const auto sets = received(stamp() + surface() + with_attributes(intensity(), size));
    ASSERT_EQ(sets.size(), 1u) << size;
    EXPECT_THAT(sets[0].grey_bytes(), ElementsAre(0, 10, 20, 30, 40, 255)) << size;
  }
}

TEST(GocatorData, StampWithoutPtp) {
  Bytes older = stamp();
  older.resize(older.size() - 8);
  older = with(with(older, 0, static_cast<std::uint32_t>(older.size())), 10, std::uint16_t{56});
  const auto sets = received(older + last(surface()));
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].stamp->serial, 67890u);
  EXPECT_FALSE(sets[0].stamp->ptp_time);
}

TEST(GocatorData, UnknownMessagesArePassedOver) {
  const auto sets = received(message_of(2, Bytes(100'000, 7)) + stamp() + message_of(30, {}) + surface() +
                             message_of(777, {1, 2, 3}) + intensity());
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_THAT(sets[0].heights, ElementsAre(-32768, 0, 1, 2, -3, 32767));
  EXPECT_EQ(sets[0].grey_bytes().size(), 6u);
}

TEST(GocatorData, SurfacesOfToolsArePassedOver) {
  const Bytes tool = with(surface(), 52, std::int32_t{8});
  const auto sets = received(stamp() + tool + surface() + intensity());
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_TRUE(sets[0].refusal.empty()) << sets[0].refusal;
  EXPECT_EQ(sets[0].surface->stream_step, -1);
}

TEST(GocatorData, Measurements) {
  Bytes body;
  append(body, std::uint32_t{2});
  append(body, std::uint16_t{0});
  append(body, std::uint16_t{5});
  for (const auto& [value, decision] : {std::pair{-1250, 1}, std::pair{-2147483647 - 1, 2}}) {
    append(body, std::int32_t{value});
    append(body, static_cast<std::uint32_t>(decision));
  }
  const auto sets = received(last(message_of(10, body)));
  ASSERT_EQ(sets.size(), 1u);
  ASSERT_EQ(sets[0].measurements.size(), 2u);
  const auto& [first, second] = std::pair(sets[0].measurements[0], sets[0].measurements[1]);
  EXPECT_EQ(first.id, 5);
  EXPECT_EQ(first.value, -1250);
  EXPECT_TRUE(first.pass());
  EXPECT_EQ(first.code(), 0);
  EXPECT_FALSE(second.pass());
  EXPECT_EQ(second.code(), 1);
}

TEST(GocatorData, SetsAreToldApartByTheirLastMessage) {
  const Bytes next = with(golden_surface(), 14, std::uint64_t{8});
  const auto sets = received(golden_surface() + next + stamp());
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[0].stamp->frame_index, 7u);
  EXPECT_EQ(sets[1].stamp->frame_index, 8u);
}

TEST(GocatorData, WhatIsNoFrameIsRefusedInWords) {
  EXPECT_THAT(refusal_of(stamp() + last(message_of(28, Bytes(80)))), HasSubstr("point cloud"));
  EXPECT_THAT(refusal_of(last(surface())), HasSubstr("without a stamp"));
  EXPECT_THAT(refusal_of(last(stamp())), HasSubstr("no surface"));
  EXPECT_THAT(refusal_of(stamp() + surface() + last(surface())), HasSubstr("two surfaces"));
  EXPECT_THAT(refusal_of(stamp() + stamp() + last(surface())), HasSubstr("several stamps"));
  const Bytes other = with(with(intensity(), 8, std::uint32_t{3}), 12, std::uint32_t{2});
  EXPECT_THAT(refusal_of(stamp() + surface() + other), HasSubstr("another size"));
  EXPECT_EQ(refusal_of(golden_surface()), "");
}

TEST(GocatorData, AnEmptySurfaceIsNoFrame) {
  Bytes empty = surface();
  empty.resize(68);
  empty = last(with(with(empty, 0, std::uint32_t{68}), 8, std::uint32_t{0}));
  auto sets = received(stamp() + empty);
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_THROW(check(frame_of(std::move(sets[0]), "g")), FrameError);
}

TEST(GocatorData, AFileMayEndWithoutALastMarkButNotWithinAMessage) {
  const DataSet set = data_set_of_file(stamp() + surface());
  EXPECT_EQ(set.heights.size(), 6u);
  Bytes cut = golden_surface();
  cut.pop_back();
  EXPECT_THROW(data_set_of_file(cut), ProtocolError);
  EXPECT_THROW(data_set_of_file(golden_surface() + golden_surface()), ProtocolError);
}

}  // namespace
}  // namespace datum::gocator
