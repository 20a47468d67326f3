// Serial numbers of a scanner on a serial line and of hosts, in the real daemon: each is bound to one trigger, and none to the wrong
// board.
#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"
#include "tests/virtual_cell/virtual_cmm_line.h"

namespace datum::scenario {
namespace {

using ::testing::HasSubstr;

class ScenarioScanner : public ::testing::Test {
 protected:
  void begin(const std::string& missing, const std::string& keys = "") {
    CellOptions options;
    options.trigger = "bus";
    options.more = "[scanner]\npath = \"FOLDER/scanner\"\nlate_ms = 600000\n" + keys;
    cell = std::make_unique<Cell>(options);
    if (!missing.empty())
      cell->write("recipes/box.toml", Cell::recipe_text() + "\n[serial]\nmissing = \"" + missing + "\"\n");
    line = std::make_unique<VirtualLine>(cell->path() / "scanner");
    line->plug_in();
    cell->start();
    host = cell->connect();
    EXPECT_TRUE(cell->daemon().says("9600 8N1: open"));  // what came before is discarded
  }
  void scan(const std::string& bytes) const {
    ASSERT_EQ(::write(line->fd(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void await_unit(const std::string& unit) const {
    const Deadline deadline = timeout();
    while (host->ask("CONF:UNIT?") != "\"" + unit + "\"")
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << cell->daemon().output();
  }
  /// The result of the next trigger.
  nlohmann::json board(double height_um = good_height_um) {
    host->command("*CLS");
    cell->trigger(*host);
    ++boards;
    cell->deliver("b" + std::to_string(boards), frame_of_box(height_um, static_cast<std::uint32_t>(boards)));
    host->result();
    return cell->results().back();
  }

  std::unique_ptr<Cell> cell;
  std::unique_ptr<VirtualLine> line;
  std::unique_ptr<Host> host;
  int boards = 0;
};

TEST_F(ScenarioScanner, AScanIsItsBoardsNumberOnceAndAttemptsAreCounted) {
  begin("invalid", "duplicate_ms = 0\n");
  scan("SN-1\r");
  await_unit("SN-1");
  auto first = board(bad_height_um);
  EXPECT_EQ(first["decision"], "FAIL");
  EXPECT_EQ(first["unit_id"], "SN-1");
  EXPECT_EQ(first["serial"], (nlohmann::json{{"by", "scanner"}, {"read_hex", "534e2d31"}, {"attempt", 1}}));
  auto none = board();
  EXPECT_EQ(none["decision"], "INVALID");
  EXPECT_EQ(none["reason"], "SERIAL");
  EXPECT_EQ(none["unit_id"], "");
  EXPECT_EQ(none["detail"], "no serial number was stated before the trigger");
  scan("SN-1\r");
  ASSERT_TRUE(cell->daemon().says("scan SN-1 came after the trigger of a board without number"));
  EXPECT_EQ(board()["reason"], "SERIAL") << "a late scan is not the next board's";
  host->command("CONF:UNIT 'SN-1'");
  auto again = board();
  EXPECT_EQ(again["decision"], "PASS");
  EXPECT_EQ(again["serial"]["by"], "host");
  EXPECT_EQ(again["serial"]["attempt"], 2);
  // The count outlives the daemon.
  host.reset();
  cell->start();
  host = cell->connect();
  host->command("CONF:UNIT 'SN-1'");
  EXPECT_EQ(board()["serial"]["attempt"], 3);
}

TEST_F(ScenarioScanner, TwoNumbersForOneTriggerAreInvalidWithBoth) {
  begin("unknown");
  scan("SN-1\rSN-2\r");
  ASSERT_TRUE(cell->daemon().says("the next board will be INVALID (SERIAL)"));
  const auto doubt = board();
  EXPECT_EQ(doubt["decision"], "INVALID");
  EXPECT_EQ(doubt["unit_id"], "");
  EXPECT_THAT(doubt["detail"].get<std::string>(), HasSubstr("SN-1, then SN-2"));
  host->command("CONF:UNIT 'SN-3'");
  EXPECT_EQ(board()["unit_id"], "SN-3") << "the doubt was one board's";
}

TEST_F(ScenarioScanner, HostileBytesNameNoBoard) {
  begin("unknown");
  scan(std::string(2000, 'A') + "\r\x1b[2JSN-9\r" + std::string("S\0N\r", 4) + "unknown-1\r");
  ASSERT_TRUE(cell->daemon().says("more than 512 bytes came without the suffix"));
  ASSERT_TRUE(cell->daemon().says("it holds the byte 0x1B"));
  ASSERT_TRUE(cell->daemon().says("it holds the byte 0x00"));
  ASSERT_TRUE(cell->daemon().says("'unknown-1' is a number that datumd gives boards without one"));
  const auto first = board();
  EXPECT_EQ(first["decision"], "PASS");
  EXPECT_EQ(first["unit_id"], "unknown-" + std::to_string(first["sequence"].get<int>()));
  EXPECT_EQ(first["serial"]["by"], "none");
  host->command("CONF:UNIT 'unknown-7'");
  EXPECT_EQ(board()["reason"], "SERIAL") << "nobody may take such a number";
}

TEST_F(ScenarioScanner, AnUnpluggedScannerLeavesANumberInDoubt) {
  begin("unknown");
  scan("SN-1\r");
  await_unit("SN-1");
  line->unplug();
  ASSERT_TRUE(cell->daemon().says("another board may have been scanned after SN-1"));
  const auto doubt = board();
  EXPECT_EQ(doubt["reason"], "SERIAL");
  EXPECT_EQ(doubt["unit_id"], "");
  EXPECT_EQ(board()["decision"], "PASS") << "boards go on without it";
  host->command("CONF:UNIT 'SN-2'");
  EXPECT_EQ(board()["unit_id"], "SN-2");
}

TEST_F(ScenarioScanner, WithoutItsKeyARecipeTakesTheScanAndSaysNoMore) {
  begin("", "format = \"iso15434\"\n");
  scan(
      "[)>\x1e"
      "06\x1dP4711\x1dS0042ab\x1e\x04\r");
  await_unit("0042ab");
  const auto named = board();
  EXPECT_EQ(named["unit_id"], "0042ab");
  EXPECT_FALSE(named.contains("serial"));
  EXPECT_EQ(board()["unit_id"], "");
}

}  // namespace
}  // namespace datum::scenario
