#include "calib/hybrid/hybrid_log.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <random>

#include "tests/calib/hybrid/bore.h"

namespace datum::hybrid_log_test {
namespace {

using testing::Bore;
using testing::drive;
using ::testing::HasSubstr;

HybridSettings settings() {
  HybridSettings s;
  s.probe = {1.5, 0.001, 0.002};
  return s;
}

HoleCandidate candidate(double x, double radius = 5) {
  HoleCandidate hole{{x, -20, 10}, Eigen::Vector3d::UnitZ(), radius};
  hole.u_own_mm = {0.01, 0.01, 0.01};
  hole.u_shared_mm = {0.05, 0.05, 0.08};
  return hole;
}

/// All inputs and all results, with noisy touches.
std::string full_log() {
  HybridRun run(settings());
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> noise(-0.003, 0.003);
  MonotonicNs now = 17;
  const auto hole = [&](const HoleCandidate& seen, const Bore& bore) {
    run.scan(seen, now);
    drive(run, bore, 1.5, now, [&](const Eigen::Vector3d& p) -> Eigen::Vector3d {
      return p + Eigen::Vector3d(noise(random), noise(random), noise(random));
    });
  };
  hole(candidate(40.1), Bore{{40, -20, 10}, 4.9});
  hole(candidate(60.1), Bore{{60, -20, 10}, 4.9});
  hole(candidate(80.5), Bore{{80, -20, 10}, 4.9});
  run.scan(candidate(1, 1), ++now);
  run.scan(candidate(std::numeric_limits<double>::quiet_NaN()), ++now);
  run.scan(candidate(100), ++now);
  run.touch_failed("it said \"\xff\" and nothing else", ++now);
  run.scan(candidate(100), ++now);
  run.on_deadline(*run.probe().deadline());
  run.scan(candidate(100), ++now);
  run.abort(++now);
  run.touched({1, 2, 3}, ++now);  // without a running measurement
  return run.log();
}

TEST(HybridLog, ReplaysToTheSameBytes) {
  const std::string log = full_log();
  EXPECT_EQ(replay(log), log);
  EXPECT_THAT(log, HasSubstr("\"state\":\"DONE\""));
  EXPECT_THAT(log, HasSubstr("\"state\":\"MISMATCH\""));
  EXPECT_THAT(log, HasSubstr("\"state\":\"GUARD\""));
  EXPECT_GT(std::count(log.begin(), log.end(), '\n'), 30);
}

// A log altered in its inputs or results differs from the re-run of its inputs.
TEST(HybridLog, AnAlteredLogDoesNotReplayToItself) {
  const std::string log = full_log();
  const auto altered = [&](const std::string& from, const std::string& to) {
    std::string other = log;
    const auto at = other.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return other.replace(at, from.size(), to);
  };
  for (const auto& other : {altered("\"state\":\"MISMATCH\"", "\"state\":\"DONE\""), altered("40.1", "40.2"),
                            altered("\"eps_mm\":0.005", "\"eps_mm\":0.0001")}) {
    EXPECT_NE(replay(other), other);
  }
}

TEST(HybridLog, ALineThatIsNoneIsNamed) {
  const auto refusal = [](const std::string& log) -> std::string {
    try {
      replay(log);
    } catch (const HybridLogError& error) {
      return error.what();
    }
    return "(accepted)";
  };
  const std::string first = HybridRun(settings()).log();
  EXPECT_EQ(refusal(""), "the log is empty; its first line holds the settings");
  EXPECT_THAT(refusal("{}\n"), HasSubstr("line 1: "));
  EXPECT_THAT(refusal(first + "{\"in\":\"scan\"\n"), HasSubstr("line 2: "));
  EXPECT_EQ(
      refusal(first + "{\"in\":\"jump\",\"t_ns\":1}\n"),
      "line 2: in = 'jump' is not known; allowed: scan, entered, touched, touch_failed, abort, deadline");
  EXPECT_EQ(refusal(first + "{\"in\":\"touched\",\"t_ns\":1,\"tip_mm\":[1,2]}\n"),
            "line 2: [1,2] is no list of three numbers");
  for (const char* time : {"-1", "9223372036854775807", "1.5"})
    EXPECT_EQ(
        refusal(first + "{\"in\":\"abort\",\"t_ns\":" + time + "}\n"),
        std::string("line 2: t_ns = ") + time + " is no time of a clock; allowed: 0 to 4611686018427387904");
  std::string tomorrow = first;
  tomorrow.replace(tomorrow.find("\"schema\":1"), 10, "\"schema\":2");
  EXPECT_EQ(refusal(tomorrow), "line 1: schema 2 is not known; allowed: 1");
}

}  // namespace
}  // namespace datum::hybrid_log_test
