// Each device's message at a touch, through the codec.
#include <gmock/gmock.h>

#include "drivers/cmm/codec.h"
#include "drivers/cmm/presets.h"
#include "tests/drivers/cmm/transcript.h"
#include "tests/virtual_cell/virtual_touch.h"

namespace datum::touch_codec_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::text_of;

constexpr MonotonicNs ms = ns_per_ms;

struct Wire {
  CmmCodec codec;
  MonotonicNs now = 1000 * ms;

  explicit Wire(const CmmSettings& settings) : codec(settings) {}
  void send(const std::string& bytes) {
    now += 10 * ms;
    codec.receive(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), now);
  }
  std::vector<std::string> samples() {
    std::vector<std::string> all;
    while (const auto sample = codec.next()) all.push_back(text_of(*sample));
    return all;
  }
  std::vector<std::string> touches() {
    std::vector<std::string> all;
    while (const auto touch = codec.next_touch()) all.push_back(text_of(*touch));
    return all;
  }
};

Wire grbl_in_mm() {
  Wire wire(grbl_1_1());
  wire.send("$13=0\r\nok\r\n");
  return wire;
}

TEST(TouchCodec, GrblTellsATouchApartFromAPosition) {
  Wire wire = grbl_in_mm();
  wire.codec.begin_round(wire.now);
  wire.send("[PRB:1.500,-2.250,3.125:1]\r\n<Idle|MPos:1.500,-2.250,4.000|FS:0,0>\r\n");
  EXPECT_THAT(wire.touches(), ElementsAre("OK 1.5 -2.25 3.125"));
  EXPECT_THAT(wire.samples(), ElementsAre("OK 1.5 -2.25 4"));
}

TEST(TouchCodec, GrblTouchesComeBetweenPollsToo) {
  Wire wire = grbl_in_mm();
  wire.send(virtual_touch("grbl_1_1", {7, 8, -9}));
  EXPECT_THAT(wire.touches(), ElementsAre("OK 7 8 -9"));
  EXPECT_EQ(wire.codec.unsolicited(), 0u);
}

// $# repeats the last touch, however old.
TEST(TouchCodec, GrblParameterListIsNoTouch) {
  Wire wire = grbl_in_mm();
  wire.send("[G92:0.000,0.000,0.000]\r\n[TLO:0.000]\r\n[PRB:1.500,-2.250,3.125:1]\r\nok\r\n");
  EXPECT_THAT(wire.touches(), IsEmpty());
  wire.send("[PRB:1.500,-2.250,3.125:1]\r\nok\r\n");
  EXPECT_THAT(wire.touches(), ElementsAre("OK 1.5 -2.25 3.125"));
}

TEST(TouchCodec, GrblFailuresAreNoTouchAndSayWhy) {
  Wire wire = grbl_in_mm();
  wire.send(virtual_touch("grbl_1_1", {1, 2, 3}, false));
  EXPECT_THAT(wire.touches(), ElementsAre("DEVICE_ERROR the probe met nothing: '[PRB:1.000,2.000,3.000:0]'"));
  wire.send("[PRB:1.000,2.000:1]\r\n[PRB:1.000,2.000,3.000]\r\n[PRB:]\r\n[PRB:1.000,2.000,nan:1]\r\n");
  EXPECT_THAT(wire.touches(), ElementsAre(HasSubstr("MALFORMED 2 axes where 3 are configured"),
                                          HasSubstr("MALFORMED no result of a probe"),
                                          HasSubstr("MALFORMED no result of a probe"),
                                          HasSubstr("MALFORMED 'nan' is not a number")));
  wire.send("ALARM:1\r\n[PRB:1.000,2.000,3.000:1]\r\n");
  EXPECT_THAT(wire.touches(), ElementsAre(HasSubstr("NOT_REFERENCED ALARM:1 was raised; home the machine")));
}

TEST(TouchCodec, GrblUnitOfATouchMustBeKnownAndRight) {
  Wire unknown(grbl_1_1());
  unknown.send("[PRB:1.000,2.000,3.000:1]\r\n");
  EXPECT_THAT(unknown.touches(), ElementsAre(HasSubstr("WRONG_UNIT unit of the reports unknown")));
  Wire inches(grbl_1_1());
  inches.send("$13=1\r\n[PRB:1.000,2.000,3.000:1]\r\n");
  EXPECT_THAT(inches.touches(), ElementsAre(HasSubstr("WRONG_UNIT the device reports in inch")));
}

