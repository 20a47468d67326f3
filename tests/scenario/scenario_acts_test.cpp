// What persons do with datumctl beside the cell, as links of the results' chain: with the real programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/scenario/pushed_cell.h"

namespace datum::scenario {
namespace {

using ::testing::HasSubstr;

struct Acting : PushedCell {
  /// What the chain has of acts, once there are so many; rounds of the loop come by the host.
  std::vector<nlohmann::json> acts(std::size_t wanted) {
    std::vector<nlohmann::json> found;
    do {
      found.clear();
      EXPECT_EQ(host->ask("*OPC?"), "1");
      for (const auto& entry : nlohmann::json::parse(ctl({"audit", "--who", "Berger", "--json"}).output))
        found.push_back(entry);
    } while (found.size() < wanted && !cell.daemon().has_ended());
    return found;
  }
};

TEST(ScenarioActs, AStudyAndAConfirmationAreLinksOfTheChainOnce) {
  Acting a;
  a.cell.write("recipes/box.toml",
               Cell::recipe_text(300) +
                   "\n[[confirmation]]\nby = \"C. Berger\"\nat = \"2026-11-20T10:15:00Z\"\n"
                   "references = [\"B1\"]\nframes_sha256 = []\n");
  a.start();
  const auto confirmed = a.acts(1);
  EXPECT_EQ(confirmed[0]["who"], "C. Berger");
  EXPECT_THAT(
      confirmed[0]["what"].get<std::string>(),
      HasSubstr("recipe box: heights confirmed by C. Berger at 2026-11-20T10:15:00Z: B1; from 0 frames"));

  ASSERT_EQ(a.ctl({"study", "start", "grr-1", "--recipe", "recipes/box.toml", "--parts", "P1,P2",
                   "--operators", "load", "--trials", "2", "--by", "A. Berger", "--seed", "7"})
                .status,
            0);
  const auto started = a.acts(2);
  EXPECT_EQ(started[1]["who"], "A. Berger");
  EXPECT_THAT(started[1]["what"].get<std::string>(), HasSubstr("study grr-1 is started by A. Berger"));

  for (std::uint32_t i = 1; i <= 4; ++i) {
    a.cell.deliver("f" + std::to_string(i), frame_of_box(good_height_um + i, i));
    a.host->result();
    const Outcome next = a.ctl({"study", "next", "grr-1", "--result", "last"});
    ASSERT_EQ(next.status, 0) << next.output;
  }
  a.cell.daemon().signal(SIGKILL);  // the end of the study is found whether or not datumd ran
  a.cell.daemon().wait();
  a.cell.start();
  a.host = a.cell.connect();
  const auto ended = a.acts(3);
  ASSERT_EQ(ended.size(), 3u) << "each once";
  EXPECT_THAT(ended[2]["what"].get<std::string>(),
              HasSubstr("study grr-1 of A. Berger is complete: 4 results, 1 to 4"));
  EXPECT_EQ(a.ctl({"verify", "results"}).status, 0);
}

}  // namespace
}  // namespace datum::scenario
