// The demonstration of devices: one board by a Gocator and by a GigE Vision camera.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

using ::testing::HasSubstr;

/// Result rows after this text, up to the next empty line.
std::string rows_after(const std::string& output, const std::string& words) {
  const auto from = output.find("\nref ", output.find(words));
  return from == std::string::npos ? "none" : output.substr(from, output.find("\n\n", from) - from);
}

TEST(ScenarioDevices, TheDemonstrationMeasuresABoardThroughEach) {
  const datum::testing::FreshFolder folder;
  const Outcome outcome =
      run({DATUM_SOURCE_DIR "/tests/scenario/demo_devices.sh", DATUM_BIN, folder.path() / "devices"},
          folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_EQ(rows_after(outcome.output, "through-gocator"), rows_after(outcome.output, "through-genicam"))
      << "it is the same board";
  EXPECT_THAT(rows_after(outcome.output, "through-genicam"), HasSubstr("C1     median"));
  for (const char* name : {"gocator", "genicam"}) {
    EXPECT_THAT(outcome.output, HasSubstr(std::string("board through-") + name + ": PASS"));
    const int sequence = name == std::string("gocator") ? 1 : 2;
    const auto board = nlohmann::json::parse(
        run({"datumctl", "show", std::to_string(sequence), "--json", "--store", "devices/results.db"},
            folder.path())
            .output);
    EXPECT_EQ(board["sensor_serial"], "30001");
    EXPECT_EQ(board["pose"]["after"]["position_mm"], nlohmann::json({120, 80, 35})) << "by I++ DME";
  }
}

}  // namespace
}  // namespace datum::scenario
