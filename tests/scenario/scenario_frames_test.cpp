// Faulty deliveries of a sensor: truncated files, duplicates, early frames, missing frames.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/scenario/process_usage.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;

CellOptions bus() {
  CellOptions options;
  options.trigger = "bus";
  return options;
}

TEST(ScenarioFrames, TruncatedFrameIsInvalidAndTheNextOnePasses) {
  Cell cell;
  Program& datumd = cell.start();
  const auto host = cell.connect();
  const std::string whole = frame_of_box(good_height_um, 1);
  for (const std::size_t kept : {whole.size() - 1, std::size_t{100}, std::size_t{7}}) {
    SCOPED_TRACE(kept);
    const std::string name = "cut" + std::to_string(kept);
    cell.deliver(name, whole.substr(0, kept));
    const auto line = host->result();
    EXPECT_EQ(line.decision, "INVALID");
    EXPECT_EQ(line.frame, name);
    EXPECT_EQ(fields(host->ask("FETC:BOAR?")).at(2), "FRAME");
    const std::string reason = cell.path() / "drop/failed" / name / (name + ".ptr.reason.txt");
    ASSERT_TRUE(datumd.says("board " + std::to_string(line.sequence)));
    EXPECT_NE(slurp(reason).find(name + ".ptr: " + std::to_string(kept) + " bytes"), std::string::npos)
        << slurp(reason);
  }
  cell.deliver("whole", whole);
  EXPECT_EQ(host->result().decision, "PASS");
  EXPECT_EQ(cell.results().size(), 4u);
  EXPECT_FALSE(datumd.has_ended());
}

/// A sparse .ptr file of this size.
void deliver_nothing(const Cell& cell, const std::string& name, std::uint32_t rows, std::uint32_t cols) {
  const fs::path file = cell.path() / (name + ".part");
  const std::uint32_t header[8] = {rows, cols, 0, 0, 32, 1, 1, 1};
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(header), sizeof header);
  fs::resize_file(file, sizeof header + std::uint64_t{4} * rows * cols);
  fs::rename(file, cell.drop() / (name + ".ptr"));
}

// The second frame's size is allowed, its header is not: headers are limited to 1 MiB.
TEST(ScenarioFrames, AFrameThatIsTooLargeIsRefusedUnreadAndTheNextOnePasses) {
  Cell cell;
  std::string config = slurp(cell.path() / "datumd.toml");
  const std::string folder = "drop_folder = \"drop\"\n";
  cell.write("datumd.toml", config.insert(config.find(folder) + folder.size(), "max_frame_mpix = 1\n"));
  Program& datumd = cell.start();
  const auto host = cell.connect();
  cell.deliver("small", frame_of_box(good_height_um, 1));
  EXPECT_EQ(host->result().decision, "PASS");
  const double before_kib = usage_of(datumd.pid()).peak_kib;
  deliver_nothing(cell, "huge", 16384, 16384);
  EXPECT_EQ(host->result().decision, "INVALID");
  deliver_nothing(cell, "large", 1000, 1001);
  EXPECT_EQ(host->result().decision, "INVALID");
  const auto results = cell.results();
  EXPECT_EQ(
      results.at(1)["detail"],
      "huge.ptr: has 1073741856 bytes; a frame of 1 million pixels has at most 5048576 in this format; where "
      "the sensor's frames are larger, raise sensor.max_frame_mpix");
  EXPECT_EQ(
      results.at(2)["detail"],
      "large.ptr: 1000 rows x 1001 columns; at most 1 million pixels are read; where the sensor's frames are "
      "larger, raise sensor.max_frame_mpix");
  // The large frame has 4 MB of bytes, plus the allocator's reserve; the huge one would have 2.4 GB.
  EXPECT_LT(usage_of(datumd.pid()).peak_kib - before_kib, 32 * 1024);
  cell.deliver("next", frame_of_box(good_height_um, 2));
  EXPECT_EQ(host->result().decision, "PASS");
  EXPECT_TRUE(fs::exists(cell.drop() / "failed/huge/huge.ptr"));
  EXPECT_NE(slurp(cell.drop() / "failed/huge/huge.ptr.reason.txt").find("max_frame_mpix"), std::string::npos);
}

// A frame from before the arming shows an earlier board.
TEST(ScenarioFrames, AFrameThatLayThereTooLongIsInvalid) {
  CellOptions options;
  options.arm_at_start = false;
  Cell cell(options);
  std::string config = slurp(cell.path() / "datumd.toml");
  const std::string folder = "drop_folder = \"drop\"\n";
  cell.write("datumd.toml", config.insert(config.find(folder) + folder.size(), "max_age_ms = 1\n"));
  cell.start();
  const auto host = cell.connect();
  cell.deliver("old", frame_of_box(good_height_um, 1));
  const Deadline deadline = timeout();
  while (host->ask("DIAG:LINK?").find("1 ready") == std::string::npos)
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << host->ask("DIAG:LINK?");
  // Each query takes a round of the loop; by the clock of the table itself, 2 ms pass.
  while (std::stod(fields(host->ask("DIAG:LINK:TABL?")).at(10)) < 0.002)
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  ASSERT_EQ(host->command("INIT"), "0,\"No error\"");
  EXPECT_EQ(host->result().decision, "INVALID");
  const auto board = cell.results().back();
  EXPECT_EQ(board["reason"], "FRAME_STALE") << board["detail"];
  EXPECT_NE(board["detail"].get<std::string>().find("counted from its arrival; allowed: 1 ms"),
            std::string::npos)
      << board["detail"];
  EXPECT_EQ(board["frame_age"]["by"], "arrival");
  EXPECT_GT(board["frame_age"]["at_most_ms"], 1.0);
}