// Another sender at the same controller may change $13, and no report contains it, neither its change nor its
// correction.
TEST(TouchCodec, GrblIsAskedForItsUnitAgain) {
  Wire wire = grbl_in_mm();
  EXPECT_FALSE(wire.codec.needs_setup());
  int rounds = 0;
  for (; rounds < 100 && !wire.codec.needs_setup(); ++rounds) wire.codec.begin_round(wire.now);
  EXPECT_EQ(rounds, 25) << "5 s at 5 Hz";
  wire.send("$13=1\r\nok\r\n[PRB:1.000,2.000,3.000:1]\r\n");
  EXPECT_THAT(wire.touches(), ElementsAre(HasSubstr("WRONG_UNIT the device reports in inch")));
  for (int i = 0; i < 3; ++i) {
    wire.codec.begin_round(wire.now);
    EXPECT_TRUE(wire.codec.needs_setup()) << "with each poll, until it is right";
  }
  wire.send("$13=0\r\nok\r\n[PRB:1.000,2.000,3.000:1]\r\n");
  EXPECT_THAT(wire.touches(), ElementsAre("OK 1 2 3"));
  wire.codec.begin_round(wire.now);
  EXPECT_FALSE(wire.codec.needs_setup());
}

// Idle after a start with a missed banner: without a homing cycle the position is unknown.
TEST(TouchCodec, GrblWithoutHomingIsReferencedByAnOperatorAlone) {
  Wire wire(grbl_1_1());
  wire.send("$13=0\r\n$22=0\r\nok\r\n");
  wire.codec.begin_round(wire.now);
  wire.send("<Idle|MPos:1.000,2.000,3.000|FS:0,0>\r\n");
  EXPECT_THAT(wire.samples(),
              ElementsAre(HasSubstr("NOT_REFERENCED the controller has no homing cycle ($22=0)")));
  wire.codec.confirm_referenced();
  wire.send("$13=0\r\n$22=0\r\nok\r\n");
  wire.codec.begin_round(wire.now);
  wire.send("<Idle|MPos:1.000,2.000,3.000|FS:0,0>\r\n");
  EXPECT_THAT(wire.samples(), ElementsAre("OK 1 2 3"));
  wire.codec.reset();  // opened again: it may have restarted in between
  wire.send("$13=0\r\n$22=0\r\nok\r\n");
  wire.codec.begin_round(wire.now);
  wire.send("<Idle|MPos:1.000,2.000,3.000|FS:0,0>\r\n");
  EXPECT_THAT(wire.samples(), ElementsAre(HasSubstr("NOT_REFERENCED")));
}

// A "Home" report states that a cycle is running, not its axes: with $HX the others are unchanged.
TEST(TouchCodec, GrblHomingReferencesAllAxesOnlyWhereNoneIsHomedAlone) {
  const auto after_homing = [](const std::string& options) {
    Wire wire = grbl_in_mm();
    wire.send(options + "ALARM:1\r\n");
    for (const char* report :
         {"<Home|MPos:-1.000,7.000,8.000|FS:0,0>\r\n", "<Idle|MPos:-1.000,7.000,8.000|FS:0,0>\r\n"}) {
      wire.samples();
      wire.codec.begin_round(wire.now);
      wire.send(report);
    }
    std::string first = wire.samples().at(0);
    wire.codec.confirm_referenced();
    wire.codec.begin_round(wire.now);
    wire.send("<Home|MPos:-1.000,7.000,8.000|FS:0,0>\r\n");
    wire.samples();
    wire.codec.begin_round(wire.now);
    wire.send("<Idle|MPos:-1.000,7.000,8.000|FS:0,0>\r\n");
    EXPECT_THAT(wire.samples(), ElementsAre("OK -1 7 8")) << "an axis that is homed again loses nothing";
    return first;
  };
  EXPECT_EQ(after_homing("[OPT:VL,15,128]\r\nok\r\n"), "OK -1 7 8");
  EXPECT_EQ(after_homing("[OPT:,15,128]\r\nok\r\n"), "OK -1 7 8");
  EXPECT_THAT(after_homing("[OPT:VHL,15,128]\r\nok\r\n"),
              HasSubstr("NOT_REFERENCED the controller homes axes one by one too ($HX; H in [OPT:])"));
  EXPECT_THAT(after_homing(""),
              HasSubstr("NOT_REFERENCED the controller has not said whether it homes axes one by one"));
}

TEST(TouchCodec, GrblTouchGoesThroughTheAxesSettings) {
  CmmSettings settings = grbl_1_1();
  settings.axes[0].reversed = true;
  settings.axes[1].offset_mm = 100;
  settings.axes[2].max_mm = 50;
  Wire wire(settings);
  wire.send("$13=0\r\n[PRB:1.000,2.000,3.000:1]\r\n[PRB:1.000,2.000,51.000:1]\r\n");
  EXPECT_THAT(wire.touches(), ElementsAre("OK -1 102 3", HasSubstr("OUT_OF_RANGE Z = 51 mm")));
}

