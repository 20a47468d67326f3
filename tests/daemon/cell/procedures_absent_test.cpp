// A build without calibrating and touched holes (DATUM_OFFLINE=OFF, DATUM_SURFACES=OFF): its own files in place of the libraries'.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/calibration/calibration_procedure.h"
#include "daemon/holes/hole_tour.h"
#include "tests/daemon/calibration/fake_frames.h"

namespace datum::procedures_absent_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Cell {
  std::filesystem::path folder = "calibrations";
  std::optional<CalibrateSettings> calibrate = CalibrateSettings{};
  std::optional<CmmSettings> cmm = CmmSettings{};
  std::optional<HoleSettings> holes = HoleSettings{};
  SensorProfile sensor;
  Worker worker;
  testing::FakeFrames frames;
  ProcedureDependencies parts{{folder, calibrate, cmm, 5000},
                              sensor,
                              worker,
                              frames,
                              nullptr,
                              [] { return std::int64_t{0}; },
                              {},
                              [] {},
                              [](int, const std::string&) {}};
};

/// What a host is answered.
template <class Command>
std::string answer(Command command) {
  try {
    command();
  } catch (const scpi::Error& error) {
    return std::to_string(error.number()) + " " + error.what();
  }
  return "no error";
}

TEST(ProceduresAbsent, EachCommandOfACalibrationIsRefusedWithWhatBuildsIt) {
  Cell cell;
  CalibrationProcedure procedure({cell.parts, [] {}, [] { return true; }});
  const std::function<void()> commands[] = {[&] { procedure.start("AS120-0001", "somebody", 20); },
                                            [&] { procedure.touch("LP"); },
                                            [&] { procedure.forget(""); },
                                            [&] { procedure.scan(); },
                                            [&] { procedure.solve(); },
                                            [&] { procedure.accept(); },
                                            [&] { procedure.accept("id", "somebody"); },
                                            [&] { procedure.verify(); },
                                            [&] { procedure.withdraw("somebody", "why"); }};
  for (const auto& command : commands)
    EXPECT_THAT(answer(command), AllOf(HasSubstr("-241 "), HasSubstr("./datum demo --snapshots")));
  EXPECT_FALSE(procedure.active() || procedure.pending() || procedure.awaits_frame());
  EXPECT_EQ(procedure.step(), "IDLE");
}

TEST(ProceduresAbsent, EachCommandOfAHoleIsRefusedWithWhatBuildsIt) {
  Cell cell;
  HoleProcedure procedure({cell.parts, cell.holes, [] {}, [] { return nullptr; }});
  const std::function<void()> commands[] = {[&] { procedure.start({}); }, [&] { procedure.scan(); },
                                            [&] { procedure.enter(); }, [&] { procedure.touch(); },
                                            [&] { procedure.demand_ready({}); }};
  for (const auto& command : commands)
    EXPECT_THAT(answer(command), AllOf(HasSubstr("-241 "), HasSubstr("./datum demo --holes")));
  EXPECT_FALSE(procedure.active() || procedure.pending() || procedure.awaits_frame() || procedure.driving());
  EXPECT_EQ(procedure.step(), "IDLE");
}

}  // namespace
}  // namespace datum::procedures_absent_test
