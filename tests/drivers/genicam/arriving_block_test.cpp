// A block that is worked on while it arrives is the frame that its bytes give when they are whole, whatever was read of it before.
#include "drivers/sensor/arriving_block.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <limits>

#include "drivers/genicam/payload_error.h"
#include "tests/drivers/early_copies.h"
#include "tests/drivers/genicam/camera_blocks.h"

namespace datum::arriving_block_test {
namespace {

using namespace datum::testing;
using ::testing::HasSubstr;
using CameraSetup = genicam::Setup;

constexpr std::uint32_t cols = block_cols, rows = block_rows;
constexpr std::size_t leaf = 256 << 10;

genicam::Payload floats() {
  std::vector<float> values(std::size_t{cols} * rows);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = i % 97 == 5 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(i * 7919 % 65536);
  return payload_of(c32f, cols, rows, bytes_of(values));
}

CameraSetup setup_of(const genicam::Payload& payload) {
  CameraSetup setup = rectified();
  setup.width = cols;
  setup.height = rows;
  if (payload.parts[0].pixel_format != c32f) return setup;
  setup.pixel_format = "Coord3D_C32f";
  setup.scan3d.axes[2].invalid.reset();
  return setup;
}

/// A block in its memory, of which nothing has arrived.
struct Reception {
  Reception(genicam::Payload sent_payload, const CameraSetup& setup, const SensorProfile& profile)
      : sent(std::move(sent_payload)),
        setup(setup),
        memory(sent.bytes.size(), 0xA5),
        work(std::make_shared<ArrivingBlock>(memory, setup, profile, workers)) {}

  void receive(std::size_t from, std::size_t to) {
    std::copy(sent.bytes.begin() + static_cast<std::ptrdiff_t>(from),
              sent.bytes.begin() + static_cast<std::ptrdiff_t>(to),
              memory.begin() + static_cast<std::ptrdiff_t>(from));
  }
  void receive_all_by(std::size_t at_once) {
    for (std::size_t at = 0; at < memory.size();) {
      const std::size_t to = std::min(at + at_once, memory.size());
      receive(at, to);
      at = to;
      work->arrived(at);
    }
  }
  /// Until what has arrived is worked on.
  void settle() const {
    std::promise<void> done;  // of the last piece, by the one worker
    workers->submit([&] { done.set_value(); });
    done.get_future().wait();
  }
  genicam::Payload whole() {
    genicam::Payload payload = sent;
    payload.bytes = std::move(memory);
    return payload;
  }
  HeightFrame read(const SensorProfile& profile) {
    return GenicamFrame(whole(), setup, block_origin, {}, std::move(work)).read(profile);
  }

