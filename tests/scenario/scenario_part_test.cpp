// A part compared with its model by the real programs: each snapshot is triggered and paired, one verdict for all, and
// faults between two snapshots.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"
#include "tests/scenario/snapshot_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;

const fs::path tree = DATUM_SOURCE_DIR;

/// The demo's recipe with two of its poses and the region that both see.
std::string recipe_text(int timeout_ms) {
  const std::string whole = slurp(tree / "config/recipes/demo-part.toml");
  const auto before = whole.substr(0, whole.find("[snapshots]"));
  const auto surface =
      whole.substr(whole.find("[surface]"), whole.find("[[region]]") - whole.find("[surface]"));
  const auto region = whole.substr(whole.rfind("[[region]]"));
  std::string text = before + fmt::format("[snapshots]\ntimeout_ms = {}\none_board = \"time\"\n", timeout_ms);
  text += "[[snapshots.pose]]\nname = \"front\"\nposition_mm = [120, 68, 35]\ntolerance_mm = 0.5\n";
  text += "[[snapshots.pose]]\nname = \"middle\"\nposition_mm = [120, 80, 35]\ntolerance_mm = 0.5\n";
  return text + surface + region;
}

/// Writes lines into a FIFO with a reader.
void tell(const fs::path& fifo, const std::string& line) {
  const int fd = ::open(fifo.c_str(), O_WRONLY | O_CLOEXEC);
  const std::string text = line + "\n";
  if (fd < 0 || ::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error("nobody reads " + fifo.string());
  ::close(fd);
}

class ScenarioPart : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string text = snapshot_cell_config;
    text.replace(text.find("FOLDER"), 6, cell.path());
    cell.write("datumd.toml", text);
    cell.write("virtual.toml", slurp(tree / "config/sensors/virtual.toml"));
    cell.write("calibrations/demo.toml", slurp(tree / "config/calibrations/demo.toml"));
    fs::remove(cell.path() / "recipes/box.toml");
  }

  void start(int timeout_ms, const std::string& part) {
    cell.write("recipes/demo-part.toml", recipe_text(timeout_ms));
    cmm = std::make_unique<Program>(std::vector<std::string>{"virtual-cmm", "--link", "cmm", "--position",
                                                             "120,68,35", "--control", "moves"},
                                    cell.path(), "cmm.log");
    ASSERT_TRUE(cmm->says("/dev/pts/"));
    front = sensor("2", part, "1");
    middle = sensor("7", part, "101");
    cell.start();
    host = cell.connect();
    ASSERT_EQ(host->command("CONF:REC \"demo-part\""), "0,\"No error\"");
    ASSERT_EQ(host->command("INIT"), "0,\"No error\"");
  }

  /// Delivers one snapshot of each part per line in the FIFO of its number.
  std::unique_ptr<Program> sensor(const std::string& only, const std::string& part,
                                  const std::string& frame_id) {
    std::vector<std::string> arguments{"virtual-part",
                                       "--twin",
                                       (tree / "config/twins/surface.toml").string(),
                                       "--calibration",
                                       (tree / "config/calibrations/demo.toml").string(),
                                       "--model",
                                       "recipes/demo-part.stl",
                                       "--drop",
                                       "drop",
                                       "--only",
                                       only,
                                       "--frame-id",
                                       frame_id,
                                       "--on-trigger",
                                       "trigger" + only};
    for (int i = 0; i < 3; ++i) {
      arguments.push_back("--part");
      arguments.push_back(part);
    }
    auto program = std::make_unique<Program>(arguments, cell.path(), "sensor" + only + ".log");
    const Deadline deadline = timeout();
    while (!fs::exists(cell.path() / ("trigger" + only)) && std::chrono::steady_clock::now() < deadline)
      readable({program->ended()}, std::chrono::steady_clock::now() + std::chrono::milliseconds(5));
    return program;
  }

  void snapshot_at(const std::string& position, const std::string& fifo) {
    tell(cell.path() / "moves", "move " + position);
    const auto there = [&] {
      const auto at = fields(host->ask("DIAG:POS?"));
      return at.at(0) == "OK" &&
             fmt::format("{:g} {:g} {:g}", std::stod(at[1]), std::stod(at[2]), std::stod(at[3])) == position;
    };
    const Deadline deadline = timeout();
    while (!there()) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    cell.trigger(*host);
    tell(cell.path() / fifo, "");
  }

  std::string await_next(const std::string& what, int times) {
    EXPECT_TRUE(cell.daemon().says(what + " is next", times)) << cell.daemon().output();
    return host->ask("*OPC?");
  }

  Cell cell;
  std::unique_ptr<Program> cmm, front, middle;
  std::unique_ptr<Host> host;
};

