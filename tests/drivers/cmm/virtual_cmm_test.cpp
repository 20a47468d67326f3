// The shipped virtual CMM as a separate process, with the reader: every preset, every fault.
#include <gmock/gmock.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "drivers/cmm/presets.h"
#include "drivers/cmm/reader.h"
#include "tests/drivers/cmm/transcript.h"
#include "tests/drivers/port/pty_pair.h"

namespace datum {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::text_of;
using testing::wait_readable;

constexpr MonotonicNs ms = ns_per_ms;

class VirtualCmm {
 public:
  explicit VirtualCmm(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), DATUM_VIRTUAL_CMM);
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    if (posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ) != 0)
      throw std::runtime_error("can't start " + arguments[0]);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    out_ = ends[0];
  }
  ~VirtualCmm() { stop(); }

  /// The next output line of the program.
  std::string line() const {
    std::string text;
    for (char c = 0; wait_readable(out_) && ::read(out_, &c, 1) == 1 && c != '\n';) text += c;
    return text;
  }
  /// Its address: the last word of its first line.
  std::string where() const {
    const std::string text = line();
    return text.substr(text.rfind(' ') + 1);
  }
  /// Exit status after SIGTERM, or of its own.
  int stop() {
    if (pid_ <= 0) return status_;
    kill(pid_, SIGTERM);
    return wait();
  }
  int wait() {
    waitpid(pid_, &status_, 0);
    pid_ = -1;
    close(out_);
    return status_ = WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
  }

 private:
  pid_t pid_ = -1;
  int out_ = -1, status_ = -1;
};

// Settings that the preset leaves to the cell: virtual-cmm's decimals, and the other axes' positions.
CmmSettings complete(CmmSettings settings) {
  if (settings.number.pointless)
    settings.number.implied_decimals = settings.preset == "cdi_indicator" ? 3 : 4;
  if (settings.axes.size() == 1) settings.fixed_mm = {12.5, -3.25, std::nullopt};
  return settings;
}

CmmSettings on(const std::string& path, CmmSettings settings) {
  std::get<SerialSettings>(settings.link).path = path;
  return settings;
}

// The reader's clock is injected; bytes come from the real process.
struct Cell {
  VirtualCmm cmm;
  CmmReader reader;
  MonotonicNs now = 1000 * ms;
  std::vector<ProbePoint> samples;

  Cell(const std::string& preset, std::vector<std::string> arguments)
      : cmm((arguments.insert(arguments.end(), {"--preset", preset, "--period-ms", "10"}), arguments)),
        reader(on(cmm.where(), complete(preset_by_name(preset)))) {
    reader.on_sample([this](const ProbePoint& sample, MonotonicNs) { samples.push_back(sample); });
    reader.start(now);
  }
  /// The next sample: polls now and reads the process' answer.
  std::string next() {
    const std::size_t wanted = samples.size() + 1;
    now += ms;
    reader.poll_soon(now);
    while (samples.size() < wanted) {
      if (reader.fd() < 0 || !wait_readable(reader.fd())) return "nothing came";
      reader.on_ready(now);
    }
    return text_of(samples.back());
  }
  /// An incompletely answered poll: reads until the line is quiet, then advances the reader's clock to its
  /// timeout.
  std::string next_unanswered() {
    now += ms;
    reader.poll_soon(now);
    for (pollfd entry{reader.fd(), POLLIN, 0}; poll(&entry, 1, 500) == 1;) reader.on_ready(now);
    now = reader.deadline().value();
    reader.on_deadline(now);
    return text_of(samples.back());
  }
};

const std::string at = "12.5,-3.25,0.125";

struct EveryPreset : ::testing::TestWithParam<std::string> {
  // GRBL's first report precedes its unit.
  static std::string first_good(Cell& cell) {
    const std::string first = cell.next();
    return first.substr(0, 10) == "WRONG_UNIT" ? cell.next() : first;
  }
};
INSTANTIATE_TEST_SUITE_P(VirtualCmm, EveryPreset, ::testing::ValuesIn(line_preset_names()),
                         [](const auto& preset) { return preset.param; });

