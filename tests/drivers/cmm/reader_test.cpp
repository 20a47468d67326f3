#include "drivers/cmm/reader.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "drivers/cmm/presets.h"
#include "drivers/port/tcp_listener.h"
#include "tests/drivers/cmm/transcript.h"
#include "tests/drivers/port/pty_pair.h"

namespace datum::reader_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::PtyPair;
using testing::text_of;
using testing::wait_readable;

constexpr MonotonicNs ms = ns_per_ms;

CmmSettings on(const std::string& path, CmmSettings settings) {
  std::get<SerialSettings>(settings.link).path = path;
  return settings;
}

// A reader on a pseudo-terminal with an injected clock.
struct Rig {
  PtyPair pty;
  CmmReader reader;
  MonotonicNs now = 1000 * ms;
  std::vector<std::string> samples;

  explicit Rig(const CmmSettings& settings) : reader(on(pty.path(), settings)) {
    reader.on_sample([this](const ProbePoint& sample, MonotonicNs) { samples.push_back(text_of(sample)); });
    reader.start(now);
  }
  /// Lets the reader read until it has `size` more samples.
  void answer(const std::string& bytes, std::size_t size = 1) {
    pty.send(bytes);
    const std::size_t wanted = samples.size() + size;
    while (samples.size() < wanted && wait_readable(reader.fd())) reader.on_ready(now);
  }
  void pass(int milliseconds) {
    now += milliseconds * ms;
    while (reader.deadline() && *reader.deadline() <= now) reader.on_deadline(now);
  }
  std::string latest() const { return text_of(reader.latest(now)); }
};

CmmSettings positional() {
  CmmSettings settings = grbl_1_1();
  settings.layout = Layout::positional;
  settings.device_tells_unit = false;
  return settings;
}

TEST(CmmReader, PollsAndDelivers) {
  Rig rig(positional());
  EXPECT_EQ(rig.latest(), "NONE_YET ");
  EXPECT_EQ(rig.pty.receive(1), "?");
  rig.answer("1.000,2.000,3.000\r\n");
  EXPECT_EQ(rig.latest(), "OK 1 2 3");
  EXPECT_EQ(rig.reader.latest(rig.now).poll_sent_ns, 1000 * ms);
  EXPECT_EQ(rig.reader.latest(rig.now).sequence, 1u);
  EXPECT_EQ(rig.reader.deadline(), 1200 * ms);
  rig.pass(200);
  EXPECT_EQ(rig.pty.receive(1), "?");
  EXPECT_THAT(rig.reader.describe(), HasSubstr("115200 8N1: open; 1 samples, 0 faults, opened 1 times"));
}

TEST(CmmReader, PollSoonAsksAtOnceAndNeverTwiceAtATime) {
  Rig rig(positional());
  rig.pty.receive(1);
  rig.now += 10 * ms;
  rig.reader.poll_soon(rig.now);  // a round is in progress: the next follows it
  rig.answer("1.000,2.000,3.000\r\n");
  EXPECT_EQ(rig.reader.deadline(), rig.now);
  rig.pass(0);
  EXPECT_EQ(rig.pty.receive(1), "?");
  rig.answer("1.500,2.000,3.000\r\n");
  rig.reader.poll_soon(rig.now);
  EXPECT_EQ(rig.pty.receive(1), "?");
}

TEST(CmmReader, ASilentDeviceIsStaleAndALateAnswerIsNobodysPosition) {
  Rig rig(positional());
  rig.pty.receive(1);
  rig.answer("1.000,2.000,3.000\r\n");
  rig.pass(200);
  rig.pty.receive(1);
  rig.pass(500);
  EXPECT_EQ(rig.latest(), "STALE no answer to the poll within 500 ms");
  // The answer to the abandoned poll: the machine may have moved since.
  rig.pty.send("9.000,9.000,9.000\r\n");
  ASSERT_TRUE(wait_readable(rig.reader.fd()));
  rig.reader.on_ready(rig.now);
  EXPECT_EQ(rig.latest(), "STALE no answer to the poll within 500 ms");
  rig.pass(500);
  EXPECT_EQ(rig.pty.receive(1), "?");
  rig.answer("1.250,2.000,3.000\r\n");
  EXPECT_THAT(rig.samples,
              ElementsAre("OK 1 2 3", "STALE no answer to the poll within 500 ms", "OK 1.25 2 3"));
}

