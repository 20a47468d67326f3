// Reference checks with the real programs: a golden board as the artefact, kill -9, overrides, look-back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/scenario/pushed_cell.h"

namespace datum::scenario {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

CellOptions checked(const std::string& action, const std::string& more = "after_start = false\n") {
  CellOptions o;
  o.more = "[reference_checks]\naction = \"" + action + R"("
[[reference_checks.check]]
name = "golden"
artefact = "golden board"
serial = "GB-7"
recipe = "golden"
readings = 2
interval_h = 8
)" + more + R"([[reference_checks.check.value]]
component = "B1"
characteristic = "median"
certified_um = 500.0
expanded_um = 2.0
mpe_um = 5.0
)";
  return o;
}

struct Checked : PushedCell {
  explicit Checked(const CellOptions& options) : PushedCell(options) {
    std::string golden = Cell::recipe_text(300);
    golden.replace(golden.find("\"box\""), 5, "\"golden\"");
    cell.write("recipes/golden.toml", golden);
    start();
  }
  nlohmann::json verdict() const { return cell.results().back(); }
  std::string state() const {
    EXPECT_EQ(host->ask("*OPC?"), "1");  // its record is on the disk
    return host->ask("CHEC:STAT?");
  }
  void arm(const std::string& recipe) const {
    host->command("ABOR");
    EXPECT_THAT(host->command("CONF:REC \"" + recipe + "\""), StartsWith("0,"));
    EXPECT_THAT(host->command("INIT"), StartsWith("0,"));
  }
  /// A whole check with two readings of this height.
  void check(double height_um) {
    host->command("ABOR;:CONF:REC \"golden\"");
    EXPECT_THAT(host->command("CHEC:STAR \"golden\",\"A. Berger\""), StartsWith("0,"));
    EXPECT_THAT(host->command("INIT"), StartsWith("0,"));
    measure(height_um);
    measure(height_um);
    while (host->ask("SYST:STAT?").rfind("IDLE", 0) != 0) ASSERT_FALSE(cell.daemon().has_ended());
  }
};