TEST_P(EveryPreset, GivesItsPosition) {
  Cell cell(GetParam(), {"--position", at});
  EXPECT_EQ(first_good(cell), "OK 12.5 -3.25 0.125");
  EXPECT_EQ(cell.next(), "OK 12.5 -3.25 0.125");
  EXPECT_EQ(cell.cmm.stop(), 0);
}

TEST_P(EveryPreset, MarksItsErrors) {
  Cell cell(GetParam(), {"--position", at, "--error", "--after", "3"});
  first_good(cell);
  std::string sample;
  for (int i = 0; i < 4 && sample.find("OK") != 0; ++i) sample = cell.next();
  for (int i = 0; i < 4 && sample.find("OK") == 0; ++i) sample = cell.next();
  const std::vector<std::string> unmarked{"proscale", "heidenhain_nd700",
                                          "cdi_indicator"};  // their digits are none
  if (std::count(unmarked.begin(), unmarked.end(), GetParam()) > 0)
    EXPECT_THAT(sample, StartsWith("MALFORMED"));
  else
    EXPECT_THAT(sample, AnyOf(StartsWith("DEVICE_ERROR"), StartsWith("NOT_REFERENCED"),
                              StartsWith("OUT_OF_RANGE the device says '3 TO ")));
  EXPECT_EQ(cell.reader.latest(cell.now).position_mm, (std::array<double, 3>{}));
}

TEST_P(EveryPreset, APartialPositionIsNone) {
  if (GetParam() == "cdi_indicator") return;  // a device with one axis
  Cell cell(GetParam(), {"--position", at, "--partial", "--after", "0"});
  const CmmSettings preset = preset_by_name(GetParam());
  const std::string sample = preset.layout == Layout::grbl ? (cell.next(), cell.next())
                             : preset.poll.strings.empty() || GetParam() == "marlin" ? cell.next()
                                                                                     : cell.next_unanswered();
  EXPECT_THAT(sample,
              AnyOf(HasSubstr("PARTIAL 2 of 3 axes came, without"), HasSubstr("MALFORMED no '>' at the end"),
                    HasSubstr("MALFORMED the expression does not match 'X:")));
}

TEST_P(EveryPreset, GarbageIsNeverAPosition) {
  Cell cell(GetParam(), {"--position", at, "--garbage", "5", "--seed", "7", "--after", "0"});
  for (int i = 0; i < 20; ++i) {
    const std::string sample = cell.next();
    if (sample == "nothing came") break;  // a garbage byte may remove the end of an answer
    EXPECT_THAT(sample, AnyOf("OK 12.5 -3.25 0.125", StartsWith("MALFORMED"), StartsWith("PARTIAL"),
                              StartsWith("WRONG_UNIT"), StartsWith("DEVICE_ERROR")));
  }
}

TEST(VirtualCmmFaults, ADeviceThatStopsAnsweringIsStale) {
  Cell cell("heidenhain_nd28x", {"--position", at, "--stale", "--after", "1"});
  EXPECT_EQ(cell.next(), "OK 12.5 -3.25 0.125");
  EXPECT_EQ(cell.next_unanswered(), "STALE no answer to the poll within 500 ms");
}

TEST(VirtualCmmFaults, UnpluggedAndPluggedInAgain) {
  const auto folder = std::filesystem::temp_directory_path() / ("datum_vcmm_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string link = (folder / "cmm").string();
  Cell cell("heidenhain_nd28x",
            {"--position", at, "--link", link, "--unplug-after", "2", "--replug-ms", "0"});
  CmmReader reader(on(link, heidenhain_nd28x()));
  MonotonicNs now = cell.now;
  EXPECT_EQ(cell.next(), "OK 12.5 -3.25 0.125");
  cell.next();
  while (cell.reader.fd() >= 0 && wait_readable(cell.reader.fd())) cell.reader.on_ready(cell.now);
  EXPECT_EQ(cell.reader.latest(cell.now).state, ProbeState::link_down);
  EXPECT_THAT(cell.cmm.line(), HasSubstr("virtual-cmm: heidenhain_nd28x on /dev/pts/"));
  reader.start(now);  // by the link, which has moved on
  while (reader.latest(now).state == ProbeState::none_yet && wait_readable(reader.fd())) reader.on_ready(now);
  EXPECT_EQ(text_of(reader.latest(now)), "OK 12.5 -3.25 0.125");
  EXPECT_EQ(cell.cmm.stop(), 0);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(link)));
  std::filesystem::remove_all(folder);
}

