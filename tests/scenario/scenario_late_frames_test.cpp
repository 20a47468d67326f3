// A frame belongs to another board unless there is proof: late, early and repeated frames of a drop folder.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

CellOptions late_bus() {
  CellOptions options;
  options.trigger = "bus";
  options.frame_timeout_ms = 500;
  return options;
}

CellOptions late_on_frame() {
  CellOptions options;
  options.arm_at_start = false;
  return options;
}

class ScenarioLateFrames : public ::testing::Test {
 protected:
  void begin(const CellOptions& options) {
    cell = std::make_unique<Cell>(options);
    cell->start();
    host = cell->connect();
  }
  void start_again() {
    host.reset();
    cell->start();
    host = cell->connect();
  }
  void trigger(const std::string& unit) {
    ASSERT_EQ(host->command("*CLS;CONF:UNIT '" + unit + "'"), "0,\"No error\"");
    cell->trigger(*host);
  }
  void expect(const std::string& decision, const std::string& reason, const std::string& unit) {
    EXPECT_EQ(host->result().decision, decision);
    const auto board = cell->results().back();
    EXPECT_EQ(board["reason"], reason) << board["detail"];
    EXPECT_EQ(board["unit_id"], unit);
    detail = board["detail"];
  }
  void lose(const std::string& unit) {
    trigger(unit);
    expect("INVALID", "FRAME", unit);
    EXPECT_THAT(detail, HasSubstr("no frame came within 500 ms"));
  }
  void deliver(const std::string& name, double height_um) {
    cell->deliver(name, frame_of_box(height_um, ++seed));
  }
  /// Waits until the daemon knows this number of unmeasured deliveries.
  void await_ready(int files) {
    const Deadline deadline = timeout();
    while (host->ask("DIAG:LINK?").find(std::to_string(files) + " ready") == std::string::npos)
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << host->ask("DIAG:LINK?");
  }

  std::unique_ptr<Cell> cell;
  std::unique_ptr<Host> host;
  std::string detail;
  std::uint32_t seed = 0;
};

TEST_F(ScenarioLateFrames, TheFrameOfATriggerThatTimedOutIsNotTheNextBoards) {
  begin(late_bus());
  lose("SN-A");
  trigger("SN-B");
  deliver("a", good_height_um);
  expect("INVALID", "FRAME_UNPROVEN", "SN-B");
  EXPECT_THAT(detail, HasSubstr("a.ptr came "));
  EXPECT_THAT(detail, HasSubstr("inspection.late_frame_ms 5000, frame_timeout_ms 500"));
  EXPECT_THAT(slurp(cell->drop() / "failed/a/a.ptr.reason.txt"), HasSubstr("is passed over"));
}

TEST_F(ScenarioLateFrames, TheSecondFrameOfTwoTriggersIsTheSecondBoards) {
  begin(late_bus());
  lose("SN-A");
  trigger("SN-B");
  deliver("a", good_height_um);
  ASSERT_TRUE(cell->daemon().says("a.ptr is passed over"));
  deliver("b", bad_height_um);
  expect("FAIL", "NONE", "SN-B");
  trigger("SN-C");  // nothing is outstanding
  deliver("c", good_height_um);
  expect("PASS", "NONE", "SN-C");
}

TEST_F(ScenarioLateFrames, ALateFrameThatComesBetweenTheTriggersIsNobodys) {
  begin(late_bus());
  lose("SN-A");
  deliver("a", bad_height_um);
  await_ready(1);
  trigger("SN-B");
  ASSERT_TRUE(cell->daemon().says("a.ptr arrived before the trigger"));
  deliver("b", good_height_um);
  expect("PASS", "NONE", "SN-B");
}

