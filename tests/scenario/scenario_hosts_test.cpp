// Hosts of different kinds with the real daemon: a Gocator host, and an engineer who takes control.
#include <gtest/gtest.h>

#include <regex>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

/// The port of the link from the log.
int gocator_port(const Program& datumd) {
  static const std::regex listening(R"(commands, gocator 127\.0\.0\.1:(\d+):)");
  std::smatch found;
  const std::string log = datumd.output();
  return std::regex_search(log, found, listening) ? std::stoi(found[1]) : 0;
}

TEST(ScenarioHosts, AGocatorHostReadsBoardsAndAnEngineerTakesControl) {
  CellOptions options;
  options.arm_at_start = false;
  options.push_results = false;
  options.more = "[host.gocator]\nport = 0\nterminator = \"\\n\"\n";
  Cell cell(options);
  Program& datumd = cell.start();
  ASSERT_GT(gocator_port(datumd), 0) << datumd.output();
  Host gocator(connect_tcp(gocator_port(datumd)));
  EXPECT_EQ(gocator.ask("LoadJob,box"), "OK,box loaded successfully");
  EXPECT_EQ(gocator.ask("Start"), "OK");
  cell.deliver("f1", frame_of_box(good_height_um, 1));
  // Unasked; the box is 500 um high and measured to 0.1 um, so that its rounded value is 499 to 501.
  const std::string line = gocator.ask("");
  EXPECT_TRUE(std::regex_match(line, std::regex(R"(M00,00,V1,D1,M02,01,V(499|500|501),D1)"))) << line;

  const auto engineer = cell.connect();
  const std::string name = engineer->ask("SYST:LOCK:NAME?");
  EXPECT_EQ(engineer->ask("SYST:LOCK:REQ?"), "1");
  EXPECT_NE(gocator.ask("Start").find("tcp 127.0.0.1:"), std::string::npos) << "who has control";
  EXPECT_EQ(engineer->command("ABOR;:CONF:REC 'box'"), "0,\"No error\"");
  EXPECT_EQ(engineer->ask("SYST:LOCK:REL;OWN?"), "\"NONE\"");
  EXPECT_EQ(gocator.ask("Start"), "OK");
  EXPECT_EQ(gocator.ask("Stop"), "OK");
  const std::string who = name.substr(1, name.size() - 2);
  for (const std::string& said : {who + ": has control", who + ": ABORt", who + ": CONFigure:RECipe box",
                                  who + ": gives control back", std::string(": Stop")})
    EXPECT_TRUE(datumd.says(said)) << said;
}

}  // namespace
}  // namespace datum::scenario
