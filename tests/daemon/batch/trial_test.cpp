// Checks of two verdicts, matched by name.
#include "daemon/batch/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/batch/batch_scene.h"

namespace datum::trial_test {
namespace {

using ::testing::ElementsAre;
using testing::measured_component;

TEST(Trial, MatchesChecksByReferenceCharacteristicAndParameter) {
  BoardVerdict then, now;
  then.components = {measured_component("C1", Decision::pass, 500),
                     measured_component("C2", Decision::pass, 500)};
  now.components = {measured_component("C3", Decision::fail, 700),
                    measured_component("C1", Decision::pass, 501)};
  CheckVerdict percentile = now.components[1].checks[0];
  percentile.check.characteristic = Characteristic::tilt;
  now.components[1].checks.push_back(percentile);
  std::vector<std::string> rows;
  for (const MatchedCheck& m : matched_checks(then, now))
    rows.push_back(*m.reference + (m.then ? " then" : "") + (m.now ? " now" : ""));
  EXPECT_THAT(rows, ElementsAre("C3 now", "C1 then now", "C1 now", "C2 then"));
}

}  // namespace
}  // namespace datum::trial_test
