// Files that take over their parser, with the real daemon: datumd-parse ends, never datumd. The file is refused and kept
// with its reason, and boards are measured meanwhile. Vulnerable parsers (tests/daemon/parse) replace datumd-parse;
// damaged files use the product's parsers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/drivers/sensor/tiny_files.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

/// A folder with datumd and a test program under the name of datumd-parse.
class Programs {
 public:
  explicit Programs(const char* parse_program) {
    fs::copy_file(DATUM_BIN "/datumd", folder_ / "datumd");
    fs::copy_file(parse_program, folder_ / "datumd-parse");
  }
  std::string datumd() const { return (folder_ / "datumd").string(); }
  /// Running processes of datumd-parse.
  std::vector<pid_t> parsers() const {
    std::vector<pid_t> found;
    for (const auto& process : fs::directory_iterator("/proc")) {
      std::error_code error;
      if (fs::read_symlink(process.path() / "exe", error) == datumd() + "-parse" && !error)
        found.push_back(std::stoi(process.path().filename()));
    }
    return found;
  }

 private:
  datum::testing::FreshFolder folder_;
};

class ScenarioParse : public ::testing::Test {
 protected:
  void start(const char* parse_program) {
    programs.emplace(parse_program);
    CellOptions options;
    options.daemon = programs->datumd();
    cell.emplace(options);
    image = image_at(100);
  }
  std::string image_at(std::int16_t height) const {
    const std::vector<std::int16_t> heights(std::size_t{20} * 20, height);
    testing::TiffOptions lzw;  // datumd itself reads an uncompressed one
    lzw.compression = 5;
    testing::write_tiff(cell->path() / "image.tif", 20, 20, heights, lzw);
    return slurp(cell->path() / "image.tif");
  }
  void run() {
    cell->start();
    host = cell->connect();
    EXPECT_EQ(host->ask("SYST:LOCK:REQ?"), "1");
  }
  /// Delivers a frame of NAME.json and NAME.tif; returns its result.
  plc::ResultLine deliver(const std::string& name, const std::string& tiff) {
    cell->write("outbox/any", tiff);
    fs::rename(cell->path() / "outbox/any", cell->drop() / (name + ".tif"));
    cell->write("outbox/any",
                R"({"schema_version":1,"sensor_serial":"S-1","job":{"name":"a","hash":"b"},"frame_id":")" +
                    name +
                    R"(","capture_time":{"ns":1,"clock":"unknown"},"x":{"scale":0.5,"offset":0,"unit":"mm"},)"
                    R"("y":{"scale":0.5,"offset":0,"unit":"mm"},"z":{"scale":1,"offset":0,"unit":"um"},)"
                    R"("invalid_value":0,"handedness":"right","height_file":")" +
                    name + ".tif\"}");
    fs::rename(cell->path() / "outbox/any", cell->drop() / (name + ".json"));
    return host->result();
  }
  /// Latency of a good board in ms.
  double expect_pass() {
    const std::string name = "good" + std::to_string(++good);
    const std::string frame = frame_of_box(good_height_um, static_cast<std::uint32_t>(good));
    const auto from = Clock::now();
    cell->deliver(name, frame);
    const auto line = host->result();
    EXPECT_EQ(line.frame, name);
    EXPECT_EQ(line.decision, "PASS");
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
  }
  std::string failed_text(const std::string& name) const { return slurp(cell->drop() / "failed" / name); }
  std::string sent_recipe(const std::string& name, const std::string& text) {
    host->send("*CLS\nMMEM:DATA \"" + name + "\",#6" + padded(text.size()) + text + ",\"" +
               sha256_hex({testing::bytes_of(text)}) + "\"");
    return host->ask("SYST:ERR?");
  }
  static std::string other_recipe(const std::string& before) {
    std::string text = before + Cell::recipe_text();
    return text.replace(text.find("\"box\""), 5, "\"other\"");
  }
  static std::string padded(std::size_t n) {
    const std::string digits = std::to_string(n);
    return std::string(6 - digits.size(), '0') + digits;
  }

  std::optional<Programs> programs;
  std::optional<Cell> cell;
  std::unique_ptr<Host> host;
  std::string image;
  int good = 0;
};