TEST(ScenarioChecks, NothingPassesWithoutAGoodCheckAndEachVerdictNamesIts) {
  Checked c(checked("invalid"));
  EXPECT_THAT(c.state(), StartsWith("DUE,\"golden: it was never made"));
  c.measure(good_height_um);
  EXPECT_EQ(c.verdict()["reason"], "REFERENCE_CHECK");
  EXPECT_EQ(c.verdict()["decision"], "INVALID");

  c.check(good_height_um);
  EXPECT_EQ(c.state(), "VALID,\"\"");
  const nlohmann::json reading = c.verdict();
  EXPECT_EQ(reading["reference"]["artefact"], "golden");
  EXPECT_EQ(reading["unit_id"], "GB-7");
  EXPECT_EQ(reading["reference"]["checks"][0]["state"], "CHECK");

  c.arm("box");
  c.measure(good_height_um);
  EXPECT_EQ(c.verdict()["decision"], "PASS");
  const nlohmann::json relied = c.verdict()["reference"]["checks"][0];
  EXPECT_EQ(relied["state"], "VALID");
  EXPECT_EQ(std::to_string(relied["good"].get<int>()), fields(c.host->ask("CHEC:DET? \"golden\""))[3]);

  c.kill();
  EXPECT_EQ(c.state(), "VALID,\"\"") << "a kill changes nothing";
  c.measure(good_height_um);
  EXPECT_EQ(c.verdict()["decision"], "PASS");

  EXPECT_THAT(c.host->command("CHEC:DUE \"golden\",\"collision\""), StartsWith("0,"));
  EXPECT_EQ(c.host->ask("*OPC?"), "1");
  c.kill();
  EXPECT_THAT(c.state(), StartsWith("DUE,\"golden: collision"));
  c.measure(good_height_um);
  EXPECT_EQ(c.verdict()["reason"], "REFERENCE_CHECK");

  EXPECT_THAT(c.host->command("CHEC:OVER \"golden\",\"\",\"\""), StartsWith("-224"));
  EXPECT_THAT(c.host->command("CHEC:OVER \"golden\",\"A. Berger\",\"artefact in calibration\""),
              StartsWith("0,"));
  c.measure(good_height_um);
  EXPECT_EQ(c.verdict()["decision"], "PASS");
  EXPECT_EQ(c.verdict()["reference"]["checks"][0]["override"]["by"], "A. Berger");
  EXPECT_EQ(c.verdict()["reference"]["checks"][0]["override"]["why"], "artefact in calibration");

  c.check(bad_height_um);
  EXPECT_THAT(c.state(), StartsWith("FAILED,\"golden: B1 median: mean 699."));
  const std::string failed = fields(c.host->ask("CHEC:DET? \"golden\""))[3];
  const nlohmann::json back = nlohmann::json::parse(c.ctl({"check", "look-back", "golden", "--json"}).output);
  ASSERT_EQ(back["results"].size(), 6u)
      << "two products that passed, one INVALID, one overridden, two readings";
  EXPECT_EQ(back["results"][0]["relied_on"], "VALID 2");
  EXPECT_EQ(back["results"][3]["relied_on"], "DUE 2, overridden by A. Berger");
  EXPECT_EQ(back["results"][5]["relied_on"], "artefact");
  EXPECT_THAT(c.ctl({"check", "look-back", "golden", "--record", failed}).output, HasSubstr("6 results"));
  EXPECT_THAT(c.ctl({"check", "history", "golden"}).output, HasSubstr("not good"));
  EXPECT_EQ(nlohmann::json::parse(c.ctl({"spc", "--json"}).output)["of_studies"], 4)
      << "readings are no products";

  EXPECT_THAT(c.ctl({"audit", "--who", "Berger"}).output, HasSubstr("OVERRIDE until"));
  EXPECT_EQ(c.ctl({"verify", "results"}).status, 0);
  EXPECT_THAT(c.ctl({"verify", "results", "--frames"}).output, HasSubstr(" 0 not the same"));
  c.sql("UPDATE reference_check SET step = 'VALID' WHERE step = 'FAILED'");
  const Outcome altered = c.ctl({"verify", "results"});
  EXPECT_EQ(altered.status, 1);
  EXPECT_THAT(altered.output, HasSubstr("of the reference checks differs"));
}

TEST(ScenarioChecks, AnOverdueCheckRefusesToArmAndAKillDuringACheckLeavesItDue) {
  Checked c(checked("refuse", "after_start = true\n"));
  EXPECT_THAT(c.host->ask("SYST:STAT?"), StartsWith("IDLE"));
  EXPECT_THAT(c.host->command("INIT"), HasSubstr("-221"));
  c.host->command("CONF:REC \"golden\"");
  EXPECT_THAT(c.host->command("CHEC:STAR \"golden\""), StartsWith("0,"));
  EXPECT_THAT(c.host->command("INIT"), StartsWith("0,"));
  c.measure(good_height_um);
  EXPECT_THAT(c.host->command("CHEC:STAR \"golden\""), StartsWith("-221"));
  c.kill();
  EXPECT_THAT(c.state(), StartsWith("DUE,\"golden: datumd ended before the check did"));

  c.check(good_height_um);
  EXPECT_EQ(c.state(), "VALID,\"\"");
  c.arm("box");
  c.measure(good_height_um);
  EXPECT_EQ(c.verdict()["decision"], "PASS");
  c.host->command("CHEC:DUE \"golden\",\"collision\"");
  while (c.host->ask("SYST:STAT?").rfind("IDLE", 0) != 0) ASSERT_FALSE(c.cell.daemon().has_ended());
  EXPECT_THAT(c.host->ask("SYST:STAT?"), HasSubstr("reference check golden is DUE: collision"));
  c.check(good_height_um);
  EXPECT_EQ(c.state(), "VALID,\"\"");
  c.kill();
  EXPECT_THAT(c.state(), StartsWith("DUE,\"golden: datumd was started"));
}

}  // namespace
}  // namespace datum::scenario