TEST_F(ScenarioPart, IsMeasuredInTwoSnapshotsAndReplayed) {
  start(60'000, "good");
  snapshot_at("120 68 35", "trigger2");
  EXPECT_EQ(await_next("snapshot 2 of 2 (middle)", 1), "1") << "nothing is pending while the stage moves";
  snapshot_at("120 80 35", "trigger7");
  const auto line = host->result();
  EXPECT_EQ(line.decision, "PASS");
  const auto verdict = cell.results().back();
  EXPECT_EQ(verdict["surface"]["snapshots"].size(), 2u);
  EXPECT_EQ(verdict["surface"]["snapshots"][0]["name"], "front");
  EXPECT_EQ(verdict["surface"]["snapshots"][1]["pose"]["after"]["position_mm"],
            nlohmann::json({120, 80, 35}));
  EXPECT_EQ(verdict["surface"]["model_sha256"].get<std::string>().size(), 64u);
  EXPECT_EQ(verdict["components"][0]["reference"], "countersink");
  ASSERT_EQ(host->command("ABOR"), "0,\"No error\"");
  EXPECT_EQ(cell.list("drop/done").size(), 2u);  // moved behind the line
  expect_same_replay(*host, line.sequence);
}

TEST_F(ScenarioPart, ASnapshotFromAnotherPoseIsTheEndOfThePart) {
  start(60'000, "hole=0.12:-0.08");
  snapshot_at("120 80 35", "trigger7");
  EXPECT_EQ(host->result().decision, "INVALID");
  auto verdict = cell.results().back();
  EXPECT_EQ(verdict["reason"], "SNAPSHOTS");
  EXPECT_NE(verdict["detail"].get<std::string>().find("which is pose middle, its pose is front"),
            std::string::npos)
      << verdict["detail"];
  snapshot_at("120 68 35", "trigger2");
  await_next("snapshot 2 of 2 (middle)", 1);
  snapshot_at("120 80 35", "trigger7");
  EXPECT_EQ(host->result().decision, "FAIL") << "the next part begins again; its hole is 144 um off";
}

/// The host skips the end of one part and the start of the next one: their positions follow the recipe's order.
TEST_F(ScenarioPart, AnotherUnitEndsThePartBetweenItsSnapshots) {
  start(60'000, "good");
  ASSERT_EQ(host->command("CONF:UNIT 'one'"), "0,\"No error\"");
  snapshot_at("120 68 35", "trigger2");
  await_next("snapshot 2 of 2 (middle)", 1);
  ASSERT_EQ(host->command("CONF:UNIT 'two'"), "0,\"No error\"");
  EXPECT_EQ(host->result().decision, "INVALID");
  EXPECT_EQ(
      cell.results().back()["detail"],
      "snapshot 2 of 2 (middle): unit two was stated before it was triggered, those before are of unit one");
  EXPECT_EQ(cell.results().back()["unit_id"], "one");
  snapshot_at("120 80 35", "trigger7");
  EXPECT_EQ(host->result().decision, "INVALID") << "the next one lacks its first snapshot";
  EXPECT_EQ(cell.results().back()["reason"], "SNAPSHOTS");
  EXPECT_EQ(cell.results().back()["unit_id"], "two");
}

TEST_F(ScenarioPart, ASnapshotThatDoesNotComeIsToldInTime) {
  start(300, "good");
  snapshot_at("120 68 35", "trigger2");
  EXPECT_EQ(host->result().decision, "INVALID");
  const auto verdict = cell.results().back();
  EXPECT_EQ(verdict["reason"], "SNAPSHOTS");
  EXPECT_NE(
      verdict["detail"].get<std::string>().find("snapshot 2 of 2 (middle) was not triggered within 300 ms"),
      std::string::npos)
      << verdict["detail"];
  EXPECT_EQ(verdict["surface"]["snapshots"].size(), 1u);
}

}  // namespace
}  // namespace datum::scenario
