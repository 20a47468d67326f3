// The daemon as a service: start, reload, end, and its notifications to the service manager.
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

constexpr int exit_config = 78;

std::string hash_of(Host& host) { return fields(host.ask("CONF:REC?")).at(1); }

TEST(ScenarioService, ReloadedRecipeMeasuresTheNextBoard) {
  Cell cell;
  Program& datumd = cell.start();
  const auto host = cell.connect();
  cell.deliver("a", frame_of_box(good_height_um + 60, 1));
  EXPECT_EQ(host->result().decision, "FAIL");
  const std::string before = hash_of(*host);
  cell.write("recipes/box.toml", Cell::recipe_text(100));
  datumd.signal(SIGHUP);
  ASSERT_TRUE(datumd.says("recipe box changed"));
  cell.deliver("b", frame_of_box(good_height_um + 60, 2));
  EXPECT_EQ(host->result().decision, "PASS");
  const std::string after = hash_of(*host);
  EXPECT_NE(before, after);
  const auto stored = cell.results();
  ASSERT_EQ(stored.size(), 2u);
  EXPECT_EQ(stored[0]["recipe_sha256"], before);
  EXPECT_EQ(stored[1]["recipe_sha256"], after);
}

TEST(ScenarioService, BrokenRecipeDisarmsAndIsNeverReplacedByTheOldOne) {
  Cell cell;
  Program& datumd = cell.start();
  const auto host = cell.connect();
  const std::string before = hash_of(*host);
  cell.write("recipes/box.toml", "schema = 1\nname = \"box\"\n");
  datumd.signal(SIGHUP);
  ASSERT_TRUE(datumd.says("is gone or refused"));
  EXPECT_EQ(fields(host->ask("SYST:STAT?")).at(0), "IDLE");
  const std::string error = host->ask("SYST:ERR?");
  EXPECT_EQ(std::stoi(error), -315) << error;
  EXPECT_NE(error.find("box"), std::string::npos) << error;
  EXPECT_EQ(std::stoi(host->command("INIT")), -221);
  cell.deliver("a", frame_of_box(good_height_um, 1));
  EXPECT_EQ(std::stoi(host->command("CONF:REC 'box'")), -256);
  EXPECT_EQ(host->ask("DATA:COUN?"), "0");
  EXPECT_FALSE(host->pushed());
  // After the repair the waiting frame is measured with the present recipe.
  cell.write("recipes/box.toml", Cell::recipe_text(30));
  EXPECT_EQ(host->command("CONF:REC 'box';:INIT"), "0,\"No error\"");
  EXPECT_EQ(host->result().frame, "a");
  EXPECT_NE(cell.results().at(0)["recipe_sha256"], before);
}

TEST(ScenarioService, TellsTheServiceManagerAndEndsCleanly) {
  Cell cell;
  constexpr int boards = 3;
  Program& datumd = cell.start({{"WATCHDOG_USEC", "3000000"}});
  EXPECT_NE(cell.notify().await("STATUS=", datumd).find("ARMED, recipe box, 0 boards"), std::string::npos);
  EXPECT_EQ(cell.notify().await("WATCHDOG=1", datumd), "WATCHDOG=1");
  const auto host = cell.connect();
  for (int i = 1; i <= boards; ++i) {
    cell.deliver("f" + std::to_string(i), frame_of_box(good_height_um, i));
    host->result();
  }
  for (std::string status = "-"; status.find("3 boards") == std::string::npos && !status.empty();)
    status = cell.notify().await("STATUS=", datumd);
  // Idle, and yet the watchdog is notified, with less than half of the demanded period.
  cell.notify().forget();
  const auto from = std::chrono::steady_clock::now();
  ASSERT_EQ(cell.notify().await("WATCHDOG=1", datumd), "WATCHDOG=1");
  EXPECT_LT(std::chrono::steady_clock::now() - from, std::chrono::milliseconds(3000));
  datumd.signal(SIGTERM);
  EXPECT_EQ(cell.notify().await("STOPPING=1", datumd), "STOPPING=1");
  EXPECT_EQ(datumd.wait(), 0) << datumd.output();
  EXPECT_EQ(cell.results().size(), std::size_t{boards});
  EXPECT_TRUE(cell.list("drop/work").empty());
}

TEST(ScenarioService, WithoutAWatchdogNobodyIsFed) {
  Cell cell;
  Program& datumd = cell.start();
  const auto host = cell.connect();
  cell.deliver("a", frame_of_box(good_height_um, 1));
  host->result();
  datumd.signal(SIGINT);
  EXPECT_EQ(datumd.wait(), 0);
  for (std::string message; !(message = cell.notify().next()).empty();)
    EXPECT_EQ(message.find("WATCHDOG"), std::string::npos) << message;
}

