// Signed bundles with the real programs: an armed cell is untouched, an idle one has all files or none, the chain names who.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace scenario_bundle_test {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

CellOptions with_fleet() {
  CellOptions o;
  o.arm_at_start = false;
  o.more = "[fleet]\ntrusted_keys_folder = \"keys\"\nspool_folder = \"spool\"\n";
  return o;
}

struct ScenarioBundle : ::testing::Test {
  ScenarioBundle() : cell(with_fleet()) {
    ::umask(022);
    fs::create_directory(cell.path() / "keys");
    fs::create_directory(cell.path() / "spool");
    fs::create_directory(cell.path() / "office");
    EXPECT_EQ(ctl({"bundle", "key", "office/plant"}).status, 0);
    fs::copy_file(cell.path() / "office/plant.pub", cell.path() / "keys/plant.pub");
    cell.start();
  }
  Outcome ctl(std::vector<std::string> words) const {
    words.insert(words.begin(), "datumctl");
    return run(words, cell.path());
  }
  /// The bundle of this number: the recipe with another tolerance.
  std::string make(int number, double tolerance_um, const std::string& cells = "*",
                   const std::string& key = "plant") {
    cell.write("office/box.toml", Cell::recipe_text(tolerance_um));
    const std::string file = "office/" + std::to_string(number) + key + ".bundle";
    const Outcome made = ctl({"bundle", "create", "--recipes", "office/box.toml", "--cells", cells, "--name",
                              "line-3", "--number", std::to_string(number), "--by", "Jane Doe", "--key",
                              "office/" + key + ".pem", "--out", file});
    EXPECT_EQ(made.status, 0) << made.output;
    return file;
  }
  Outcome install(const std::string& file, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{
        "bundle",      "install",    file,
        "--by",        "Joe Public", "--config",
        "datumd.toml", "--tcp",      "127.0.0.1:" + std::to_string(cell.tcp_port())};
    words.insert(words.end(), more.begin(), more.end());
    return ctl(words);
  }
  Outcome with_config(std::vector<std::string> words) const {
    words.insert(words.end(), {"--config", "datumd.toml"});
    return ctl(words);
  }
  std::string recipe() const { return slurp(cell.path() / "recipes/box.toml"); }

  Cell cell;
};

TEST_F(ScenarioBundle, IsInstalledWholeInAnIdleCellAndTheNextVerdictNamesItsRecipe) {
  const std::string first = make(1, 30);
  const auto host = cell.connect();
  host->ask("CONF:REC 'box';:INIT;:SYST:ERR?");
  const Outcome armed = install(first);
  EXPECT_EQ(armed.status, 8) << armed.output;
  EXPECT_THAT(armed.output, HasSubstr("the cell is armed; ABORt disarms it"));
  EXPECT_EQ(recipe(), Cell::recipe_text());
  host->ask("ABOR;:SYST:ERR?");

  const Outcome done = install(first);
  EXPECT_EQ(done.status, 0) << done.output;
  EXPECT_EQ(recipe(), Cell::recipe_text(30));
  EXPECT_THAT(host->ask("MMEM:BUND?"), AllOf(HasSubstr("\"line-3\",1,"), HasSubstr("\"Joe Public\"")));
  // The recipe stays chosen; its new text measures.
  const std::string sha256 = fields(host->ask("CONF:REC?")).at(1);
  EXPECT_EQ(host->ask("INIT;:SYST:ERR?"), "0,\"No error\"");
  cell.deliver("f1", frame_of_box(good_height_um, 1));
  host->result();
  const auto stored = cell.results();
  ASSERT_EQ(stored.size(), 1u);
  EXPECT_THAT(stored[0].dump(), HasSubstr(sha256)) << "the verdict names the new text";

  const Outcome status = with_config({"bundle", "status", "--json"});
  EXPECT_EQ(status.status, 0) << status.output;
  std::istringstream lines(status.output);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(nlohmann::json::parse(line).at("number"), 1);
  std::getline(lines, line);
  EXPECT_EQ(nlohmann::json::parse(line).at("state"), "same");
  EXPECT_THAT(with_config({"audit"}).output, HasSubstr("bundle line-3, number 1 installed by Joe Public"));
  EXPECT_THAT(with_config({"verify", "results"}).output, HasSubstr("head "));
}

