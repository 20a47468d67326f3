// Work of an operator beside measuring, with the real daemon: recipe uploads, repeated measurements, trigger source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>

#include "config/toml_reader.h"
#include "tests/daemon/scpi/conformance/transcript.h"
#include "tests/scenario/unarmed_cell.h"

namespace datum::scenario {
namespace {

std::string upload(const std::string& name, const std::string& text) {
  const std::string size = std::to_string(text.size());
  return "MMEM:DATA '" + name + "',#" + std::to_string(size.size()) + size + text + ",'" +
         config::sha256_hex(text) + "'";
}

TEST(ScenarioOperator, StoresARecipeThatTheNextBoardIsMeasuredBy) {
  Cell cell(unarmed());
  cell.start();
  const auto host = cell.connect();
  const std::string text = Cell::recipe_text(50);
  EXPECT_EQ(error_of(host->command("CONF:REC 'box';:INIT")), 0);
  EXPECT_EQ(error_of(host->command(upload("box", text))), -221) << "chosen and armed";
  EXPECT_EQ(error_of(host->command("ABOR")), 0);
  EXPECT_EQ(error_of(host->command(upload("box", text))), 0);
  EXPECT_EQ(host->ask("CONF:REC?"), "\"\",\"\"") << "another recipe than was chosen";
  EXPECT_EQ(error_of(host->command("CONF:REC 'box','" + config::sha256_hex(text) + "';:INIT")), 0);
  EXPECT_EQ(host->ask("CALC:LIM:LOW?"), std::to_string(static_cast<int>(good_height_um) - 50));
  cell.trigger_and_deliver(*host, "f1");
  EXPECT_EQ(host->ask("*OPC?"), "1");
  EXPECT_EQ(fields(host->ask("FETC:BOAR?")).at(4), config::sha256_hex(text));
  EXPECT_EQ(error_of(host->command("MMEM:DEL 'box'")), -221);
}

void tamper(const std::filesystem::path& store) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(store.c_str(), &db), SQLITE_OK);
  sqlite3_busy_timeout(db, 10000);  // the daemon may be committing
  char* why = nullptr;
  EXPECT_EQ(
      sqlite3_exec(db,
                   "UPDATE result SET json = replace(json, '\"decision\":\"PASS\"', '\"decision\":\"FAIL\"')",
                   nullptr, nullptr, &why),
      SQLITE_OK)
      << (why ? why : "");
  EXPECT_EQ(sqlite3_changes(db), 1);
  sqlite3_close(db);
}

TEST(ScenarioOperator, MeasuresAStoredFrameAgain) {
  Cell cell(unarmed());
  cell.start();
  const auto host = cell.connect();
  EXPECT_EQ(error_of(host->command("DATA:REPL 1")), -222) << "nothing is stored";
  host->command("CONF:REC 'box';:INIT");
  cell.trigger_and_deliver(*host, "f1");
  EXPECT_EQ(host->ask("*OPC?"), "1");
  EXPECT_EQ(error_of(host->command("DATA:REPL 1")), -221) << "armed";
  EXPECT_EQ(host->ask("ABOR;:DATA:REPL 1;*WAI;:DATA:REPL?"), "1,SAME,\"\"");
  EXPECT_EQ(host->ask("DATA:COUN?"), "1") << "a replay stores nothing";

  tamper(cell.path() / "results.db");
  EXPECT_EQ(host->ask("DATA:REPL 1;*WAI;:DATA:REPL?").substr(0, 12), "1,DIFFERENT,");

  cell.write("recipes/box.toml", Cell::recipe_text(41));
  EXPECT_EQ(host->ask("DATA:REPL 1;*WAI;:DATA:REPL?").substr(0, 12), "1,DIFFERENT,")
      << "by the recipe of then";
  std::filesystem::remove_all(cell.drop() / "done" / "f1");
  EXPECT_EQ(host->ask("DATA:REPL 1;*WAI;:DATA:REPL?").substr(0, 9), "1,FAILED,");
}

TEST(ScenarioOperator, RefusesToArmWhereTheSensorCanNotMeasureTheRecipe) {
  Cell cell(unarmed());
  cell.start();
  const auto host = cell.connect();
  std::string text = Cell::recipe_text();
  const std::string height = "nominal_um = 500.0";
  text.replace(text.find(height), height.size(), "nominal_um = 500000.0");  // 0.5 m, the range is 16 mm
  EXPECT_EQ(error_of(host->command(upload("box", text))), 0);
  const std::string refusal = host->command("CONF:REC 'box';:INIT");
  EXPECT_EQ(error_of(refusal), -221) << refusal;
  EXPECT_THAT(refusal, ::testing::HasSubstr(
                           "B1.nominal_um: 500000 um are 500 mm, more than the measuring range of S-1"));
  EXPECT_THAT(host->ask("SYST:STAT?"), ::testing::HasSubstr("IDLE"));
  EXPECT_EQ(error_of(host->command(upload("box", Cell::recipe_text()))), 0);
  EXPECT_EQ(error_of(host->command("CONF:REC 'box';:INIT")), 0);
}