TEST(ScenarioService, ABackendThatIsNotThereIsRefusedRatherThanReplaced) {
  Cell cell;
  std::ifstream in(cell.path() / "datumd.toml");
  std::string config{std::istreambuf_iterator<char>(in), {}};
  config.replace(config.find("threads = 1"), 11, "kind = \"cuda\"");
  cell.write("cuda.toml", config);
  const Outcome served = run({"datumd", "--config", "cuda.toml"}, cell.path());
  EXPECT_EQ(served.status, exit_config);
  EXPECT_NE(served.output.find("no usable GPU"), std::string::npos) << served.output;
}

TEST(ScenarioService, CheckConfigNamesEveryProblemByItsPlace) {
  Cell cell;
  EXPECT_EQ(run({"datumd", "--check-config", "--config", "datumd.toml"}, cell.path()).status, 0);
  cell.write("bad.toml", R"(schema = 1
cell = "scenario"
[sensor]
profile = "no-such.toml"
drop_folder = "drop"
[inspection]
recipes_folder = "recipes"
recipe = "bux"
trigger = "on_fraem"
[results]
store_file = "results.db"
[host.tcp]
port = 70000
)");
  const Outcome checked = run({"datumd", "--check-config", "--config", "bad.toml"}, cell.path());
  EXPECT_EQ(checked.status, exit_config);
  for (const char* place :
       {R"(bad\.toml:4:\d+: .*sensor\.profile.*)", R"(bad\.toml:9:\d+: .*inspection\.trigger.*)",
        R"(bad\.toml:13:\d+: .*host\.tcp\.port.*)"})
    EXPECT_TRUE(std::regex_search(checked.output, std::regex(place))) << place << " in\n" << checked.output;
  EXPECT_NE(checked.output.find("on_frame"), std::string::npos) << "says what is allowed:\n"
                                                                << checked.output;

  const Outcome served = run({"datumd", "--config", "bad.toml"}, cell.path());
  EXPECT_EQ(served.status, exit_config);
  EXPECT_NE(served.output.find("bad.toml:"), std::string::npos) << served.output;
  EXPECT_FALSE(std::filesystem::exists(cell.path() / "results.db"));
}

/// Another program that holds a write transaction on the store.
class StoreHolder {
 public:
  explicit StoreHolder(const std::filesystem::path& store) {
    sqlite3_open_v2(store.c_str(), &db_, SQLITE_OPEN_READWRITE, nullptr);
    EXPECT_EQ(sqlite3_exec(db_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  }
  ~StoreHolder() { sqlite3_close(db_); }
  StoreHolder(const StoreHolder&) = delete;
  StoreHolder& operator=(const StoreHolder&) = delete;

 private:
  sqlite3* db_ = nullptr;
};

TEST(ScenarioService, BoardThatCouldNotBeStoredIsKeptUntilArmedAgain) {
  CellOptions options;
  options.trigger = "bus";
  Cell cell(options);
  Program& datumd = cell.start();
  const auto host = cell.connect();
  {
    const StoreHolder holder(cell.path() / "results.db");
    EXPECT_EQ(host->command("CONF:UNIT 'SN-1'"), "0,\"No error\"");
    cell.trigger_and_deliver(*host, "kept");
    ASSERT_TRUE(datumd.says("disarmed, the board is kept"));
    EXPECT_EQ(std::stoi(host->ask("SYST:ERR?")), -250);
    EXPECT_EQ(fields(host->ask("SYST:STAT?")).at(0), "IDLE");
    EXPECT_FALSE(host->pushed()) << "announced without being stored";
  }
  EXPECT_EQ(host->command("CONF:UNIT 'SN-2';:INIT"), "0,\"No error\"");
  const auto kept = host->result();
  EXPECT_EQ(kept.frame, "kept");
  EXPECT_EQ(kept.decision, "PASS");
  EXPECT_EQ(fields(host->ask("FETC:BOAR?")).at(6), "SN-1") << "the unit of its own trigger";
  cell.trigger_and_deliver(*host, "next");
  EXPECT_EQ(host->result().sequence, kept.sequence + 1);
  EXPECT_EQ(fields(host->ask("FETC:BOAR?")).at(6), "SN-2");
}

TEST(ScenarioService, SecondDaemonOnTheSameStoreIsRefused) {
  Cell cell;
  cell.start();
  const Outcome second = run({"datumd", "--config", "datumd.toml"}, cell.path());
  EXPECT_NE(second.status, 0);
  EXPECT_NE(second.output.find("another datumd writes to this store"), std::string::npos) << second.output;
}

}  // namespace
}  // namespace datum::scenario