TEST(VirtualCmmPositions, DriftAndScript) {
  Cell drifting("acurite_vro", {"--position", "1,2,3", "--drift-um", "10,0,-0.1"});
  EXPECT_EQ(drifting.next(), "OK 1 2 3");
  EXPECT_EQ(drifting.next(), "OK 1.01 2 2.9999");
  EXPECT_EQ(drifting.next(), "OK 1.02 2 2.9998");

  const auto script = std::filesystem::temp_directory_path() / ("datum_script_" + std::to_string(getpid()));
  std::ofstream(script) << "# two places\n1 2 3\n4 5 6\n";
  Cell scripted("acurite_vro", {"--script", script.string()});
  EXPECT_EQ(scripted.next(), "OK 1 2 3");
  EXPECT_EQ(scripted.next(), "OK 4 5 6");
  EXPECT_EQ(scripted.next(), "OK 4 5 6");
  std::filesystem::remove(script);
}

TEST(VirtualCmmPositions, NoiseIsBoundedAndSeeded) {
  const auto run = [](const std::string& seed) {
    Cell cell("acurite_vro", {"--position", "1,2,3", "--noise-um", "2", "--seed", seed});
    std::vector<std::string> texts;
    for (int i = 0; i < 20; ++i) {
      texts.push_back(cell.next());
      // 2 um of noise and 0.05 um of rounding to the display's four decimals
      for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(cell.samples.back().position_mm[static_cast<std::size_t>(axis)], axis + 1, 0.00205);
    }
    return texts;
  };
  const auto one = run("1");
  EXPECT_EQ(one, run("1"));
  EXPECT_NE(one, run("2"));
  EXPECT_NE(one[0], one[1]);
}

TEST(VirtualCmmTcp, ServesTheSameOverTcp) {
  VirtualCmm cmm({"--preset", "grbl_1_1", "--position", at, "--listen", "0"});
  const std::string where = cmm.where();
  CmmSettings settings = grbl_1_1();
  settings.link =
      TcpSettings{"127.0.0.1", static_cast<std::uint16_t>(std::stoi(where.substr(where.find(':') + 1)))};
  CmmReader reader(settings);
  MonotonicNs now = 0;
  reader.start(now);
  for (int i = 0; i < 50 && reader.latest(now).state != ProbeState::ok; ++i) {
    pollfd entry{reader.fd(), static_cast<short>(POLLIN | (reader.wants_write() ? POLLOUT : 0)), 0};
    ASSERT_EQ(poll(&entry, 1, 10'000), 1);
    reader.on_ready(now);
    reader.poll_soon(now);
    if (reader.deadline() == now) reader.on_deadline(now);
  }
  EXPECT_EQ(text_of(reader.latest(now)), "OK 12.5 -3.25 0.125");
}

TEST(VirtualCmmCommandLine, RefusesWhatItCantDo) {
  VirtualCmm unknown({"--preset", "renishaw"});
  EXPECT_EQ(
      unknown.line(),
      "virtual-cmm: preset 'renishaw' is not known; allowed: heidenhain_nd28x, mitutoyo_mux10, acurite_vro, "
      "grbl_1_1, heidenhain_nd28x_remote, heidenhain_nd700, heidenhain_nd52x, magnescale, cdi_indicator, "
      "proscale, mux4, marlin");
  EXPECT_EQ(unknown.wait(), 1);
  const auto script =
      std::filesystem::temp_directory_path() / ("datum_bad_script_" + std::to_string(getpid()));
  std::ofstream(script) << "1 2 3\n4 5\n";
  VirtualCmm bad({"--script", script.string()});
  EXPECT_EQ(bad.line(), "virtual-cmm: " + script.string() + ":2: '4 5' is not \"X Y Z\" in mm");
  EXPECT_EQ(bad.wait(), 1);
  std::filesystem::remove(script);
}

}  // namespace
}  // namespace datum
