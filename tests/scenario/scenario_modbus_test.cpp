// Modbus with the tools of a PLC, a SCADA and an integrator: mbpoll, pymodbus, and the README's PLC program.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

const char* const python = "/usr/bin/python3";  // the interpreter of Debian's packages
const char* const mbpoll = "/usr/bin/mbpoll";
const std::string scripts = std::string(DATUM_SOURCE_DIR) + "/tests/scenario/plc/";

CellOptions options(const std::string& more = "") {
  CellOptions o;
  o.trigger = "bus";
  o.arm_at_start = o.push_results = false;
  o.more = "[host.modbus_tcp]\nport = 0\n" + more;
  return o;
}

std::string port_of(Cell& cell) {
  const std::string log = cell.daemon().output(), before = "modbus, tcp 127.0.0.1:";
  const auto at = log.find(before);
  if (at == std::string::npos) throw std::runtime_error("no Modbus port in\n" + log);
  return std::to_string(std::atoi(log.c_str() + at + before.size()));
}

bool has(const char* program) { return std::filesystem::exists(program); }
bool has_pymodbus(const Cell& cell) {
  return has(python) &&
         run({python, "-c", "from pymodbus.client import ModbusTcpClient"}, cell.path()).status == 0;
}

/// Frames that the script moves into the drop folder when the sensor may expose.
void prepare_frames(const Cell& cell) {
  cell.write("outbox/pass.ptr", frame_of_box(good_height_um, 1));
  cell.write("outbox/fail.ptr", frame_of_box(bad_height_um, 2));
  cell.write("outbox/invalid.ptr", "no frame");
  cell.write("outbox/late.ptr", frame_of_box(good_height_um, 3));
  cell.write("outbox/next.ptr", frame_of_box(bad_height_um, 4));
}

Outcome script(const Cell& cell, const std::string& name, const std::vector<std::string>& arguments) {
  std::vector<std::string> all{python, scripts + name};
  all.insert(all.end(), arguments.begin(), arguments.end());
  Program program(all, cell.path(), "plc.log", {{"PYTHONDONTWRITEBYTECODE", "1"}});
  const int status = program.wait();
  return {status, program.output()};
}

std::string readme_block(const std::string& language) {
  const std::string text = slurp(std::filesystem::path(DATUM_SOURCE_DIR) / "daemon/modbus/README.md"),
                    fence = "```" + language + "\n";
  const auto at = text.find(fence);
  if (at == std::string::npos) throw std::runtime_error("the README shows no " + language);
  return text.substr(at + fence.size(), text.find("\n```", at) - at - fence.size()) + "\n";
}

TEST(ScenarioModbus, APlcDoesTheWholeHandshakeForEachDecision) {
  Cell cell(options());
  if (!has_pymodbus(cell)) GTEST_SKIP() << "python3-pymodbus is not installed";
  cell.start();
  prepare_frames(cell);
  const Outcome plc = script(cell, "handshake.py", {port_of(cell), cell.path().string()});
  ASSERT_EQ(plc.status, 0) << plc.output;
  const auto stored = cell.results();
  ASSERT_EQ(stored.size(), 3u) << "the board that was aborted has none";
  EXPECT_EQ(stored[0]["unit_id"], "SN-1");
  EXPECT_EQ(stored[1]["decision"], "FAIL");
  EXPECT_EQ(stored[2]["reason"], "FRAME");
  const auto host = cell.connect();
  EXPECT_EQ(host->ask("FETC:BOAR? 1").rfind("1,PASS", 0), 0u) << "an engineer reads beside the PLC";
}

TEST(ScenarioModbus, TheReadmesPlcProgramSortsBoards) {
  Cell cell(options());
  if (!has_pymodbus(cell)) GTEST_SKIP() << "python3-pymodbus is not installed";
  cell.start();
  prepare_frames(cell);
  cell.write("example.st", readme_block("iecst"));
  const Outcome plc = script(cell, "run_example.py",
                             {port_of(cell), cell.path().string(), (cell.path() / "example.st").string()});
  ASSERT_EQ(plc.status, 0) << plc.output;
  EXPECT_EQ(plc.output, "pass good\nfail reject\ninvalid reject\nnever exposed reject\nnext reject\n");
  EXPECT_EQ(cell.results().size(), 5u) << "what came too late is stored all the same";
}

