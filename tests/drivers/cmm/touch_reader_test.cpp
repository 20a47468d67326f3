// The reader between a real line and a touch: its polls and its listening.
#include <gmock/gmock.h>

#include "drivers/cmm/presets.h"
#include "drivers/cmm/reader.h"
#include "tests/drivers/cmm/transcript.h"
#include "tests/drivers/port/pty_pair.h"
#include "tests/virtual_cell/virtual_touch.h"

namespace datum::touch_reader_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::PtyPair;
using testing::text_of;
using testing::wait_readable;

constexpr MonotonicNs ms = ns_per_ms;

CmmSettings on(const std::string& path, CmmSettings settings) {
  std::get<SerialSettings>(settings.link).path = path;
  return settings;
}

struct Rig {
  PtyPair pty;
  CmmReader reader;
  MonotonicNs now = 1000 * ms;
  std::vector<std::string> samples, touches;

  explicit Rig(const CmmSettings& settings) : reader(on(pty.path(), settings)) {
    reader.on_sample([this](const ProbePoint& point, MonotonicNs) { samples.push_back(text_of(point)); });
    reader.on_touch([this](const ProbePoint& point, MonotonicNs) { touches.push_back(text_of(point)); });
    reader.start(now);
  }
  /// Lets the reader read the device's bytes until `seen` has grown.
  void send(const std::string& bytes, const std::vector<std::string>& seen) {
    const std::size_t before = seen.size();
    pty.send(bytes);
    while (seen.size() == before && wait_readable(reader.fd())) reader.on_ready(now);
  }
  void pass(int milliseconds) {
    now += milliseconds * ms;
    while (reader.deadline() && *reader.deadline() <= now) reader.on_deadline(now);
  }
};

TEST(TouchReader, HeidenhainIsNotPolledWhileTouchesAreAwaited) {
  Rig rig(heidenhain_nd28x());
  EXPECT_EQ(rig.pty.receive(1), "\x02");
  rig.reader.listen(true, rig.now);
  EXPECT_FALSE(rig.reader.listening());  // the outstanding poll is answered first
  rig.send(virtual_touch("heidenhain_nd28x", {1, 2, 3}), rig.samples);
  EXPECT_THAT(rig.samples, ElementsAre("OK 1 2 3"));
  rig.pass(250);
  EXPECT_TRUE(rig.reader.listening());
  EXPECT_FALSE(rig.reader.deadline());
  rig.pass(5000);
  rig.send(virtual_touch("heidenhain_nd28x", {4, 5, 6}), rig.touches);
  EXPECT_THAT(rig.touches, ElementsAre("OK 4 5 6"));
  EXPECT_EQ(rig.samples.size(), 1u);
  EXPECT_EQ(text_of(rig.reader.latest(rig.now)).substr(0, 5),
            "STALE");  // a touch is not the machine's position
}

// The rest of a touch arrives after listening has ended and must not become the answer to the next poll.
TEST(TouchReader, TheRestOfATouchIsNobodysPosition) {
  Rig rig(heidenhain_nd28x());
  rig.pty.receive(1);
  rig.send(virtual_touch("heidenhain_nd28x", {1, 2, 3}), rig.samples);
  rig.reader.listen(true, rig.now);
  rig.pass(1000);
  const std::string touch = virtual_touch("heidenhain_nd28x", {4, 5, 6});
  rig.reader.listen(false, rig.now);
  rig.pty.send(touch.substr(17));
  for (pollfd entry{rig.reader.fd(), POLLIN, 0}; poll(&entry, 1, 300) == 1;) rig.reader.on_ready(rig.now);
  rig.pass(500);
  EXPECT_EQ(rig.pty.receive(1), "\x02");
  rig.send(virtual_touch("heidenhain_nd28x", {7, 8, 9}), rig.samples);
  EXPECT_THAT(rig.samples, ElementsAre("OK 1 2 3", "OK 7 8 9"));
  EXPECT_THAT(rig.touches, IsEmpty());
}

TEST(TouchReader, GrblIsPolledOnAndItsTouchesAreTold) {
  Rig rig(grbl_1_1());
  rig.pty.receive(7);
  rig.send("$13=0\r\nok\r\n<Idle|MPos:0.000,0.000,9.000|FS:0,0>\r\n", rig.samples);
  rig.reader.listen(true, rig.now);
  EXPECT_TRUE(rig.reader.listening());
  EXPECT_EQ(rig.reader.deadline(), 1200 * ms);  // the next poll, when it was due
  rig.pass(200);
  EXPECT_EQ(rig.pty.receive(1), "?");
  rig.send(virtual_touch("grbl_1_1", {4, 5, 6}), rig.touches);
  rig.send("<Idle|MPos:4.000,5.000,7.000|FS:0,0>\r\n", rig.samples);
  EXPECT_THAT(rig.touches, ElementsAre("OK 4 5 6"));
  EXPECT_THAT(rig.samples, ElementsAre("OK 0 0 9", "OK 4 5 7"));
}

TEST(TouchReader, ALostLinkIsToldAndNobodyListens) {
  Rig rig(heidenhain_nd28x());
  rig.pty.receive(1);
  rig.send(virtual_touch("heidenhain_nd28x", {1, 2, 3}), rig.samples);
  rig.reader.listen(true, rig.now);
  rig.pty.hang_up();
  while (rig.samples.size() < 2) rig.reader.on_ready(rig.now);
  EXPECT_EQ(rig.samples.back().substr(0, 9), "LINK_DOWN");
  EXPECT_FALSE(rig.reader.listening());
}

TEST(TouchReader, ADeviceThatSaysNothingAtATouchIsPolledOn) {
  Rig rig(acurite_vro());
  rig.pty.receive(4);
  rig.send("X= 1.0000 mm\rY= 2.0000 mm\rZ= 3.0000 mm\r", rig.samples);
  rig.reader.listen(true, rig.now);
  EXPECT_FALSE(rig.reader.listening());
  EXPECT_EQ(rig.reader.deadline(), 1400 * ms);
}

}  // namespace
}  // namespace datum::touch_reader_test
