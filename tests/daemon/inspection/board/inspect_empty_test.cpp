#include <gtest/gtest.h>

#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::inspect_empty_test {
namespace {

using testing::make_scene;
using testing::render;
using testing::Scene;

/// A place that is not populated, as datumctl recipe import writes it: nothing may be as high as half of the part.
TEST(Inspect, APlaceThatMustBeEmptyPassesEmptyAlone) {
  Scene s = make_scene();
  Component& c = s.recipe.components[0];
  c.checks.resize(2);
  c.checks[0] = {};
  c.checks[0].upper = c.nominal_height_um / 2;
  c.checks[0].expected = c.nominal_height_um;
  c.checks[1] = {};
  c.checks[1].characteristic = Characteristic::presence;
  c.checks[1].upper = 250;
  render(s);
  const BoardVerdict populated = s.inspect();
  EXPECT_EQ(populated.components[0].checks[0].decision, Decision::fail);
  EXPECT_EQ(populated.components[0].checks[1].decision, Decision::fail);
  const double nominal_um = c.nominal_height_um;
  c.nominal_height_um = 0;  // the scene renders bodies by their nominal heights
  render(s);
  c.nominal_height_um = nominal_um;
  const BoardVerdict empty = s.inspect();
  EXPECT_EQ(empty.components[0].decision, Decision::pass) << empty.components[0].checks[0].detail;
  EXPECT_NEAR(empty.components[0].checks[0].value, 0, 0.8) << "four standard deviations, as in inspect_test";
  c.nominal_confirmed = false;
  EXPECT_EQ(s.inspect().components[0].decision, Decision::inconclusive)
      << "half of a height that nobody confirmed";
}

}  // namespace
}  // namespace datum::inspect_empty_test
