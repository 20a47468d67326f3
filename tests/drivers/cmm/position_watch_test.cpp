// Plausibility of successive positions, and acknowledged polls, through the codec.
#include "drivers/cmm/position_watch.h"

#include <gmock/gmock.h>

#include "drivers/cmm/codec.h"
#include "drivers/cmm/presets.h"
#include "tests/drivers/cmm/transcript.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr MonotonicNs ms = ns_per_ms;

// A free-running device that sends its three axes on one line.
struct Stream {
  CmmCodec codec;
  MonotonicNs now = 1000 * ms;

  static CmmSettings positional(const WatchSettings& watch) {
    CmmSettings s = proscale();
    s.layout = Layout::positional;
    s.grouping = Grouping::single_line;
    s.expression.clear();
    s.unit_token = UnitToken::none;
    s.watch = watch;
    return s;
  }
  explicit Stream(const WatchSettings& watch) : codec(positional(watch)) { send("the rest of a line"); }
  std::string send(const std::string& line) {
    now += 100 * ms;
    const std::string bytes = line + "\r\n";
    codec.receive(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), now);
    const auto sample = codec.next();
    return sample ? testing::text_of(*sample) : "nothing";
  }
};

TEST(PositionWatch, AJumpHoldsUntilAnOperatorConfirms) {
  Stream stream({50, 0, 0});  // 5 mm in the 0.1 s between lines
  EXPECT_EQ(stream.send("10, 20, 30"), "OK 10 20 30");
  EXPECT_EQ(stream.send("15, 20, 30"), "OK 15 20 30");
  const std::string jumped =
      "NOT_REFERENCED the position jumped by 15.000 mm within 0.100 s; allowed: 50 mm/s. Zeroed, preset or "
      "misread: check the device, then confirm that it is referenced";
  EXPECT_EQ(stream.send("0, 20, 30"), jumped);
  EXPECT_EQ(stream.send("0, 20, 30"), jumped) << "standing still afterwards makes it no better";
  stream.codec.reset();
  stream.send("");
  EXPECT_EQ(stream.send("0, 20, 30"), jumped) << "nor does a new link";
  stream.codec.confirm_referenced();
  EXPECT_EQ(stream.send("0, 20, 30"), "OK 0 20 30");
  EXPECT_EQ(stream.send("0, 20, 36"), "NOT_REFERENCED" + jumped.substr(14, 24) + "6.000" + jumped.substr(44));
}

TEST(PositionWatch, AFrozenValueIsStale) {
  Stream stream({0, 3, 0});
  EXPECT_EQ(stream.send("1, 2, 3"), "OK 1 2 3");
  EXPECT_EQ(stream.send("1, 2, 3"), "OK 1 2 3");
  EXPECT_EQ(stream.send("1, 2, 3"), "STALE frozen: 3 positions without the least change");
  EXPECT_EQ(stream.send("1, 2, 3.001"), "OK 1 2 3.001");
}

TEST(PositionWatch, TheFirstOnesAreNotUsed) {
  Stream stream({0, 0, 2});
  EXPECT_THAT(stream.send("1, 2, 3"), HasSubstr("1 of the first 2 positions, which are not used"));
  EXPECT_THAT(stream.send("1, 2, 3"), HasSubstr("2 of the first 2 positions"));
  EXPECT_EQ(stream.send("1, 2, 3"), "OK 1 2 3");
  stream.codec.reset();
  stream.send("");
  EXPECT_THAT(stream.send("1, 2, 3"), HasSubstr("1 of the first 2 positions"));
}

// A command that is acknowledged, then a poll that is answered.
struct Acknowledged {
  CmmCodec codec;
  std::vector<std::string> samples;

  static CmmSettings settings() {
    CmmSettings s = heidenhain_nd28x_remote();
    s.number.implied_decimals = 4;
    s.poll.strings = {"\x1bT0000\r",
                      "\x1b"
                      "A0200\r"};
    s.poll.accepted = '\x06';
    return s;
  }
  Acknowledged() : codec(settings()) { codec.begin_round(0); }
  void send(const std::string& bytes) {
    codec.receive(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), ms);
    while (const auto sample = codec.next()) samples.push_back(testing::text_of(*sample));
  }
};

TEST(AcknowledgedPoll, TheNextStringGoesOutAfterTheAcknowledgement) {
  Acknowledged device;
  EXPECT_EQ(device.codec.answers(), 0u);
  device.send("\x06");
  EXPECT_EQ(device.codec.answers(), 1u);
  device.send("\x02+000010000\r\n\x02+000020000\r\n\x02-000030000\r\n");
  EXPECT_THAT(device.samples, ElementsAre("OK 1 2 -3"));
}

TEST(AcknowledgedPoll, ARejectedStringEndsTheRound) {
  Acknowledged device;
  device.send("\x15");
  EXPECT_THAT(device.samples, ElementsAre("DEVICE_ERROR the device rejects the poll (0x15)"));
  EXPECT_FALSE(device.codec.in_round());
}

TEST(AcknowledgedPoll, WithinALineTheByteIsNoAcknowledgement) {
  Acknowledged device;
  device.send(
      "\x02+0000\x06"
      "10000\r\n");
  EXPECT_THAT(device.samples, ElementsAre(StartsWith("MALFORMED byte 0x06 at 6 of")));
}

TEST(CmmCodec, APauseGivesThePosition) {
  CmmSettings s = Stream::positional({});
  s.framing.terminator = "";
  s.framing.gap_ms = 20;
  CmmCodec codec(s);
  const std::string line = "1, 2, 3";
  codec.pause(0);
  codec.receive(reinterpret_cast<const std::uint8_t*>("9"), 1, ms);
  codec.receive(reinterpret_cast<const std::uint8_t*>(line.data()), line.size(), 100 * ms);
  EXPECT_FALSE(codec.next());
  EXPECT_EQ(codec.ends_by_pause(), 120 * ms);
  codec.pause(120 * ms);
  const auto sample = codec.next();
  ASSERT_TRUE(sample);
  EXPECT_EQ(testing::text_of(*sample), "OK 1 2 3");
}

}  // namespace
}  // namespace datum