TEST_F(ScenarioBundle, ARefusedOneTouchesNothing) {
  const std::string before = recipe();
  EXPECT_THAT(install(make(1, 30, "cell-9")).output, HasSubstr("is for cell-9; this cell is"));
  ctl({"bundle", "key", "office/thief"});
  EXPECT_THAT(install(make(2, 30, "*", "thief")).output, HasSubstr("which this cell does not trust"));
  // Straight into the spool, past datumctl: datumd itself refuses.
  const auto host = cell.connect();
  const auto told = [&](const std::string& file) {
    return host->ask("MMEM:BUND '" + file + "','Joe';:SYST:ERR?");
  };
  fs::copy_file(cell.path() / "office/2thief.bundle", cell.path() / "spool/thief.bundle");
  EXPECT_THAT(told("thief.bundle"), HasSubstr("which this cell does not trust"));
  std::string bytes = slurp(cell.path() / make(3, 30));
  bytes[bytes.size() - 5] ^= 1;
  cell.write("spool/flipped.bundle", bytes);
  EXPECT_THAT(told("flipped.bundle"), HasSubstr("has the SHA-256"));
  fs::create_symlink(cell.path() / "office/3plant.bundle", cell.path() / "spool/link.bundle");
  EXPECT_THAT(told("link.bundle"), HasSubstr("-224"));
  EXPECT_THAT(told("../office/3plant.bundle"), HasSubstr("allowed: the name of a file in"));
  // Two recipes of one name would leave the cell without it.
  cell.write("office/twin.toml", Cell::recipe_text(20));
  ctl({"bundle", "create", "--recipes", "office/twin.toml", "--cells", "*", "--name", "twin", "--number", "4",
       "--by", "Jane", "--key", "office/plant.pem", "--out", "office/twin.bundle"});
  EXPECT_THAT(install("office/twin.bundle").output, HasSubstr("is also the name of"));
  EXPECT_EQ(recipe(), before);
  EXPECT_EQ(cell.list("recipes"), std::vector<std::string>{"box.toml"});
  EXPECT_EQ(host->ask("MMEM:BUND?"), "\"\",0,\"\",\"\"");
  // A key folder that can't be read trusts nobody.
  cell.write("keys/bad.pub", "no key");
  EXPECT_THAT(install(make(5, 30)).output, HasSubstr("holds no Ed25519 public key"));
}

TEST_F(ScenarioBundle, GoesBackForANamedPersonAndNamesWhatWasChangedByHand) {
  EXPECT_EQ(install(make(7, 30)).status, 0);
  const Outcome older = install(make(6, 20));
  EXPECT_THAT(older.output, HasSubstr("is older than bundle line-3, number 7"));
  EXPECT_EQ(older.status, 8);
  EXPECT_EQ(install("office/6plant.bundle", {"--allow-older"}).status, 0);
  EXPECT_EQ(recipe(), Cell::recipe_text(20));
  cell.write("recipes/box.toml", Cell::recipe_text(25));
  cell.write("recipes/other.toml", "name = 'other'\n");
  const Outcome status = with_config({"bundle", "status"});
  EXPECT_EQ(status.status, 1);
  EXPECT_THAT(status.output, AllOf(HasSubstr("recipe box.toml: changed"), HasSubstr("cell 25, bundle 20"),
                                   HasSubstr("recipe other.toml: extra"), HasSubstr("2 of 2 files differ")));
  EXPECT_EQ(install("office/6plant.bundle").status, 0);  // restores it
  EXPECT_EQ(recipe(), Cell::recipe_text(20));
  // A folder gives its newest one for this cell, and says what it does not take.
  make(9, 10, "cell-9");
  const Outcome pulled = install("office");
  EXPECT_EQ(pulled.status, 0) << pulled.output;
  EXPECT_THAT(pulled.output,
              AllOf(HasSubstr("installed, bundle line-3, number 7"), HasSubstr("is for cell-9")));
  EXPECT_THAT(install("office").output, HasSubstr("no newer bundle"));
}

TEST_F(ScenarioBundle, OneThatWasBegunIsCompleteAfterAKill) {
  EXPECT_EQ(install(make(1, 30)).status, 0);
  ::kill(cell.daemon().pid(), SIGKILL);
  cell.daemon().wait();
  // As a kill between the commit and the exchange of the files leaves it.
  fs::path state;
  for (const auto& entry : fs::directory_iterator(cell.path()))
    if (entry.path().extension() == ".bundle") state = entry.path();
  ASSERT_FALSE(state.empty());
  fs::rename(state, state.string() + ".next");
  cell.write("recipes/box.toml", Cell::recipe_text());
  EXPECT_THAT(with_config({"bundle", "status"}).output, HasSubstr("begun and not complete"));
  cell.start();
  EXPECT_EQ(recipe(), Cell::recipe_text(30));
  // The chain says it first, on a thread of its own.
  const auto host = cell.connect();
  std::string said;
  for (int i = 0; i < 100'000 && said.find("\"line-3\",1,") == said.npos; ++i) said = host->ask("MMEM:BUND?");
  EXPECT_THAT(said, HasSubstr("\"line-3\",1,"));
}

}  // namespace scenario_bundle_test
}  // namespace datum::scenario