  genicam::Payload sent;
  CameraSetup setup;
  std::vector<std::uint8_t> memory;
  std::shared_ptr<PieceWorkers> workers = std::make_shared<PieceWorkers>(1);
  std::shared_ptr<ArrivingBlock> work;
};

HeightFrame read_whole(const genicam::Payload& payload, const CameraSetup& setup,
                       const SensorProfile& profile) {
  genicam::Payload copy = payload;
  return GenicamFrame(std::move(copy), setup, block_origin).read(profile);
}

void expect_same(const HeightFrame& a, const HeightFrame& b) {
  EXPECT_EQ(a.content_sha256, b.content_sha256);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.x.offset_mm, b.x.offset_mm);
  EXPECT_EQ(a.mirrored, b.mirrored);
  ASSERT_EQ(a.counts.index(), b.counts.index());
  std::visit(
      [&](const auto& values) {
        const auto& others = std::get<std::decay_t<decltype(values)>>(b.counts);
        ASSERT_EQ(values.size(), others.size());
        EXPECT_EQ(std::memcmp(values.data(), others.data(), values.size() * sizeof values[0]), 0);
      },
      a.counts);
}

TEST(ArrivingBlock, IsTheFrameOfItsWholeBytes) {
  for (const genicam::Payload& sent : {counted_block(), floats()})
    for (const Handedness hand : {Handedness::right, Handedness::left})
      for (const std::size_t at_once : {std::size_t{4001}, std::size_t{300'000}, std::size_t{1} << 22}) {
        SensorProfile profile = camera_profile(hand);
        profile.reading.early = std::make_shared<EarlyCopies>();
        Reception reception(sent, setup_of(sent), profile);
        reception.receive_all_by(at_once);
        HeightFrame described;
        const auto heights = genicam::plain_heights(sent, reception.setup, "", described);
        ASSERT_TRUE(heights);
        EXPECT_TRUE(reception.work->has_pixels(*heights, described, profile));
        const HeightFrame frame = reception.read(profile);
        EXPECT_GT(frame.count_of(PixelClass::out_of_range), 0u);
        EXPECT_GT(frame.count_of(PixelClass::no_data), 0u);
        EarlyCopies::expect_holds(frame);
        expect_same(frame, read_whole(sent, reception.setup, profile));
      }
}

// The receiver counts bytes; a packet that comes late, again after it was asked for, say, makes its count a wrong one.
TEST(ArrivingBlock, PacketsThatComeLateAreReadInTheEnd) {
  for (const genicam::Payload& sent : {counted_block(), floats()}) {
    SensorProfile profile = camera_profile(Handedness::left);
    profile.reading.early = std::make_shared<EarlyCopies>();
    Reception reception(sent, setup_of(sent), profile);
    const std::size_t late = leaf + 7000, late_end = late + 1400;
    reception.receive(0, late);
    reception.receive(late_end, sent.bytes.size());
    reception.work->arrived(sent.bytes.size());
    reception.settle();
    genicam::Payload early = sent;
    early.bytes = reception.memory;
    const HeightFrame read_early = read_whole(early, reception.setup, profile);
    reception.receive(late, late_end);
    const HeightFrame frame = reception.read(profile);
    EXPECT_NE(frame.content_sha256, read_early.content_sha256);
    EarlyCopies::expect_holds(frame);
    expect_same(frame, read_whole(sent, reception.setup, profile));
  }
}

// Another range, hand, mark or size than those it was worked on for: its pixels are made anew.
TEST(ArrivingBlock, IsReadWholeForWhatWasNotExpected) {
  const SensorProfile profile = camera_profile(Handedness::left);
  SensorProfile narrow = profile, other_hand = profile;
  narrow.z_max_mm = 1;
  other_hand.handedness = Handedness::right;
  for (const SensorProfile& other : {narrow, other_hand}) {
    Reception reception(counted_block(), setup_of(counted_block()), profile);
    reception.receive_all_by(100'000);
    expect_same(reception.read(other), read_whole(counted_block(), setup_of(counted_block()), other));
  }
  CameraSetup unmarked = setup_of(counted_block()), smaller = unmarked, general = unmarked;
  unmarked.scan3d.axes[2].invalid.reset();
  smaller.height = rows - 1;
  general.pixel_format = "Coord3D_ABC16";
  for (const CameraSetup& other : {unmarked, smaller, general}) {
    Reception reception(counted_block(), other, profile);
    reception.receive_all_by(100'000);
    reception.setup = setup_of(counted_block());
    expect_same(reception.read(profile), read_whole(counted_block(), reception.setup, profile));
  }
}

TEST(ArrivingBlock, PartsBesideTheHeightsAreHashedWhileTheyArrive) {
  const SensorProfile profile = camera_profile(Handedness::left);
  genicam::Payload sent = counted_block();
  std::vector<std::uint8_t> grey(std::size_t{cols} * rows);
  for (std::size_t i = 0; i < grey.size(); ++i) grey[i] = static_cast<std::uint8_t>(i * 31 % 251);
  add_part(sent, mono8, cols, rows, grey);
  Reception reception(sent, setup_of(sent), profile);
  reception.receive_all_by(65'536);
  const HeightFrame frame = reception.read(profile);
  ASSERT_TRUE(frame.intensity);
  expect_same(frame, read_whole(sent, reception.setup, profile));
}

TEST(ArrivingBlock, AnInfiniteHeightIsNamed) {
  const SensorProfile profile = camera_profile(Handedness::right);
  genicam::Payload sent = floats();
  const float infinite = std::numeric_limits<float>::infinity();
  std::memcpy(sent.bytes.data() + (std::size_t{2} * cols + 3) * sizeof infinite, &infinite, sizeof infinite);
  Reception reception(sent, setup_of(sent), profile);
  reception.receive_all_by(1 << 20);
  try {
    reception.read(profile);
    FAIL();
  } catch (const genicam::PayloadError& error) {
    EXPECT_THAT(error.what(), HasSubstr("coordinate C is infinite at row 2, column 3"));
  }
}

// Its memory goes after the work on it (the sanitizers look at this).
TEST(ArrivingBlock, IsGivenUpInItsMiddle) {
  const SensorProfile profile = camera_profile(Handedness::left);
  Reception reception(floats(), setup_of(floats()), profile);
  reception.receive(0, 2 * leaf);
  reception.work->arrived(2 * leaf);
  reception.work.reset();
  std::fill(reception.memory.begin(), reception.memory.end(), std::uint8_t{0});
}

}  // namespace
}  // namespace datum::arriving_block_test
