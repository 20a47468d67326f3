// A floor with a second level 35 um higher on 30 % of its ring (a pad or a trace), noise 5 um, 10 % gross
// outliers: the height of the floor at the component is right to 0.3 um, or the floor is refused.
#include <gtest/gtest.h>

#include "gpu/plane_fit/plane_evidence.h"
#include "tests/gpu/plane_fit_scene.h"

namespace datum {
namespace {

using namespace testing;

enum class Layout { interleaved, one_side, sector };

void PrintTo(Layout layout, std::ostream* out) {
  *out << (layout == Layout::interleaved ? "interleaved"
           : layout == Layout::one_side  ? "one_side"
                                         : "sector");
}

constexpr double sigma = 5, true_c = 12;

/// 19,200 ring pixels at a pitch of 20 um around a component of 2.4 by 2 mm, as on the paper's board (19,519
/// on average).
Scene second_level_scene(Layout layout, double step, std::uint64_t seed) {
  Scene s;
  s.half_x = 1790, s.half_y = 1590;
  s.seed = seed;
  Random random(seed * 977 + static_cast<std::uint64_t>(layout));
  const double begin = random.between(-M_PI, M_PI);
  std::vector<double> rank;  // the 30 % with the smallest rank lie higher
  for (int row = 0; row < 160; ++row) {
    for (int col = 0; col < 180; ++col) {
      const double x = 20. * col - 1790, y = 20. * row - 1590;
      if (std::fabs(x) < 1200 && std::fabs(y) < 1000) continue;
      s.add(x, y, 0.01 * x - 0.005 * y + true_c, true);
      const double turn = std::atan2(y, x) - begin;
      rank.push_back(layout == Layout::interleaved ? random.uniform()
                     : layout == Layout::one_side  ? x
                                                   : turn + (turn < 0 ? 2 * M_PI : 0));
    }
  }
  std::vector<double> sorted = rank;
  const auto cut = sorted.begin() + static_cast<long>(0.3 * static_cast<double>(sorted.size()));
  std::nth_element(sorted.begin(), cut, sorted.end());
  for (std::size_t i = 0; i < s.z.size(); ++i) {
    double off = sigma * random.gauss() + (rank[i] < *cut ? step : 0);
    if (random.uniform() < 0.1) off = (random.uniform() < 0.8 ? 1 : -1) * random.between(60, 1000);
    s.z[i] += static_cast<float>(off);
  }
  return s;
}

PlaneFitSettings floor_settings() {
  PlaneFitSettings s;
  s.threshold = static_cast<float>(1.5 * sigma);
  s.refit_threshold = static_cast<float>(3 * sigma);
  return s;
}

/// The gates of METROLOGY S5 that bear on the height; rms at 1.2 sigma.
bool accepted(const Scene& s, const PlaneFit& f) {
  return f.status == FitStatus::ok && f.fixed_point && f.rms <= 1.2 * sigma && f.inliers >= 0.3 * f.valid &&
         plane_evidence(s.points(), f, floor_settings()).ratio() <= 0.8;
}

struct Tally {
  int cases = 0, accepted = 0, wrong = 0;
  double worst = 0;
};

Tally tally_of(Layout layout, double step, int cases) {
  Tally t;
  for (t.cases = 0; t.cases < cases; ++t.cases) {
    const Scene s = second_level_scene(layout, step, static_cast<std::uint64_t>(t.cases));
    const PlaneFit f = fit(s, floor_settings());
    if (!accepted(s, f)) continue;
    const double bias = std::fabs(f.c - true_c);
    ++t.accepted;
    t.wrong += bias > 0.3;
    t.worst = std::max(t.worst, bias);
  }
  return t;
}

class SecondLevel : public ::testing::TestWithParam<Layout> {};

TEST_P(SecondLevel, IsNotTakenForTheFloor) {
  const Tally t = tally_of(GetParam(), 35, 1000);
  EXPECT_GE(t.accepted, 950);
  EXPECT_EQ(t.wrong, 0) << "worst " << t.worst << " um";
  RecordProperty("accepted", t.accepted);
  RecordProperty("worst_um", std::to_string(t.worst));
  std::printf("accepted %d of %d, worst bias %.3f um\n", t.accepted, t.cases, t.worst);
}

std::string name_of_layout(const ::testing::TestParamInfo<Layout>& info) {
  return info.param == Layout::interleaved ? "interleaved"
         : info.param == Layout::one_side  ? "one_side"
                                           : "sector";
}

INSTANTIATE_TEST_SUITE_P(Layouts, SecondLevel,
                         ::testing::Values(Layout::interleaved, Layout::one_side, Layout::sector),
                         name_of_layout);

}  // namespace
}  // namespace datum
