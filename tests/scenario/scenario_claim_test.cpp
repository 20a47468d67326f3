// A delivery in progress when datumd ended: measured with the recipe of its claim, or INVALID; never with another recipe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "drivers/sensor/claim_record.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// The bad board fails with "box" and passes with "wide".
std::string wide_recipe() {
  std::string text = Cell::recipe_text(400);
  return text.replace(text.find("\"box\""), 5, "\"wide\"");
}

struct Claims : ::testing::Test {
  Claims() { cell.write("recipes/wide.toml", wide_recipe()); }

  void deliver_and_kill(const std::string& name);
  /// The state that a process leaves when it ends during this delivery.
  void put_in_work(const std::string& name, const std::optional<ClaimRecord>& record, int ends = 0) {
    cell.write("drop/work/7/" + name + ".ptr", frame_of_box(good_height_um, 3));
    if (record) {
      ASSERT_TRUE(write_claim_record(cell.drop() / "work/7", *record));
    }
    if (ends > 0) cell.write("drop/work/7/.measured", std::string(static_cast<std::size_t>(ends), 'x'));
  }
  bool is_settled(const std::string& name) const {
    return fs::exists(cell.drop() / "done" / name) || fs::exists(cell.drop() / "failed" / name);
  }
  /// The newest result after the delivery left work/.
  nlohmann::json result_of_start(const std::string& name) {
    cell.start();
    const auto host = cell.connect();
    const Deadline end = timeout();
    while (!is_settled(name) && std::chrono::steady_clock::now() < end) host->ask("SYST:STAT?");
    EXPECT_TRUE(is_settled(name));
    stop();
    const auto results = cell.results();
    return results.empty() ? nlohmann::json() : results.back();
  }
  void stop() {
    cell.daemon().signal(SIGTERM);
    cell.daemon().wait();
  }
  /// Arms once: frames from before belong to no board.
  void arm_once() {
    cell.start();
    stop();
  }
  bool is_in_work(const std::string& name) const {
    const auto slots = cell.list("drop/work");
    return std::any_of(slots.begin(), slots.end(), [&](const std::string& slot) {
      return fs::exists(cell.drop() / "work" / slot / (name + ".ptr"));
    });
  }

  Cell cell;
};

/// kill -9 as soon as the claim's folder exists, with a host's recipe and unit.
void Claims::deliver_and_kill(const std::string& name) {
  const int watch = ::inotify_init1(IN_CLOEXEC);
  ::inotify_add_watch(watch, (cell.drop() / "work").c_str(), IN_CREATE);
  cell.start();
  const auto host = cell.connect();
  for (const char* command : {"ABOR", "CONF:REC 'wide'", "CONF:UNIT 'SN 42'", "INIT"})
    EXPECT_EQ(host->command(command), "0,\"No error\"") << command;
  cell.deliver(name, frame_of_box(bad_height_um, static_cast<std::uint32_t>(std::hash<std::string>()(name))));
  ASSERT_TRUE(readable({watch}, timeout()));
  cell.daemon().signal(SIGKILL);
  cell.daemon().wait();
  ::close(watch);
}

TEST_F(Claims, AfterAKillTheFrameIsMeasuredByTheRecipeAndUnitOfItsClaim) {
  int in_work = 0;
  for (int round = 0; round < 40 && in_work < 3; ++round) {
    const std::string name = "f" + std::to_string(round);
    ASSERT_NO_FATAL_FAILURE(deliver_and_kill(name));
    const bool stored = !cell.results().empty() && cell.results().back()["frame_id"] == name;
    const bool claimed = is_in_work(name);
    const nlohmann::json result = result_of_start(name);
    ASSERT_EQ(result["frame_id"], name) << result.dump();
    if (claimed || stored) {
      in_work += claimed && !stored;
      EXPECT_EQ(result["recipe"], "wide") << result.dump();
      EXPECT_EQ(result["unit_id"], "SN 42");
      EXPECT_EQ(result["decision"], "PASS") << result.dump();
    } else {  // killed before the claim: the configured recipe was not yet chosen at the arrival
      EXPECT_EQ(result["decision"], "INVALID") << result.dump();
      EXPECT_EQ(result["reason"], "FRAME_EARLY");
    }
  }
  EXPECT_EQ(in_work, 3) << "no kill fell between claim and result";
}

TEST_F(Claims, WithoutItsRecipeTheFrameIsInvalidUnderItsName) {
  const ClaimRecord record{"gone", std::string(64, 'a'), "on_frame", "SN 43"};
  arm_once();
  put_in_work("f", record);
  const nlohmann::json result = result_of_start("f");
  EXPECT_EQ(result["decision"], "INVALID");
  EXPECT_EQ(result["recipe"], "gone");
  EXPECT_EQ(result["unit_id"], "SN 43");
  EXPECT_THAT(result["detail"].get<std::string>(), HasSubstr("for recipe gone with SHA-256 aaaa"));
  EXPECT_EQ(cell.list("drop/failed"), std::vector<std::string>{"f"});
  // Once the chosen recipe's text was kept under this one's hash.
  const Outcome verified = run({"datumctl", "verify", "results", "--store", "results.db"}, cell.path());
  EXPECT_EQ(verified.status, 0) << verified.output;
}

TEST_F(Claims, WithoutARecordTheFrameIsInvalid) {
  arm_once();
  put_in_work("f", std::nullopt);
  const nlohmann::json result = result_of_start("f");
  EXPECT_EQ(result["decision"], "INVALID");
  EXPECT_THAT(result["detail"].get<std::string>(), HasSubstr("for which recipe and unit is not known"));
}

TEST_F(Claims, OfATriggerTheFrameIsInvalid) {
  arm_once();
  put_in_work("f", ClaimRecord{"wide", std::string(64, 'a'), "bus", ""});
  EXPECT_THAT(result_of_start("f")["detail"].get<std::string>(), HasSubstr("for a TRIGger"));
}

/// Such a delivery once ended every start with arm_at_start.
TEST_F(Claims, ADeliveryThatEndedTheProcessTwiceGoesToFailed) {
  arm_once();
  cell.start();
  const auto host = cell.connect();
  std::string sha256 = fields(host->ask("CONF:REC?")).at(1);
  std::erase(sha256, '"');
  stop();
  put_in_work("g", ClaimRecord{"box", sha256, "on_frame", ""}, 2);
  const nlohmann::json result = result_of_start("g");
  EXPECT_EQ(result["decision"], "INVALID");
  EXPECT_EQ(result["reason"], "FRAME");
  EXPECT_THAT(result["detail"].get<std::string>(), HasSubstr("datumd ended 2 times while it measured this"));
  EXPECT_THAT(cell.list("drop/failed"), ::testing::Contains("g"));
  EXPECT_THAT(slurp(cell.drop() / "failed/g/g.ptr.reason.txt"), HasSubstr("ended 2 times"));
}

}  // namespace
}  // namespace datum::scenario
