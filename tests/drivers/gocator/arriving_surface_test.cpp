// A surface that is hashed, converted and classed while it arrives is the frame that its bytes give when they are whole.
#include "drivers/sensor/arriving_surface.h"

#include <gtest/gtest.h>

#include <cstring>

#include "drivers/frame/frame_error.h"
#include "drivers/gocator/data_receiver.h"
#include "drivers/sensor/gocator_frame.h"
#include "tests/drivers/early_copies.h"
#include "tests/drivers/gocator/gocator_rig.h"

namespace datum {
namespace {

using testing::gocator_profile;

/// Five leaves and a part; values that no thread can mix up, unmeasured ones, and some out of range.
HeightFrame large_frame() {
  HeightFrame f = testing::small_frame();
  f.rows = 701;
  f.cols = 983;
  std::vector<std::int16_t> counts(f.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] = i % 97 == 5 ? std::int16_t{-32768} : static_cast<std::int16_t>(i * 7919 % 16384 - 8192);
  f.counts = std::move(counts);
  return f;
}

template <class Number>
void put(GocatorBytes& bytes, std::size_t at, Number number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
}

/// Adds the message of an intensity to a data set.
void add_grey(GocatorBytes& set, const HeightFrame& frame) {
  constexpr std::uint16_t last = 0x8000;
  for (std::size_t at = 0; at < set.size(); at += gocator::at<std::uint32_t>(set, at))
    put(set, at + 4, static_cast<std::uint16_t>(gocator::at<std::uint16_t>(set, at + 4) & ~last));
  constexpr std::size_t head = 40;
  GocatorBytes grey(head + frame.size());
  put(grey, 0, static_cast<std::uint32_t>(grey.size()));
  put(grey, 4, static_cast<std::uint16_t>(last | 9));
  put(grey, 6, std::uint16_t{head - 8});
  put(grey, 8, static_cast<std::uint32_t>(frame.rows));
  put(grey, 12, static_cast<std::uint32_t>(frame.cols));
  for (std::size_t i = 0; i < frame.size(); ++i) grey[head + i] = static_cast<std::uint8_t>(i * 31 % 251);
  set.insert(set.end(), grey.begin(), grey.end());
}

GocatorBytes sent(const HeightFrame& frame, bool with_grey = false) {
  VirtualGocatorDevice device(67890, "board.job");
  GocatorBytes bytes = device.expose(frame, 5'000'000).bytes;
  if (with_grey) add_grey(bytes, frame);
  return bytes;
}

class Consumer final : public gocator::SurfaceConsumer {
 public:
  explicit Consumer(const SensorProfile& profile) : profile_(profile) {}
  std::unique_ptr<gocator::SurfaceWork> surface_begins(gocator::DataSet& set) override {
    ++begun;
    return std::make_unique<ArrivingSurface>(set, profile_, workers_);
  }
  int begun = 0;

 private:
  const SensorProfile& profile_;
  std::shared_ptr<PieceWorkers> workers_ = std::make_shared<PieceWorkers>(3);
};

void receive(gocator::DataReceiver& receiver, ByteView bytes, std::size_t at_once) {
  while (!bytes.empty()) {
    const auto room = receiver.room();
    const std::size_t n = std::min({room.size(), bytes.size(), at_once});
    std::copy_n(bytes.begin(), n, room.begin());
    receiver.received(n);
    bytes = bytes.subspan(n);
  }
}

HeightFrame frame_of(gocator::DataSet&& set, const SensorProfile& profile) {
  return GocatorFrame(std::move(set), "a surface", {}).read(profile);
}

void expect_same(const HeightFrame& a, const HeightFrame& b) {
  EXPECT_EQ(a.content_sha256, b.content_sha256);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.counts, b.counts);
  EXPECT_EQ(a.x.offset_mm, b.x.offset_mm);
  EXPECT_EQ(a.mirrored, b.mirrored);
  ASSERT_EQ(a.intensity.has_value(), b.intensity.has_value());
  if (!a.intensity) return;
  EXPECT_EQ(a.intensity->grey, b.intensity->grey);
}

TEST(ArrivingSurface, IsTheFrameOfItsWholeBytes) {
  for (const Handedness hand : {Handedness::left, Handedness::right})
    for (const bool with_grey : {false, true})
      for (const std::size_t at_once : {std::size_t{4001}, std::size_t{1} << 20}) {
        SCOPED_TRACE(::testing::Message()
                     << (hand == Handedness::left ? "left" : "right") << with_grey << " by " << at_once);
        SensorProfile profile = gocator_profile();
        profile.handedness = hand;
        profile.reading.threads = 2;
        profile.reading.buffers = std::make_shared<FrameBuffers>();
        profile.reading.early = std::make_shared<testing::EarlyCopies>();
        const GocatorBytes bytes = sent(large_frame(), with_grey);
        Consumer consumer(profile);
        gocator::DataReceiver receiver(std::size_t{64} << 20, &consumer);
        receive(receiver, bytes, at_once);
        auto set = receiver.next();
        ASSERT_TRUE(set && set->work);
        const HeightFrame whole = frame_of(gocator::data_set_of_file(bytes), profile);
        EXPECT_GT(whole.count_of(PixelClass::out_of_range), 0u);
        EXPECT_GT(whole.count_of(PixelClass::no_data), 0u);
        EXPECT_EQ(whole.intensity.has_value(), with_grey);
        const HeightFrame frame = frame_of(std::move(*set), profile);
        testing::EarlyCopies::expect_holds(frame);
        EXPECT_FALSE(HeightFrame(frame).early.taken) << "a copy belongs to other counts";
        expect_same(frame, whole);
      }
}

// Another range or hand than the surface was worked on for: all is done anew.
TEST(ArrivingSurface, IsReadWholeForAnotherProfile) {
  SensorProfile profile = gocator_profile(), narrow = profile;
  narrow.z_max_mm = 1;
  narrow.handedness = Handedness::right;
  const GocatorBytes bytes = sent(large_frame());
  Consumer consumer(profile);
  gocator::DataReceiver receiver(std::size_t{64} << 20, &consumer);
  receive(receiver, bytes, 100'000);
  expect_same(frame_of(std::move(*receiver.next()), narrow),
              frame_of(gocator::data_set_of_file(bytes), narrow));
}

// Its memory goes after the work on it (the sanitizers look at this).
TEST(ArrivingSurface, IsGivenUpInItsMiddleAndAnotherOneComes) {
  const SensorProfile profile = gocator_profile();
  const GocatorBytes bytes = sent(large_frame());
  Consumer consumer(profile);
  gocator::DataReceiver receiver(std::size_t{64} << 20, &consumer);
  for (const std::size_t part : {bytes.size() / 3, bytes.size() - 1}) {
    receive(receiver, ByteView(bytes).first(part), 1 << 19);
    receiver.reset();
  }
  receive(receiver, bytes, 1 << 20);
  EXPECT_EQ(consumer.begun, 3);
  expect_same(frame_of(std::move(*receiver.next()), profile),
              frame_of(gocator::data_set_of_file(bytes), profile));
}

}  // namespace
}  // namespace datum
