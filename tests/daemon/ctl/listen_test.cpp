// datumctl listen: its interpretation of bytes, and the program with a missing device.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdio>

#include "daemon/ctl/line_capture.h"
#include "drivers/cmm/presets.h"
#include "nlohmann/json.hpp"
#include "tests/fresh_folder.h"

namespace datum::listen_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr MonotonicNs ms = ns_per_ms;

std::vector<std::string> raw_lines(LineCapture& hearing) {
  std::vector<std::string> lines;
  for (const CapturedLine& line : hearing.take()) lines.push_back(escaped(line.bytes));
  return lines;
}

TEST(LineCapture, CutsLinesWhereTheyEndOrPause) {
  LineCapture hearing(std::nullopt);
  hearing.receive("X=1\r\nY=2\r", 1000 * ms);
  EXPECT_THAT(raw_lines(hearing), ElementsAre("X=1\\r\\n"));
  hearing.receive(
      "\n\x02"
      "Z",
      1010 * ms);
  EXPECT_THAT(raw_lines(hearing), ElementsAre("Y=2\\r\\n"));
  hearing.pause(1059 * ms);
  EXPECT_THAT(raw_lines(hearing), ElementsAre());
  hearing.pause(1060 * ms);
  EXPECT_THAT(raw_lines(hearing), ElementsAre("\\x02Z"));
  hearing.receive(std::string(600, '\\'), 2000 * ms);
  EXPECT_EQ(raw_lines(hearing).size(), 2u) << "256 bytes each";
  hearing.end(2001 * ms);
  EXPECT_EQ(raw_lines(hearing).at(0).size(), 2u * (600 - 2 * 256));
  EXPECT_EQ(hearing.lines(), 6u);
  EXPECT_EQ(hearing.bytes(), 612u);
}

TEST(LineCapture, TellsHowTheChosenPresetReadsEachLine) {
  LineCapture hearing(acurite_vro());
  hearing.receive("X= 1.5 mm\rX= 4.0 INCH\r", 1000 * ms);
  hearing.end(1001 * ms);
  const auto lines = hearing.take();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(heard_text(lines[0], hearing, 900 * ms), "     0.100  X= 1.5 mm\\r\n            X 1.5 mm\n");
  EXPECT_THAT(heard_text(lines[1], hearing, 900 * ms),
              HasSubstr("WRONG_UNIT the line says inch; configured: mm"));
  EXPECT_FALSE(hearing.understood()) << "one axis of three is no position";
  const std::string summary = summary_text(hearing);
  EXPECT_THAT(summary, HasSubstr("needs 1 of 3 axes came, label Y, Z did not")) << summary;
  EXPECT_EQ(summary_json(hearing)["chosen"]["faults"]["WRONG_UNIT"]["count"], 1);
}

struct Ended {
  int status = -1;
  std::string out;
};

Ended run(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  Ended ended;
  char bytes[4096];
  for (std::size_t n = 0; (n = std::fread(bytes, 1, sizeof bytes, pipe)) > 0;) ended.out.append(bytes, n);
  ended.status = WEXITSTATUS(pclose(pipe));
  return ended;
}

/// The program with virtual-cmm when that has reported its terminal, which replaces PORT.
Ended listened(const std::string& device, const std::string& options) {
  testing::FreshFolder folder;
  const std::string script = "cd " + folder.path().string() + " && mkfifo said && { " + DATUM_VIRTUAL_CMM +
                             " --period-ms 50 --position 12.5,-3.25,0.125 --preset " + device +
                             " > said & } && pid=$! && exec 3< said && read line <&3 && " + DATUMCTL +
                             " listen ${line##* } " + options +
                             "; status=$?; kill $pid; wait $pid 2> /dev/null; exit $status";
  return run("sh -c '" + script + "'");
}

TEST(Listen, ADeviceThatSendsByItselfIsRecognised) {
  const Ended told = listened("magnescale", "--baud 9600 --lines 9");
  EXPECT_EQ(told.status, 0) << told.out;
  EXPECT_THAT(told.out, HasSubstr("00NMG+012.500\\r\\n"));
  const auto best = told.out.find("presets, the best first:\nmagnescale ");
  EXPECT_NE(best, std::string::npos) << told.out;
}

TEST(Listen, APresetPollsItsDevice) {
  const Ended told = listened("acurite_vro", "--preset acurite_vro --lines 6 --json");
  EXPECT_EQ(told.status, 0) << told.out;
  const auto json = nlohmann::json::parse(told.out);
  EXPECT_EQ(json["heard"][1]["bytes"], "Y= -3.2500 mm\\r");
  EXPECT_EQ(json["heard"][1]["readings"][0]["words"], "Y -3.25 mm");
  EXPECT_EQ(json["understood"], true);
  EXPECT_EQ(json["needs"], nlohmann::json::array());
  const Ended silent = listened("acurite_vro", "--preset acurite_vro --seconds 0.2 --silent");
  EXPECT_EQ(silent.status, 1);
  EXPECT_THAT(silent.out, HasSubstr("needs nothing came: it must be polled"));
}

TEST(Listen, TheWrongPresetSaysWhyAndWhichIsRight) {
  const Ended told = listened("mux4", "--preset magnescale --lines 7");
  EXPECT_EQ(told.status, 1) << told.out;
  EXPECT_THAT(told.out, HasSubstr("MALFORMED 16 characters where 13 belong: '1 MW+012.5000 mm'"));
  EXPECT_THAT(told.out, HasSubstr("presets, the best first:\nmux4 "));
}

TEST(Listen, WhatItCantDoIsRefused) {
  const Ended no_rate = run(DATUMCTL " listen /dev/null");
  EXPECT_EQ(no_rate.status, 4);
  EXPECT_EQ(no_rate.out, "datumctl: listen: state --baud of /dev/null, or a --preset that has it\n");
  const Ended none = run(DATUMCTL " listen /dev/not_there --baud 9600 --seconds 0.1");
  EXPECT_EQ(none.status, 7);
  EXPECT_THAT(none.out, StartsWith("datumctl: serial /dev/not_there 9600 8N1: can't be opened"));
  testing::FreshFolder folder;
  const auto file = folder.write("datumd.toml", "[cmm]\npreset = \"grbl\"\n");
  const Ended bad = run(DATUMCTL " listen /dev/null --config " + file.string());
  EXPECT_EQ(bad.status, 5) << bad.out;
  EXPECT_THAT(bad.out, HasSubstr("datumd.toml:2:10: cmm.preset: 'grbl' is not known"));
}

}  // namespace
}  // namespace datum::listen_test
