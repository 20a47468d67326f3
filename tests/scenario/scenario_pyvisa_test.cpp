// The README's Python code, run unchanged except for the names of this cell: pyvisa with pyvisa-py as an independent
// host.
#include <gtest/gtest.h>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

const char* const python = "/usr/bin/python3";  // the interpreter of Debian's packages

std::string readme_block() {
  const std::string text = slurp(std::filesystem::path(DATUM_SOURCE_DIR) / "daemon/hosts/README.md"),
                    fence = "```python\n";
  const auto at = text.find(fence);
  if (at == std::string::npos) throw std::runtime_error("the README shows no Python");
  return text.substr(at + fence.size(), text.find("\n```", at) - at - fence.size()) + "\n";
}

void replace(std::string* text, const std::string& from, const std::string& to) {
  const auto at = text->find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text->replace(at, from.size(), to);
}

bool has_pyvisa(const Cell& cell) {
  return std::filesystem::exists(python) &&
         run({python, "-c", "import pyvisa, pyvisa_py"}, cell.path()).status == 0;
}

/// Runs it with this resource; a frame is delivered when its trigger was accepted.
void run_readme(const Cell& cell, const std::string& resource) {
  std::string script = readme_block();
  replace(&script, "TCPIP0::127.0.0.1::5025::SOCKET", resource);
  replace(&script, "demo-board", "box");
  cell.write("host.py", script);
  Program host({python, "host.py"}, cell.path(), "host.log");
  const auto watcher = cell.connect();
  while (watcher->ask("SYST:STAT?").rfind("WAITING", 0) != 0) ASSERT_FALSE(host.has_ended()) << host.output();
  cell.deliver("f1", frame_of_box(good_height_um, 1));
  ASSERT_EQ(host.wait(), 0) << host.output();
  EXPECT_NE(host.output().find("datum,datumd,scenario,"), std::string::npos) << host.output();
  EXPECT_NE(host.output().find("board 1: PASS NONE"), std::string::npos) << host.output();
  EXPECT_NE(host.output().find("B1 median "), std::string::npos) << host.output();
}

CellOptions options(const std::string& more = "") {
  CellOptions o;
  o.trigger = "bus";
  o.arm_at_start = o.push_results = false;
  o.more = more;
  return o;
}

TEST(ScenarioPyvisa, OverTcp) {
  Cell cell(options());
  if (!has_pyvisa(cell)) GTEST_SKIP() << "python3-pyvisa-py is not installed";
  cell.start();
  run_readme(cell, "TCPIP0::127.0.0.1::" + std::to_string(cell.tcp_port()) + "::SOCKET");
}

TEST(ScenarioLxi, RunsTheLineOfTheReadme) {
  if (!std::filesystem::exists("/usr/bin/lxi")) GTEST_SKIP() << "lxi-tools is not installed";
  const std::string readme = slurp(std::filesystem::path(DATUM_SOURCE_DIR) / "daemon/hosts/README.md");
  const auto at = readme.find("`lxi scpi");
  ASSERT_NE(at, std::string::npos);
  std::string line = readme.substr(at + 1, readme.find('`', at + 1) - at - 1);
  Cell cell(options());
  cell.start();
  replace(&line, "5025", std::to_string(cell.tcp_port()));
  const Outcome shell = run({"/bin/sh", "-c", line}, cell.path());
  EXPECT_EQ(shell.status, 0);
  EXPECT_EQ(shell.output.rfind("IDLE,", 0), 0u) << shell.output;
}

TEST(ScenarioPyvisa, OverASerialLine) {
  Cell cell(options("[host.serial]\npath = \"FOLDER/host\"\nbaud = 115200\n"));
  if (!has_pyvisa(cell)) GTEST_SKIP() << "python3-pyvisa-py is not installed";
  Program wire({"/usr/bin/socat", "-d", "-d", "PTY,raw,echo=0,link=host", "PTY,raw,echo=0,link=python"},
               cell.path(), "wire.log");
  ASSERT_TRUE(wire.says("PTY is /dev/pts/", 2));
  ASSERT_TRUE(cell.start().says("8N1: open"));
  run_readme(cell, "ASRL" + (cell.path() / "python").string() + "::INSTR");
}

}  // namespace
}  // namespace datum::scenario
