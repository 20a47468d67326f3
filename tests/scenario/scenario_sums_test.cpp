// Sums that a sidecar states: they are checked beside the measurement, and before a result is stored or announced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/drivers/sensor/tiny_files.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::scenario_sums {
namespace {

using namespace datum::scenario;
namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string wrong_sum(64, '0');

class ScenarioSums : public ::testing::Test {
 protected:
  Cell cell;
  std::unique_ptr<Host> host;

  void start() {
    cell.start();
    host = cell.connect();
  }

  /// The good board as a TIFF of um.
  std::string image(std::uint32_t seed) const {
    const std::string ptr = frame_of_box(good_height_um, seed);
    std::vector<float> heights((ptr.size() - 32) / sizeof(float));
    std::memcpy(heights.data(), ptr.data() + 32, heights.size() * sizeof(float));
    const int side = 200;
    testing::write_tiff(cell.path() / "image.tif", side, side, heights);
    return slurp(cell.path() / "image.tif");
  }
  static std::string sum_of(const std::string& tiff) { return sha256_hex({testing::bytes_of(tiff)}); }

  void deliver(const std::string& name, const std::string& frame_id, const std::string& tiff,
               const std::string& sum) const {
    FrameSidecar sidecar = testing::make_sidecar(name + ".tif");
    sidecar.sensor_serial = "S-1";
    sidecar.frame_id = frame_id;
    sidecar.captured = {1, ClockDomain::unknown};
    sidecar.x = sidecar.y = {0.05, 0};
    sidecar.z = {0.001, 0};
    sidecar.invalid = {};
    sidecar.height_sha256 = sum;
    cell.write("outbox/any", tiff);
    fs::rename(cell.path() / "outbox/any", cell.drop() / (name + ".tif"));
    cell.write("outbox/any", write_sidecar(sidecar));
    fs::rename(cell.path() / "outbox/any", cell.drop() / (name + ".json"));
  }

  void expect_refused(const std::string& name) const {
    const auto line = host->result();
    EXPECT_EQ(line.decision, "INVALID") << name;
    EXPECT_EQ(line.frame, name);
    EXPECT_EQ(fields(host->ask("FETC:BOAR?")).at(2), "FRAME");
    EXPECT_EQ(
        slurp(cell.drop() / "failed" / name / (name + ".json.reason.txt")),
        name + ".tif: its SHA-256 differs from the sidecar's; it is truncated, damaged or another file\n");
  }

  Outcome verify_frames() const {
    return run({"datumctl", "verify", "results", "--frames", "--config", "datumd.toml"}, cell.path());
  }
};

TEST_F(ScenarioSums, AWrongSumIsInvalidAndNothingElseWasStoredOrAnnounced) {
  start();
  const std::string first = image(1), second = image(2);
  deliver("a", "a", first, sum_of(first));
  EXPECT_EQ(host->result().decision, "PASS");
  deliver("b", "b", second, wrong_sum);
  expect_refused("b");
  // Not the announced file, though its bytes are those of a frame that was measured.
  deliver("c", "a", first, wrong_sum);
  expect_refused("c");
  // Its pixels were not shown to anybody.
  deliver("d", "d", second, sum_of(second));
  EXPECT_EQ(host->result().decision, "PASS");
  const auto results = cell.results();
  ASSERT_EQ(results.size(), 4u);
  EXPECT_THAT(results[0]["frame_sha256"].get<std::string>(), StartsWith("sha256-tree-256KiB:"));
  for (const int refused : {1, 2}) {
    EXPECT_EQ(results[refused]["decision"], "INVALID");
    EXPECT_EQ(results[refused]["frame_sha256"], "");
    EXPECT_EQ(results[refused]["components"].size(), 0u);
  }
}

// A result of an older version: the scheme of each stored identity says how its frame is hashed.
TEST_F(ScenarioSums, FramesOfResultsWithAPlainSumAreMeasuredAgain) {
  start();
  const std::string first = image(1), second = image(2);
  deliver("a", "a", first, "");
  EXPECT_EQ(host->result().decision, "PASS");
  deliver("b", "b", second, "");
  EXPECT_EQ(host->result().decision, "PASS");
  EXPECT_THAT(verify_frames().output, HasSubstr("frames: 2 measured the same, 0 not the same"));
  const std::string tree = cell.results()[0]["frame_sha256"];
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open((cell.path() / "results.db").c_str(), &db), SQLITE_OK);
  const auto rename = [&](const std::string& from, const std::string& to) {
    const std::string update = "UPDATE result SET frame_sha256 = replace(frame_sha256, '" + from + "', '" +
                               to + "'), json = replace(json, '" + from + "', '" + to + "')";
    EXPECT_EQ(sqlite3_exec(db, update.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  };
  rename(tree, sum_of(first));
  EXPECT_THAT(verify_frames().output, HasSubstr("frames: 2 measured the same, 0 not the same"));
  rename(sum_of(first), sum_of(second));
  EXPECT_THAT(verify_frames().output, HasSubstr("frames: 1 measured the same, 0 not the same"));
  sqlite3_close(db);
}

}  // namespace
}  // namespace datum::scenario_sums