// An earlier frame that is delivered again does not settle the outstanding one.
TEST_F(ScenarioLateFrames, ARepeatedFrameSettlesNothing) {
  begin(late_bus());
  trigger("SN-0");
  const std::string zero = frame_of_box(good_height_um, 77);
  cell->deliver("zero", zero);
  expect("PASS", "NONE", "SN-0");
  lose("SN-A");
  cell->deliver("zero-again", zero);
  await_ready(1);
  trigger("SN-B");
  ASSERT_TRUE(cell->daemon().says("zero-again.ptr arrived before the trigger"));
  deliver("a", good_height_um);
  expect("INVALID", "FRAME_UNPROVEN", "SN-B");
}

TEST_F(ScenarioLateFrames, NeitherAbortingNorArmingNorARestartMakesALateFrameTheNextBoards) {
  for (const bool restart : {false, true}) {
    SCOPED_TRACE(restart);
    begin(late_bus());
    trigger("SN-A");
    if (restart) {
      cell->daemon().signal(SIGKILL);
      cell->daemon().wait();
      start_again();
    } else {
      ASSERT_EQ(host->command("ABOR;:INIT"), "0,\"No error\"");
    }
    trigger("SN-B");
    deliver("a", good_height_um);
    expect("INVALID", "FRAME_UNPROVEN", "SN-B");
  }
}

TEST_F(ScenarioLateFrames, AfterItsTimeNoFrameIsAwaitedAnyMore) {
  CellOptions options = late_bus();
  begin(options);
  std::string config = slurp(cell->path() / "datumd.toml");
  config.insert(config.find("frame_timeout_ms"), "late_frame_ms = 500\n");
  cell->write("datumd.toml", config);
  start_again();
  lose("SN-A");
  trigger("SN-B");
  deliver("b", good_height_um);
  expect("PASS", "NONE", "SN-B");
}

TEST_F(ScenarioLateFrames, ARepeatedPictureIsNotTheNextBoards) {
  begin(late_bus());
  const std::string frame = frame_of_box(good_height_um, 5);
  trigger("SN-A");
  cell->deliver("a", frame);
  expect("PASS", "NONE", "SN-A");
  trigger("SN-B");
  cell->deliver("b", frame);
  expect("INVALID", "FRAME_REPEATED", "SN-B");
  EXPECT_THAT(detail, HasSubstr("b.ptr has the pixels of frame a"));
  begin(late_on_frame());
  ASSERT_EQ(host->command("INIT"), "0,\"No error\"");
  cell->deliver("a", frame);
  expect("PASS", "NONE", "");
  cell->deliver("b", frame);
  expect("INVALID", "FRAME_REPEATED", "");
}

TEST_F(ScenarioLateFrames, AFrameOfBeforeArmingIsInvalidAndTakesNoSerialNumber) {
  begin(late_on_frame());
  deliver("early", good_height_um);
  await_ready(1);
  ASSERT_EQ(host->command("CONF:UNIT 'SN-7';:INIT"), "0,\"No error\"");
  expect("INVALID", "FRAME_EARLY", "");
  EXPECT_THAT(detail, HasSubstr("before the cell was armed"));
  deliver("own", good_height_um);
  expect("PASS", "NONE", "SN-7");
}

TEST_F(ScenarioLateFrames, ASerialNumberDiesWithItsArming) {
  begin(late_on_frame());
  ASSERT_EQ(host->command("INIT;:CONF:UNIT 'SN-7';:ABOR;:INIT"), "0,\"No error\"");
  deliver("next", good_height_um);
  expect("PASS", "NONE", "");
}

// The daemon was down while its cell was armed: frames from that time are measured. Frames from before the first arming
// are not.
TEST_F(ScenarioLateFrames, FramesThatComeWhileAnArmedCellIsDownAreItsOwn) {
  cell = std::make_unique<Cell>();
  deliver("before", good_height_um);
  cell->start();
  host = cell->connect();
  expect("INVALID", "FRAME_EARLY", "");
  cell->daemon().signal(SIGKILL);
  cell->daemon().wait();
  deliver("meanwhile", good_height_um);
  start_again();
  expect("PASS", "NONE", "");
  ASSERT_EQ(host->command("ABOR"), "0,\"No error\"");
  cell->daemon().signal(SIGTERM);
  cell->daemon().wait();
  deliver("disarmed", good_height_um);
  start_again();
  expect("INVALID", "FRAME_EARLY", "");
}