/// mbpoll's output for the constants: addresses from 0, high word first.
void read_constants(Cell& cell, const std::vector<std::string>& link, const std::string& device) {
  const auto poll = [&](const std::string& type, const std::string& address) {
    std::vector<std::string> all{mbpoll};
    all.insert(all.end(), link.begin(), link.end());
    all.insert(all.end(),
               {"-a", "1", "-0", "-1", "-B", "-o", "10", "-t", type, "-r", address, "-c", "1", device});
    const Outcome out = run(all, cell.path());
    EXPECT_EQ(out.status, 0) << out.output;
    return out.output;
  };
  EXPECT_NE(poll("4", "1").find("[1]: \t4660\n"), std::string::npos);
  EXPECT_NE(poll("4:int", "2").find("[2]: \t-123456789\n"), std::string::npos);
  EXPECT_NE(poll("3:float", "4").find("[4]: \t123456\n"), std::string::npos);
  EXPECT_NE(poll("4:hex", "6").find("[6]: \t0x0123\n"), std::string::npos);
  EXPECT_NE(poll("4", "10006").find("[10006]: \t0\n"), std::string::npos) << "no result: no decision";
  EXPECT_NE(poll("3:int", "30180").find("[30180]: \t-2147483648\n"), std::string::npos) << "no value";
}

/// One board; the FIFO shows it.
void read_a_result(Cell& cell, const std::vector<std::string>& link, const std::string& device) {
  const auto poll = [&](const std::string& type, const std::string& address,
                        const std::vector<std::string>& values = {}) {
    std::vector<std::string> all{mbpoll};
    all.insert(all.end(), link.begin(), link.end());
    all.insert(all.end(), {"-a", "1", "-0", "-1", "-B", "-o", "10", "-t", type, "-r", address, device});
    all.insert(all.end(), values.begin(), values.end());
    return run(all, cell.path()).output;
  };
  EXPECT_NE(poll("4", "30006").find("[30006]: \t1\n"), std::string::npos) << "PASS";
  EXPECT_NE(poll("4:int", "30004").find("[30004]: \t1\n"), std::string::npos) << "sequence 1";
  EXPECT_NE(poll("4", "104", {"0", "0", "0", "1"}).find("Written 4 references"), std::string::npos);
  EXPECT_NE(poll("4", "30006").find("[30006]: \t0\n"), std::string::npos) << "acknowledged";
}

void measure_one(Cell& cell) {
  const auto host = cell.connect();
  ASSERT_EQ(host->command("INIT").rfind("0,", 0), 0u);
  cell.trigger_and_deliver(*host, "f1");
  ASSERT_EQ(host->ask("*OPC?"), "1");
}

TEST(ScenarioModbus, MbpollReadsConstantsAndAResultOverTcp) {
  if (!has(mbpoll)) GTEST_SKIP() << "mbpoll is not installed";
  Cell cell(options());
  cell.start();
  const std::vector<std::string> link{"-m", "tcp", "-p", port_of(cell)};
  read_constants(cell, link, "127.0.0.1");
  measure_one(cell);
  read_a_result(cell, link, "127.0.0.1");
}

TEST(ScenarioModbus, MbpollReadsConstantsAndAResultOverRtu) {
  if (!has(mbpoll)) GTEST_SKIP() << "mbpoll is not installed";
  Cell cell(options("[host.modbus_serial]\npath = \"FOLDER/rtu\"\nbaud = 19200\n"));
  Program wire({"/usr/bin/socat", "-d", "-d", "PTY,raw,echo=0,link=rtu", "PTY,raw,echo=0,link=plc"},
               cell.path(), "wire.log");
  ASSERT_TRUE(wire.says("PTY is /dev/pts/", 2));
  ASSERT_TRUE(cell.start().says("19200 8E1 unit 1: open"));
  const std::vector<std::string> link{"-m", "rtu", "-b", "19200", "-P", "even"};
  const std::string line = (cell.path() / "plc").string();
  read_constants(cell, link, line);
  measure_one(cell);
  read_a_result(cell, link, line);
}