TEST(CmmReader, ALineBegunBeforeThePollDoesNotAnswerIt) {
  Rig rig(positional());
  rig.pty.receive(1);
  rig.answer("1.000,2.000,3.000\r\n");
  rig.pty.send("1");
  ASSERT_TRUE(wait_readable(rig.reader.fd()));
  rig.reader.on_ready(rig.now);
  rig.pass(200);
  rig.pty.send("2.000,2.000,3.000\r\n");
  ASSERT_TRUE(wait_readable(rig.reader.fd()));
  rig.reader.on_ready(rig.now);
  EXPECT_EQ(rig.samples.size(), 1u);
}

TEST(CmmReader, AnOldPositionIsStale) {
  CmmSettings settings = positional();
  settings.poll.strings.clear();
  Rig rig(settings);
  EXPECT_FALSE(rig.reader.deadline());
  rig.answer("rest of a line\r\n1.000,2.000,3.000\r\n");
  rig.now += 1000 * ms;
  EXPECT_EQ(rig.latest(), "OK 1 2 3");
  rig.now += 1 * ms;
  EXPECT_EQ(rig.latest(), "STALE last heard 1001 ms ago; allowed: 1000 ms");
}

TEST(CmmReader, AFaultReplacesTheLastPosition) {
  Rig rig(positional());
  rig.answer("1.000,2.000,3.000\r\n");
  rig.pass(200);
  rig.answer("1.000,2.000\r\n");
  EXPECT_EQ(rig.latest(), "PARTIAL 2 of 3 axes came, without Z: '1.000,2.000'");
}