TEST(TouchCodec, HeidenhainSendsATouchUnaskedWhileNobodyPolls) {
  Wire wire(heidenhain_nd28x());
  const std::string touch = virtual_touch("heidenhain_nd28x", {12.5, -3.25, 0.125});
  wire.send(touch);  // without listening it may be the rest of an answer to a poll
  EXPECT_THAT(wire.touches(), IsEmpty());
  wire.codec.listen(true);
  wire.now += 200 * ms;
  wire.send(touch);
  EXPECT_THAT(wire.touches(), ElementsAre("OK 12.5 -3.25 0.125"));
  EXPECT_THAT(wire.samples(), IsEmpty());
  wire.codec.listen(false);
  wire.now += 200 * ms;
  wire.send(touch);
  EXPECT_THAT(wire.touches(), IsEmpty());
  EXPECT_THAT(wire.samples(), IsEmpty());
}

// Three unlabelled lines: if the first was missed, the others must not take its place.
TEST(TouchCodec, HeidenhainTouchThatBeganBeforeListeningIsNoTouch) {
  Wire wire(heidenhain_nd28x());
  const std::string touch = virtual_touch("heidenhain_nd28x", {12.5, -3.25, 0.125});
  wire.send(touch.substr(0, 20));
  wire.codec.listen(true);
  wire.send(touch.substr(20));
  EXPECT_THAT(wire.touches(), IsEmpty());
  wire.now += 200 * ms;
  wire.send(virtual_touch("heidenhain_nd28x", {1, 2, 3}));
  EXPECT_THAT(wire.touches(), ElementsAre("OK 1 2 3"));
}

TEST(TouchCodec, HeidenhainFaultOfATouchIsTold) {
  Wire wire(heidenhain_nd28x());
  wire.codec.listen(true);
  wire.now += 200 * ms;
  std::string touch = virtual_touch("heidenhain_nd28x", {12.5, -3.25, 0.125});
  touch[12] = '?';
  wire.send(touch);
  EXPECT_THAT(wire.touches(), ::testing::Contains(HasSubstr("DEVICE_ERROR the device marks a fault")));
}

TEST(TouchCodec, MitutoyoButtonIsATouchWhileListening) {
  Wire wire(mitutoyo_mux10());
  wire.send("\r");  // a free stream may be in the middle of a line
  wire.send(virtual_touch("mitutoyo_mux10", {12.5, -3.25, 0.125}));
  EXPECT_THAT(wire.samples(), ElementsAre("OK 12.5 -3.25 0.125"));
  wire.codec.listen(true);
  wire.send(virtual_touch("mitutoyo_mux10", {1, -2, 3}));
  EXPECT_THAT(wire.samples(), IsEmpty());
  EXPECT_THAT(wire.touches(), ElementsAre("OK 1 -2 3"));
}

// For any preceding bytes and any split of reads, the result is the touch or a reason, never another
// position.
TEST(TouchCodec, SplitReadsAndGarbageMakeNoOtherTouch) {
  std::uint32_t random = 7;  // Numerical Recipes' linear congruential generator
  for (const CmmSettings& settings : {grbl_1_1(), heidenhain_nd28x(), mitutoyo_mux10()}) {
    const std::string touch = virtual_touch(settings.preset, {12.5, -3.25, 0.125});
    for (std::size_t split = 0; split < 300; ++split) {
      Wire wire(settings);
      wire.send(settings.device_tells_unit ? "$13=0\r\n" : settings.framing.terminator);
      wire.codec.listen(true);
      wire.now += 500 * ms;
      std::string garbage;
      for (std::size_t i = 0; split >= touch.size() && i <= split % 9; ++i)
        garbage += static_cast<char>((random = random * 1664525 + 1013904223) >> 24);
      const std::string bytes = garbage + touch;
      wire.send(bytes.substr(0, split % touch.size()));
      wire.send(bytes.substr(split % touch.size()));
      std::size_t good = 0;
      for (const std::string& said : wire.touches()) {
        if (said.substr(0, 3) != "OK ") continue;
        EXPECT_EQ(said, "OK 12.5 -3.25 0.125") << settings.preset << " split at " << split;
        ++good;
      }
      if (garbage.empty()) {
        EXPECT_EQ(good, 1u) << settings.preset << " split at " << split;
      }
    }
  }
}

TEST(TouchCodec, EveryPresetKnowsWhatItSaysAtATouch) {
  EXPECT_EQ(grbl_1_1().touch, TouchRule::latched);
  EXPECT_EQ(heidenhain_nd28x().touch, TouchRule::latched);
  EXPECT_EQ(mitutoyo_mux10().touch, TouchRule::latched);
  EXPECT_EQ(acurite_vro().touch, TouchRule::stand_still);
  EXPECT_EQ(virtual_touch("acurite_vro", {1, 2, 3}), "");
  EXPECT_THROW(virtual_touch("acme", {1, 2, 3}), std::invalid_argument);
}

}  // namespace
}  // namespace datum::touch_codec_test