TEST(ScenarioModbus, AHostFindsItsPlaceAfterARestart) {
  if (!has(mbpoll)) GTEST_SKIP() << "mbpoll is not installed";
  Cell cell(options());
  cell.start();
  for (const char* frame : {"f1", "f2"}) {
    const auto host = cell.connect();
    host->command("INIT");
    cell.trigger_and_deliver(*host, frame);
    ASSERT_EQ(host->ask("*OPC?"), "1");
  }
  const auto poll = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{mbpoll, "-m", "tcp", "-p", port_of(cell), "-a",
                                 "1",    "-0", "-1",  "-B", "-o",          "10"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all, cell.path()).output;
  };
  EXPECT_NE(poll({"-t", "4:int", "-r", "334", "127.0.0.1"}).find("[334]: \t1\n"), std::string::npos);
  poll({"-t", "4", "-r", "104", "127.0.0.1", "0", "0", "0", "1"});
  EXPECT_NE(poll({"-t", "4:int", "-r", "334", "127.0.0.1"}).find("[334]: \t2\n"), std::string::npos);
  cell.daemon().signal(SIGTERM);
  ASSERT_EQ(cell.daemon().wait(), 0);
  cell.start();
  EXPECT_NE(poll({"-t", "4:int", "-r", "334", "127.0.0.1"}).find("[334]: \t2\n"), std::string::npos);
}

/// The PLC's position is ahead of a restored store: new results are neither hidden by it nor delivered twice.
TEST(ScenarioModbus, APlcMissesNothingWhereTheStoreIsPutBack) {
  CellOptions o = options();
  o.trigger = "on_frame";
  o.arm_at_start = true;
  Cell cell(o);
  if (!has_pymodbus(cell)) GTEST_SKIP() << "python3-pymodbus is not installed";
  int frames = 0;
  const auto take = [&](int boards) {
    for (int k = 0; k < boards; ++k) {
      ++frames;
      cell.deliver("f" + std::to_string(frames),
                   frame_of_box(good_height_um, static_cast<std::uint32_t>(frames)));
    }
    const Outcome plc =
        script(cell, "fifo.py", {port_of(cell), cell.path().string(), std::to_string(boards)});
    EXPECT_EQ(plc.status, 0) << plc.output;
    const std::string& all = plc.output;  // of all runs
    return all.substr(all.rfind('\n', all.size() - 2) + 1);
  };
  const auto ctl = [&](const char* command) {
    return run({"datumctl", command, "copy.db", "--store", "results.db"}, cell.path());
  };
  cell.start();
  const std::string before = take(2);
  EXPECT_EQ(before.substr(16), " 1 2 0\n");
  ASSERT_EQ(ctl("backup").status, 0);
  EXPECT_EQ(take(3), before.substr(0, 16) + " 3 4 5 0\n");
  cell.daemon().signal(SIGKILL);
  cell.daemon().wait();
  const Outcome restore = ctl("restore");
  ASSERT_EQ(restore.status, 0) << restore.output;
  cell.start();
  const std::string after = take(2);
  EXPECT_EQ(after.substr(16), " 6 7 0\n");
  EXPECT_NE(after.substr(0, 16), before.substr(0, 16)) << "STORE_ID";
}

TEST(ScenarioModbus, TheMapIsPrinted) {
  Cell cell(options());
  const Outcome map = run({"datumd", "--modbus-map"}, cell.path());
  EXPECT_EQ(map.status, 0);
  EXPECT_NE(map.output.find("\nregister,4,2,f32,read,TEST_F32,,always 123456.0\n"), std::string::npos)
      << map.output;
}

}  // namespace
}  // namespace datum::scenario
