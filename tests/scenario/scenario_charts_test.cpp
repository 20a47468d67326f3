// Control charts with the real programs: limits that a person freezes, a rule that disarms, kill -9, a person's acknowledgement.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/scenario/pushed_cell.h"

namespace datum::scenario {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int phase_1 = 25;

struct Charted : PushedCell {
  explicit Charted(const std::string& rules = "rules = \"1,2\"\ndisarm = \"1\"\n") {
    cell.write("recipes/box.toml",
               Cell::recipe_text(300) + "\n[control_charts]\n" + rules + "characteristics = [\"median\"]\n");
    start();
  }
  /// Behind the announcement: watched, and on the disk.
  std::string state(const std::string& wanted) const {
    std::string state;
    do {
      EXPECT_EQ(host->ask("*OPC?"), "1");
      state = host->ask("CHAR:STAT?");
    } while (state.rfind(wanted, 0) != 0 && !cell.daemon().has_ended());
    return state;
  }
  Outcome ask_daemon(std::vector<std::string> words) const {
    words.insert(words.begin(), "datumctl");
    for (const std::string& word : {std::string("--tcp"), "127.0.0.1:" + std::to_string(cell.tcp_port())})
      words.push_back(word);
    return run(words, cell.path());
  }
};

TEST(ScenarioCharts, ARuleDisarmsUntilAPersonAcknowledgesItWhateverHappensBetween) {
  Charted c;
  EXPECT_THAT(c.host->ask("CHAR:STAT?"), StartsWith("NO_LIMITS,0,\"no limits are frozen"));
  EXPECT_THAT(c.host->command("CHAR:ACK \"box\",\"A. Berger\",\"why\""), StartsWith("-221"));
  for (int i = 0; i < phase_1; ++i) c.measure(good_height_um + (i % 2 == 0 ? 2 : -2));
  EXPECT_THAT(c.ctl({"chart", "freeze", "box"}).output, HasSubstr("--by is required"));
  const Outcome frozen = c.ctl({"chart", "freeze", "box", "--by", "A. Berger"});
  ASSERT_EQ(frozen.status, 0) << frozen.output;
  EXPECT_THAT(frozen.output, HasSubstr("limits"));
  c.measure(good_height_um);
  EXPECT_EQ(c.state("IN_CONTROL"), "IN_CONTROL,0,\"\"");

  EXPECT_EQ(c.measure(good_height_um + 40).decision, "PASS") << "a rule can't change a verdict";
  EXPECT_THAT(c.state("DISARMED"),
              HasSubstr("DISARMED,1,\"control charts of box: result 27: rule 1 is hit by B1 median"));
  while (c.host->ask("SYST:STAT?").rfind("IDLE", 0) != 0) ASSERT_FALSE(c.cell.daemon().has_ended());
  EXPECT_THAT(c.host->ask("SYST:STAT?"), HasSubstr("rule 1 is hit by B1 median"));
  EXPECT_THAT(c.host->command("INIT"), HasSubstr("a person acknowledges it"));
  EXPECT_THAT(c.ask_daemon({"status"}).output, HasSubstr("DISARMED"));

  c.kill();
  EXPECT_THAT(c.state("DISARMED"), StartsWith("DISARMED,1,")) << "once";
  EXPECT_THAT(c.host->ask("SYST:STAT?"), StartsWith("IDLE"));
  EXPECT_THAT(c.host->command("INIT"), HasSubstr("-221"));
  EXPECT_THAT(c.host->command("CHAR:ACK \"box\",\" \",\"new nozzle\""), StartsWith("-224"));
  EXPECT_THAT(
      c.ask_daemon({"chart", "acknowledge", "box", "--by", "A. Berger", "--reason", "new nozzle"}).output,
      HasSubstr("IN_CONTROL"));
  EXPECT_THAT(c.host->command("INIT"), StartsWith("0,"));
  c.measure(good_height_um);
  EXPECT_EQ(c.state("IN_CONTROL"), "IN_CONTROL,0,\"\"");

  const Outcome spc = c.ctl({"spc", "--component", "B1", "--characteristic", "median", "--frozen", "--json"});
  ASSERT_EQ(spc.status, 0) << spc.output;
  EXPECT_EQ(nlohmann::json::parse(spc.output)["frozen"]["hits"].dump(),
            R"([{"first":27,"last":27,"rule":1}])")
      << "datumctl names what the cell found";
  const nlohmann::json history = nlohmann::json::parse(c.ctl({"chart", "history", "box", "--json"}).output);
  ASSERT_EQ(history.size(), 3u) << history.dump(1);
  EXPECT_EQ(history[0]["step"], "LIMITS");
  EXPECT_EQ(history[1]["step"], "HIT");
  EXPECT_EQ(history[2]["step"], "ACKNOWLEDGED");
  EXPECT_THAT(c.ctl({"audit", "--who", "Berger"}).output,
              HasSubstr("acknowledged by A. Berger behind result 27: new nozzle"));
  EXPECT_EQ(c.ctl({"verify", "results"}).status, 0);
}

TEST(ScenarioCharts, EwmaAndCusumFindASmallShiftAcrossAKillAsDatumctlDoes) {
  Charted c(
      "rules = \"ewma,cusum\"\newma = { lambda = 0.2, width = 2.962 }\n"
      "cusum = { k = 0.5, h = 4, head_start = true }\n");
  for (int i = 0; i < phase_1; ++i) c.measure(good_height_um + (i % 2 == 0 ? 2 : -2));
  const Outcome frozen = c.ctl({"chart", "freeze", "box", "--by", "A. Berger"});
  ASSERT_EQ(frozen.status, 0) << frozen.output;
  EXPECT_THAT(frozen.output, HasSubstr("EWMA lambda 0.2, width 2.962: a false alarm each 50"));
  EXPECT_THAT(frozen.output, HasSubstr("CUSUM k 0.5, h 4, head start: a false alarm each 149 points"));
  // Sigma is 4 / 1.128 um; each of these boards is within it.
  for (int i = 0; i < 12; ++i) {
    if (i == 4) c.kill();
    c.measure(good_height_um + 3);
  }
  const Outcome spc = c.ctl({"spc", "--component", "B1", "--characteristic", "median", "--frozen", "--json"});
  ASSERT_EQ(spc.status, 0) << spc.output;
  const nlohmann::json hits = nlohmann::json::parse(spc.output)["frozen"]["hits"];
  ASSERT_THAT(hits.dump(), HasSubstr("CUSUM"));
  std::set<int> results;
  for (const auto& hit : hits) results.insert(hit["last"].get<int>());
  EXPECT_THAT(c.state(fmt::format("HIT,{},", results.size())),
              HasSubstr("is hit by B1 median, results 26 to "));
  nlohmann::json found = nlohmann::json::array();
  for (const auto& record : nlohmann::json::parse(c.ctl({"chart", "history", "box", "--json"}).output))
    if (record["step"] == "HIT")
      for (auto hit : record["listed"]) {
        hit.erase("series");
        found.push_back(hit);
      }
  EXPECT_EQ(found, hits);
  EXPECT_EQ(c.ctl({"verify", "results"}).status, 0);
}

}  // namespace
}  // namespace datum::scenario