TEST_F(ScenarioParse, AFrameThatEndsItsReaderIsRefusedAndKeptAndTheNextBoardIsMeasured) {
  start(DATUM_TEST_PARSE_PROGRAM);
  run();
  expect_pass();
  const pid_t datumd = cell->daemon().pid();
  const std::pair<const char*, const char*> harm[] = {
      {"harm-segfault", "signal 11"}, {"harm-abort", "signal 6"}, {"harm-short", "it answers with nonsense"}};
  for (const auto& [name, end] : harm) {
    EXPECT_EQ(deliver(name, image).decision, "INVALID") << name;
    EXPECT_EQ(fields(host->ask("FETC:BOAR?")).at(2), "FRAME");
    const std::string folder = name;
    EXPECT_THAT(failed_text(folder + "/" + name + ".json.reason.txt"),
                ::testing::AnyOf(HasSubstr(end), HasSubstr("ended with status")));  // of a sanitizer
    EXPECT_EQ(failed_text(folder + "/" + name + ".tif"), image) << "the sample";
    expect_pass();
  }
  EXPECT_TRUE(cell->daemon().says("datumd-parse did not survive harm-segfault.json"));
  EXPECT_EQ(cell->daemon().pid(), datumd);
  EXPECT_FALSE(cell->daemon().has_ended());
  EXPECT_THAT(deliver("well", image).decision, ::testing::AnyOf("INVALID", "FAIL"))
      << "read, and not this board";
  EXPECT_FALSE(fs::exists(cell->drop() / "failed/well")) << failed_text("well/well.json.reason.txt");
}

TEST_F(ScenarioParse, ParsersThatAreKilledAreStartedAnew) {
  start(DATUM_BIN "/datumd-parse");
  run();
  for (int i = 0; i < 3; ++i) {
    const auto parsers = programs->parsers();
    EXPECT_EQ(parsers.size(), 6u) << "each with one that stands by";
    for (const pid_t parser : parsers) ::kill(parser, i == 0 ? SIGKILL : SIGSEGV);
    // They need not be dead yet: none of them begins with an order any more.
    const std::string name = "a" + std::to_string(i);
    // Other pixels, so that no earlier frame is repeated.
    deliver(name, image_at(static_cast<std::int16_t>(100 + i)));
    EXPECT_FALSE(fs::exists(cell->drop() / "failed" / name))
        << "no process had taken it: " << failed_text(name + "/" + name + ".json.reason.txt");
    EXPECT_THAT(sent_recipe("other", other_recipe("")), HasSubstr("No error"));
    expect_pass();
  }
}

TEST_F(ScenarioParse, ARecipeThatEndsItsReaderIsRefusedWhereverItComesFrom) {
  start(DATUM_TEST_PARSE_PROGRAM);
  cell->write("recipes/lying.toml", "# harm-abort\n" + Cell::recipe_text());
  run();
  EXPECT_TRUE(cell->daemon().says(
      "lying.toml: datumd-parse, which reads it apart from the rest, did not survive it"));
  expect_pass();
  EXPECT_THAT(sent_recipe("other", other_recipe("# harm-segfault\n")), HasSubstr("-224"));
  expect_pass();
  std::vector<std::string> kept = cell->list("drop/failed");
  EXPECT_THAT(kept, ::testing::Contains(::testing::EndsWith("-lying.toml")));
  EXPECT_THAT(kept, ::testing::Contains(::testing::EndsWith("-other")));
  EXPECT_THAT(kept, ::testing::Contains(::testing::EndsWith("-other.reason.txt")));
}

TEST_F(ScenarioParse, WithoutItsParsersDatumdDoesNotTakeABoard) {
  start("/bin/true");
  cell->launch();
  EXPECT_EQ(cell->daemon().wait(), 70);
  EXPECT_THAT(cell->daemon().output(), HasSubstr("datumd-parse ended with status 0"));
}

/// Latency of a good board among damaged files: DATUM_PARSE_INPUTS of them, one before each board.
TEST_F(ScenarioParse, BoardsAreMeasuredAmongDamagedFiles) {
  const char* told = std::getenv("DATUM_PARSE_INPUTS");
  const int inputs = told ? std::atoi(told) : 40;
  start(DATUM_BIN "/datumd-parse");
  run();
  std::vector<double> quiet, among;
  for (int i = 0; i < inputs; ++i) quiet.push_back(expect_pass());
  const auto before = programs->parsers();
  std::mt19937 random(7);
  for (int i = 0; i < inputs; ++i) {
    std::string bad = image;
    for (int k = 0; k < 4; ++k) bad[random() % bad.size()] = static_cast<char>(random());
    if (i % 3 == 0) bad.resize(random() % bad.size());
    EXPECT_NE(deliver("bad" + std::to_string(i), bad).decision, "PASS");
    among.push_back(expect_pass());
  }
  EXPECT_EQ(programs->parsers(), before) << "none of them ended it";
  for (auto* took : {&quiet, &among}) std::sort(took->begin(), took->end());
  const auto at = [&](const std::vector<double>& took, double part) {
    return took[static_cast<std::size_t>(part * static_cast<double>(took.size() - 1))];
  };
  std::printf("a board: quiet median %.2f ms, p99 %.2f; among damaged files %.2f, %.2f\n", at(quiet, 0.5),
              at(quiet, 0.99), at(among, 0.5), at(among, 0.99));
}

}  // namespace
}  // namespace datum::scenario
