// The command protocol from a host's view, over TCP and over a serial line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/scenario/unarmed_cell.h"
#include "tests/virtual_cell/virtual_cmm_line.h"

namespace datum::scenario {
namespace {

/// The complete work of a host.
void work_a_board(Cell& cell, Host& host, const std::string& frame) {
  const auto identity = fields(host.ask("*IDN?"));
  ASSERT_EQ(identity.size(), 4u);
  EXPECT_EQ(identity[1], "datumd");
  EXPECT_EQ(identity[2], "scenario");

  EXPECT_EQ(error_of(host.command("TRIG")), -211) << "not armed";
  const std::string chosen = host.ask("CONF:REC?");
  EXPECT_EQ(error_of(host.command("CONF:REC 'no-such'")), -256);
  EXPECT_EQ(error_of(host.command("CONF:REC 'box','0123'")), -221) << "another file's hash";
  EXPECT_EQ(host.ask("CONF:REC?"), chosen) << "a refused command changes nothing";
  EXPECT_EQ(error_of(host.command("CONF:REC 'box'")), 0);
  EXPECT_EQ(fields(host.ask("CONF:REC?")).at(1).size(), 64u);
  EXPECT_EQ(error_of(host.command("BREW:COFFEE")), -113);
  EXPECT_EQ(error_of(host.command("INIT")), 0);
  EXPECT_EQ(error_of(host.command("INIT")), -213) << "armed twice";
  EXPECT_EQ(host.ask("SYST:ERR?"), "0,\"No error\"");

  EXPECT_EQ(error_of(host.command("CONF:UNIT 'SN \"1\"';:DATA:PUSH ON")), 0);
  cell.trigger_and_deliver(host, frame);
  const plc::ResultLine line = host.result();  // with verified CRC
  EXPECT_EQ(line.recipe, "box");
  EXPECT_EQ(line.frame, frame);
  EXPECT_EQ(line.decision, "PASS");

  const std::string sequence = std::to_string(line.sequence);
  const auto board = fields(host.ask("FETC:BOAR?"));
  ASSERT_EQ(board.size(), 13u);
  EXPECT_EQ(board[0], sequence);
  EXPECT_EQ(board[1], "PASS");
  EXPECT_EQ(board[5], frame);
  EXPECT_EQ(board[6], "SN \"1\"");
  EXPECT_EQ(host.ask("FETC:BOAR? " + sequence).substr(0, sequence.size() + 6), sequence + ",PASS,");
  const auto components = plc::read_components(host.ask("FETC:COMP? " + sequence));
  ASSERT_EQ(components.rows.size(), 1u);
  EXPECT_EQ(components.rows[0].reference, "B1");
  // Noise of 3 um over at least 2000 pixels: the median has 0.1 um; 1 um is ten times that.
  EXPECT_NEAR(components.rows[0].value.value_or(0), good_height_um, 1);
  EXPECT_EQ(components.rows[0].lower, good_height_um - 40);
  EXPECT_EQ(error_of(host.command("FETC:BOAR? 99")), -222);
  EXPECT_EQ(error_of(host.command("*RST;:TRIG")), -211) << "a reset disarms";
}

TEST(ScenarioProtocol, OverTcp) {
  Cell cell(unarmed());
  cell.start();
  const auto host = cell.connect();
  work_a_board(cell, *host, "f1");
  const auto stored = cell.results();
  ASSERT_EQ(stored.size(), 1u);
  EXPECT_EQ(stored[0]["decision"], "PASS");
  const Outcome shown = run({"datumctl", "show", "1", "--store", "results.db"}, cell.path());
  EXPECT_EQ(shown.status, 0) << "the exit status of PASS";
  EXPECT_NE(shown.output.find("B1"), std::string::npos) << shown.output;
}

TEST(ScenarioProtocol, OverSerialAndAgainAfterTheLineWasUnplugged) {
  CellOptions options = unarmed();
  options.more = "[host.serial]\npath = \"FOLDER/host\"\nbaud = 115200\n";
  Cell cell(options);
  VirtualLine line(cell.path() / "host");
  line.plug_in();
  Program& datumd = cell.start();
  ASSERT_TRUE(datumd.says("8N1: open"));
  {
    Host host(line.fd(), false);
    work_a_board(cell, host, "f1");
  }
  line.unplug();
  ASSERT_TRUE(datumd.says("trying again"));
  line.plug_in();
  ASSERT_TRUE(datumd.says("8N1: open", 2));
  Host host(line.fd(), false);
  work_a_board(cell, host, "f2");
  EXPECT_EQ(cell.results().size(), 2u);
}

TEST(ScenarioProtocol, DatumctlSendsAndTellsTheState) {
  Cell cell(unarmed());
  cell.start();
  const std::string tcp = "127.0.0.1:" + std::to_string(cell.tcp_port());
  const Outcome refused = run({"datumctl", "send", "TRIG", "--tcp", tcp}, cell.path());
  EXPECT_EQ(refused.status, 8);
  EXPECT_NE(refused.output.find("-211"), std::string::npos) << refused.output;
  const Outcome chosen =
      run({"datumctl", "send", "CONF:REC 'box';:INIT;:SYST:STAT?", "--tcp", tcp}, cell.path());
  EXPECT_EQ(chosen.status, 0);
  EXPECT_NE(chosen.output.find("ARMED"), std::string::npos) << chosen.output;
  const Outcome status = run({"datumctl", "status", "--tcp", tcp}, cell.path());
  EXPECT_NE(status.output.find("file_drop"), std::string::npos) << status.output;
}

}  // namespace
}  // namespace datum::scenario
