#include "drivers/frame/sensor_profile.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "drivers/frame/probe_point.h"

namespace datum {
namespace {

TEST(NoiseProfile, IsLinearBetweenItsPointsAndConstantOutside) {
  const NoiseProfile noise{{-10.0, 0.0, 5.0}, {8.0, 4.0, 6.0}};
  EXPECT_DOUBLE_EQ(noise.sigma_um_at(-10.0), 8.0);
  EXPECT_DOUBLE_EQ(noise.sigma_um_at(-2.5), 5.0);
  EXPECT_DOUBLE_EQ(noise.sigma_um_at(0.0), 4.0);
  EXPECT_DOUBLE_EQ(noise.sigma_um_at(4.0), 5.6);
  EXPECT_DOUBLE_EQ(noise.sigma_um_at(-99.0), 8.0);
  EXPECT_DOUBLE_EQ(noise.sigma_um_at(99.0), 6.0);
}

TEST(NoiseProfile, OnePointHoldsEverywhere) {
  const NoiseProfile noise{{0.0}, {3.0}};
  EXPECT_DOUBLE_EQ(noise.sigma_um_at(-1.0), 3.0);
  EXPECT_DOUBLE_EQ(noise.sigma_um_at(1.0), 3.0);
}

TEST(ProbePoint, ANewPointMayNotBePairedAndEveryStateHasItsOwnName) {
  EXPECT_EQ(ProbePoint{}.state, ProbeState::none_yet);
  std::set<std::string> names;
  const int states = static_cast<int>(ProbeState::link_down) + 1;
  for (int s = 0; s < states; ++s) names.insert(name_of(static_cast<ProbeState>(s)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(states));
  EXPECT_EQ(names.count("?"), 0u);
}

}  // namespace
}  // namespace datum