TEST(ScenarioOperator, SuggestsTheRecipeThatWasMeant) {
  Cell cell(unarmed());
  cell.start();
  const std::string refusal = cell.connect()->command("CONF:REC 'bix'");
  EXPECT_THAT(refusal, ::testing::HasSubstr("no recipe 'bix'; did you mean 'box'?"));
}

TEST(ScenarioOperator, TriggersByFrameOrByCommand) {
  Cell cell(unarmed());
  cell.start();
  const auto host = cell.connect();
  EXPECT_EQ(host->ask("TRIG:SOUR?"), "BUS");
  EXPECT_EQ(error_of(host->command("CONF:REC 'box';:TRIG:SOUR EXT;:DATA:PUSH ON;:INIT")), 0);
  EXPECT_EQ(error_of(host->command("TRIG")), -211);
  EXPECT_EQ(error_of(host->command("TRIG:SOUR BUS")), -221) << "armed";
  cell.deliver("f1", frame_of_box(good_height_um, 1));
  EXPECT_EQ(host->result().decision, "PASS");
  EXPECT_EQ(error_of(host->command("*RST")), 0);
  EXPECT_EQ(host->ask("TRIG:SOUR?"), "BUS") << "as configured";
}

/// Transcripts without a cell's state hold for the daemon too, over its real link.
TEST(ScenarioOperator, AnswersAsTheTranscriptsSay) {
  using datum::testing::TranscriptLine;
  Cell cell(unarmed());
  cell.start();
  for (const char* name : {"errors.txt", "parameters.txt"}) {
    const auto host = cell.connect();
    const auto lines = datum::testing::read_transcript(
        std::filesystem::path(DATUM_SOURCE_DIR "/tests/daemon/scpi/conformance") / name);
    std::size_t answered = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].kind != TranscriptLine::Kind::sent) continue;
      const std::string sent = datum::testing::unescaped(lines[i].text);
      if (i + 1 == lines.size() || lines[i + 1].kind != TranscriptLine::Kind::answer) {
        host->send(sent);  // its answer would be taken for the next one
        continue;
      }
      ASSERT_EQ(host->ask(sent), datum::testing::unescaped(lines[i + 1].text)) << name << ": " << sent;
      ++answered;
    }
    EXPECT_GE(answered, 15u) << name;
    EXPECT_EQ(host->ask("DIAG:ECHO? 'end'"), "\"end\"");
  }
}

/// pyvisa's binary transfer in both byte orders; its default is least significant byte first.
TEST(ScenarioOperator, GivesHeightsAsNumbersToPyvisa) {
  const char* const python = "/usr/bin/python3";  // the interpreter of Debian's packages
  Cell cell(unarmed());
  if (run({python, "-c", "import pyvisa, pyvisa_py"}, cell.path()).status != 0)
    GTEST_SKIP() << "python3-pyvisa-py is not installed";
  cell.start();
  const auto host = cell.connect();
  host->command("CONF:REC 'box';:INIT");
  cell.trigger_and_deliver(*host, "f1");
  const std::string height = host->ask("*WAI;:FETC:HEIG?");
  cell.write("heights.py", R"py(
import pyvisa, sys
cell = pyvisa.ResourceManager("@py").open_resource(sys.argv[1])
cell.read_termination = cell.write_termination = "\n"
cell.timeout = 30_000
cell.write("FORMat REAL,64")
print(repr(cell.query_binary_values("FETCh:HEIGht?", datatype="d", is_big_endian=True)[0]))
cell.write("FORMat:BORDer SWAPped")
print(repr(cell.query_binary_values("FETCh:HEIGht? (@B1)", datatype="d")[0]))
cell.write("FORMat ASCii")
print(cell.query("FETCh:HEIGht?"))
)py");
  const Outcome got =
      run({python, "heights.py", "TCPIP0::127.0.0.1::" + std::to_string(cell.tcp_port()) + "::SOCKET"},
          cell.path());
  EXPECT_EQ(got.output, height + "\n" + height + "\n" + height + "\n") << "shortest text of the same double";
}

TEST(ScenarioOperator, TestsItselfBesideTheLoop) {
  Cell cell(unarmed());
  cell.start();
  const auto host = cell.connect();
  EXPECT_EQ(host->ask("*TST?;:SYST:ERR:COUN?"), "0;0");
}

// The chain of results shows who commanded the cell.
TEST(ScenarioOperator, WhoDidWhatStandsInTheChainOfResults) {
  Cell cell(unarmed());
  cell.start();
  auto host = cell.connect();
  const std::string name = host->ask("SYST:LOCK:NAME?");
  EXPECT_EQ(host->command("SYST:LOCK:REQ?"), "1");
  EXPECT_EQ(error_of(host->command("INIT")), 0);
  EXPECT_EQ(error_of(host->command("ABOR")), 0);
  const auto verified = [&] {
    return run({"datumctl", "verify", "results", "--store", "results.db"}, cell.path()).output;
  };
  const Deadline end = timeout();
  while (verified().find("ABORt") == std::string::npos && std::chrono::steady_clock::now() < end)
    host->ask("SYST:STAT?");
  for (const char* deed : {"(configure): has control", "(configure): INITiate", "(configure): ABORt"})
    EXPECT_NE(verified().find(name.substr(1, name.size() - 2) + " " + deed), std::string::npos) << verified();
}

}  // namespace
}  // namespace datum::scenario