TEST(CmmReader, ReopensAfterAHangUpLaterAndLater) {
  const auto folder = std::filesystem::temp_directory_path() / ("datum_reader_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto link = folder / "cmm";
  auto first = std::make_unique<PtyPair>();
  std::filesystem::create_symlink(first->path(), link);
  CmmReader reader(on(link.string(), positional()));
  MonotonicNs now = 1000 * ms;
  reader.start(now);
  first->receive(1);
  first->hang_up();
  ASSERT_TRUE(wait_readable(reader.fd()));
  reader.on_ready(now);
  EXPECT_EQ(reader.fd(), -1);
  EXPECT_EQ(reader.latest(now).state, ProbeState::link_down);
  EXPECT_THAT(reader.describe(), HasSubstr("closed, to be reopened"));
  std::filesystem::remove(link);
  std::vector<MonotonicNs> waits;
  for (int i = 0; i < 8; ++i) {
    waits.push_back((*reader.deadline() - now) / ms);
    now = *reader.deadline();
    reader.on_deadline(now);
  }
  EXPECT_THAT(waits, ElementsAre(250, 500, 1000, 2000, 4000, 8000, 8000, 8000));
  PtyPair second;
  std::filesystem::create_symlink(second.path(), link);
  now = *reader.deadline();
  reader.on_deadline(now);
  EXPECT_EQ(second.receive(1), "?");
  second.send("1.000,2.000,3.000\r\n");
  ASSERT_TRUE(wait_readable(reader.fd()));
  reader.on_ready(now);
  EXPECT_EQ(text_of(reader.latest(now)), "OK 1 2 3");
  EXPECT_EQ(reader.latest(now).sequence, 1u);
  second.hang_up();
  ASSERT_TRUE(wait_readable(reader.fd()));
  reader.on_ready(now);
  EXPECT_EQ(*reader.deadline() - now, 250 * ms);  // a good position ends the back-off
  std::filesystem::remove_all(folder);
}

TEST(CmmReader, ARefusedLinkWaitsForTheOperator) {
  CmmReader reader(on("/dev/null", grbl_1_1()));
  reader.start(0);
  EXPECT_TRUE(reader.refused());
  EXPECT_FALSE(reader.deadline());
  EXPECT_EQ(reader.latest(0).state, ProbeState::link_down);
  EXPECT_THAT(reader.describe(), HasSubstr("refused: serial /dev/null 115200 8N1: can't be opened"));
}

TEST(CmmReader, GrblIsAskedForItsUnitUntilItTells) {
  Rig rig(grbl_1_1());
  EXPECT_EQ(rig.pty.receive(7), "$$\n$I\n?");
  rig.answer("<Idle|MPos:1.000,2.000,3.000|FS:0,0>\r\nerror:8\r\n");
  rig.pass(200);
  EXPECT_EQ(rig.pty.receive(7), "$$\n$I\n?");
  rig.answer("$13=0\r\nok\r\n<Idle|MPos:1.000,2.000,3.000|FS:0,0>\r\n");
  EXPECT_EQ(rig.latest(), "OK 1 2 3");
  rig.pass(200);
  EXPECT_EQ(rig.pty.receive(1), "?");
  rig.answer("ALARM:1\r\n");
  rig.pass(200);
  rig.answer("<Idle|MPos:1.000,2.000,3.000|FS:0,0>\r\n");
  EXPECT_THAT(rig.latest(), HasSubstr("NOT_REFERENCED ALARM:1"));
  rig.reader.confirm_referenced();
  rig.pass(200);
  rig.answer("<Idle|MPos:1.000,2.000,3.000|FS:0,0>\r\n");
  EXPECT_EQ(rig.latest(), "OK 1 2 3");
}

TEST(CmmReader, AxesAreAskedOneByOne) {
  Rig rig(acurite_vro());
  EXPECT_EQ(rig.pty.receive(4), "?A1\r");
  rig.pty.send("X= 1.0000 mm\r");
  wait_readable(rig.reader.fd());
  rig.reader.on_ready(rig.now);
  EXPECT_EQ(rig.pty.receive(4), "?A2\r");
  rig.pty.send("Y= 2.0000 mm\r");
  wait_readable(rig.reader.fd());
  rig.reader.on_ready(rig.now);
  EXPECT_EQ(rig.pty.receive(4), "?A3\r");
  rig.answer("Z= 3.0000 mm\r");
  EXPECT_EQ(rig.latest(), "OK 1 2 3");
}

TEST(CmmReader, WorksOverTcpAndFindsAServerThatComesLate) {
  std::vector<std::unique_ptr<Port>> links;
  const auto keep = [&](std::unique_ptr<Port> link, const std::string&, MonotonicNs) {
    links.push_back(std::move(link));
  };
  auto listener = std::make_unique<TcpListener>("127.0.0.1", 0, keep);
  const std::uint16_t number = listener->port();
  listener.reset();
  CmmSettings settings = positional();
  settings.link = TcpSettings{"127.0.0.1", number};
  CmmReader reader(settings);
  MonotonicNs now = 0;
  reader.start(now);
  while (reader.fd() >= 0 && wait_readable(reader.fd()))
    reader.on_ready(now);  // refused at once or a little later
  EXPECT_THAT(reader.describe(), HasSubstr("can't connect: Connection refused"));
  listener = std::make_unique<TcpListener>("127.0.0.1", number, keep);
  now = *reader.deadline();
  reader.on_deadline(now);
  ASSERT_TRUE(wait_readable(listener->fd()));
  listener->on_ready(now);
  reader.on_ready(now);
  EXPECT_EQ(testing::receive(*links.at(0), 1), "?");
  const std::string line = "1.000,2.000,3.000\r\n";
  links[0]->write(reinterpret_cast<const std::uint8_t*>(line.data()), line.size());
  ASSERT_TRUE(wait_readable(reader.fd()));
  reader.on_ready(now);
  EXPECT_EQ(text_of(reader.latest(now)), "OK 1 2 3");
}

}  // namespace
}  // namespace datum::reader_test