// A running cell measures with the recipe that SIGHUP reloaded, and so does the next start. A change without SIGHUP is
// not in force.
TEST_F(ScenarioLateFrames, ARecipeThatWasReloadedIsTheOneOfTheNextStart) {
  begin({});
  cell->write("recipes/box.toml", Cell::recipe_text(400));
  cell->daemon().signal(SIGHUP);
  ASSERT_TRUE(cell->daemon().says("recipe box changed, now")) << cell->daemon().output();
  cell->daemon().signal(SIGKILL);
  cell->daemon().wait();
  deliver("meanwhile", bad_height_um);
  start_again();
  expect("PASS", "NONE", "");
  cell->daemon().signal(SIGKILL);
  cell->daemon().wait();
  cell->write("recipes/box.toml", Cell::recipe_text(40));
  deliver("untold", good_height_um);
  start_again();
  expect("INVALID", "FRAME_EARLY", "");
}

/// A sidecar and its ENVI heights, in place of a .ptr file.
void deliver_with_sidecar(const Cell& cell, const std::string& name, const std::string& more,
                          std::uint32_t seed) {
  const std::string bytes = frame_of_box(good_height_um, seed).substr(32);
  cell.write("outbox/" + name + ".img", bytes);
  cell.write("outbox/" + name + ".hdr",
             "ENVI\nsamples = 200\nlines = 200\nbands = 1\nheader offset = 0\ndata type = 4\ninterleave = "
             "bsq\nbyte order "
             "= 0\n");
  const auto axis = [](double scale) {
    return nlohmann::json{{"scale", scale}, {"offset", 0}, {"unit", "mm"}};
  };
  nlohmann::json sidecar{{"schema_version", 1},
                         {"sensor_serial", "S-1"},
                         {"job", {{"name", "j"}, {"hash", "h"}}},
                         {"frame_id", name},
                         {"capture_time", {{"ns", 0}, {"clock", "unknown"}}},
                         {"x", axis(0.05)},
                         {"y", axis(0.05)},
                         {"z", axis(0.001)},
                         {"invalid_value", "nan"},
                         {"handedness", "right"},
                         {"height_file", name + ".img"},
                         {"header_file", name + ".hdr"}};
  sidecar.update(nlohmann::json::parse(more));
  cell.write("outbox/" + name + ".json", sidecar.dump());
  for (const char* type : {".img", ".hdr", ".json"})
    fs::rename(cell.path() / "outbox" / (name + type), cell.drop() / (name + type));
}

std::string stamped_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  return nlohmann::json{{"capture_time", {{"ns", ns}, {"clock", "host_monotonic"}}}}.dump();
}

TEST_F(ScenarioLateFrames, ASidecarProvesItsFrameByItsClockOrItsUnit) {
  begin(late_bus());
  lose("SN-A");
  const std::string of_a = stamped_now();
  trigger("SN-B");
  deliver_with_sidecar(*cell, "a", of_a, 1);
  ASSERT_TRUE(cell->daemon().says("a.json arrived before the trigger")) << cell->daemon().output();
  deliver_with_sidecar(*cell, "b", stamped_now(), 2);
  expect("PASS", "NONE", "SN-B");
  lose("SN-C");
  trigger("SN-D");
  deliver_with_sidecar(*cell, "d", R"({"unit_id": "SN-D"})", 3);
  expect("PASS", "NONE", "SN-D");
  trigger("SN-E");
  deliver_with_sidecar(*cell, "c", R"({"unit_id": "SN-C"})", 4);
  expect("INVALID", "FRAME_UNPROVEN", "SN-E");
  EXPECT_THAT(detail, HasSubstr("shows unit SN-C by its unit_id, this board is SN-E"));
}

}  // namespace
}  // namespace datum::scenario