TEST(ScenarioFrames, SameFrameIsMeasuredOnce) {
  Cell cell;
  Program& datumd = cell.start();
  const auto host = cell.connect();
  const std::string frame = frame_of_box(good_height_um, 1);
  cell.deliver("a", frame);
  EXPECT_EQ(host->result().sequence, 1u);
  cell.deliver("a", frame);
  ASSERT_TRUE(datumd.says("a.ptr was delivered twice and is measured once"));
  datumd.signal(SIGTERM);
  EXPECT_EQ(datumd.wait(), 0);
  // The store keeps what the restarted process does not know.
  Program& again = cell.start();
  cell.deliver("a", frame);
  ASSERT_TRUE(again.says("a.ptr was delivered twice and is measured once"));
  const auto next_host = cell.connect();
  cell.deliver("b", frame_of_box(good_height_um, 2));
  EXPECT_EQ(next_host->result().sequence, 2u);
  EXPECT_EQ(cell.results().size(), 2u);
  EXPECT_EQ(cell.list("drop/done"), (std::vector<std::string>{"a", "a~2", "a~3", "b"}));
  EXPECT_NE(slurp(cell.drop() / "done/a~2/a.ptr.note.txt").find("measured before"), std::string::npos);
}

TEST(ScenarioFrames, NoFrameInTimeIsAnInvalidResult) {
  CellOptions options = bus();
  options.frame_timeout_ms = 50;
  Cell cell(options);
  cell.start();
  const auto host = cell.connect();
  EXPECT_EQ(host->command("CONF:UNIT 'SN-7';:TRIG"), "0,\"No error\"");
  EXPECT_EQ(host->ask("*OPC?"), "1");
  const auto line = host->result();
  EXPECT_EQ(line.decision, "INVALID");
  const auto board = fields(host->ask("FETC:BOAR?"));
  EXPECT_EQ(board.at(0), std::to_string(line.sequence));
  EXPECT_EQ(board.at(2), "FRAME");
  EXPECT_EQ(board.at(6), "SN-7");
  EXPECT_NE(board.at(12).find("no frame came within 50 ms"), std::string::npos) << board.at(12);
  EXPECT_EQ(fields(host->ask("SYST:STAT?")).at(0), "ARMED");
}

TEST(ScenarioFrames, AbortWhileWaitingGivesNoResult) {
  Cell cell(bus());
  cell.start();
  const auto host = cell.connect();
  EXPECT_EQ(host->command("TRIG"), "0,\"No error\"");
  EXPECT_EQ(fields(host->ask("SYST:STAT?")).at(0), "WAITING");
  EXPECT_EQ(host->command("ABOR"), "0,\"No error\"");
  EXPECT_EQ(fields(host->ask("SYST:STAT?")).at(0), "IDLE");
  EXPECT_EQ(host->ask("DATA:COUN?"), "0");
  EXPECT_FALSE(host->pushed());
  // The cell is ready again, but the frame of the aborted trigger may still arrive.
  EXPECT_EQ(host->command("INIT"), "0,\"No error\"");
  cell.trigger_and_deliver(*host, "aborted");
  ASSERT_TRUE(cell.daemon().says("aborted.ptr is passed over"));
  cell.deliver("next", frame_of_box(bad_height_um, 2));
  EXPECT_EQ(host->result().decision, "FAIL");
}

TEST(ScenarioFrames, FrameBeforeItsTriggerIsNotMeasured) {
  Cell cell(bus());
  Program& datumd = cell.start();
  const auto host = cell.connect();
  ASSERT_EQ(fields(host->ask("SYST:STAT?")).at(0), "ARMED");
  for (int i = 0; i < 10; ++i) {
    SCOPED_TRACE(i);
    // Both files wait for the stopped daemon; the early one was there first.
    const std::string early = "early" + std::to_string(i), right = "right" + std::to_string(i);
    datumd.signal(SIGSTOP);
    cell.deliver(early, frame_of_box(bad_height_um, 10 + i));
    host->send("TRIG");
    datumd.signal(SIGCONT);
    ASSERT_TRUE(datumd.says(early + ".ptr arrived before the trigger"));
    cell.deliver(right, frame_of_box(good_height_um, 50 + i));
    const auto line = host->result();
    EXPECT_EQ(line.frame, right);
    EXPECT_EQ(line.decision, "PASS");
    EXPECT_NE(slurp(cell.drop() / "failed" / early / (early + ".ptr.reason.txt")).find("before the trigger"),
              std::string::npos);
  }
  EXPECT_EQ(cell.results().size(), 10u);
}

}  // namespace
}  // namespace datum::scenario
