// Boards whose heights are filtered before they are measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "daemon/inspection/board/filter.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/verdict/uncertainty.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::inspect_filter_test {
namespace {

using testing::make_scene;
using testing::render;
using testing::Scene;

const CheckVerdict& first(const BoardVerdict& v, std::size_t component) {
  return v.components.at(component).checks.at(0);
}

double term(const CheckVerdict& v, const std::string& name) {
  for (const UncertaintyTerm& t : v.budget)
    if (t.name == name) return t.u;
  return std::numeric_limits<double>::quiet_NaN();
}

double health(const StepRecord& r, const std::string& name) {
  for (const auto& [key, value] : r.health)
    if (key == name) return value;
  return std::numeric_limits<double>::quiet_NaN();
}

Scene filtered_scene(double noise_um = 10) {
  Scene s = make_scene();
  s.recipe.filter.emplace();
  s.sensor.noise = {{0.0}, {noise_um}};
  render(s, noise_um);
  return s;
}

TEST(InspectFiltered, SmoothsBeforeItMeasuresAndSaysSo) {
  Scene s = filtered_scene();
  const BoardVerdict v = s.inspect();
  s.recipe.filter.reset();
  const BoardVerdict raw = s.inspect();
  ASSERT_EQ(v.decision, Decision::pass) << v.detail << first(v, 0).detail;
  EXPECT_TRUE(raw.stages.empty());
  ASSERT_EQ(v.stages.size(), 1u);
  const StepRecord& r = v.stages[0];
  EXPECT_EQ(r.name, "perona_malik");
  EXPECT_EQ(r.parameters, (std::vector<std::pair<std::string, std::string>>{{"conduction", "rational"},
                                                                            {"kappa", "robust"},
                                                                            {"iterations", "10"},
                                                                            {"lambda", "0.2"},
                                                                            {"step_um", "0.001953125"}}));
  // Uniform noise of 10 um: the middle of |difference of two| is (1 - sqrt(1/2)) 20 sqrt(3) = 10.15 um, and here a
  // multiple of a count, 0.5 um.
  EXPECT_NEAR(health(r, "kappa_um"), 2.5 * 1.4826 * 10.15, 2.5 * 1.4826 * 0.5);
  EXPECT_GT(health(r, "rms_change_um"), 7);
  EXPECT_GT(health(r, "largest_change_um"), health(r, "rms_change_um"));
  EXPECT_EQ(health(r, "pixels"), 400 * 300);
  EXPECT_EQ(r.input_sha256.size(), 64u);
  EXPECT_NE(r.output_sha256, r.input_sha256);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LT(v.components[i].floor.rms_um, raw.components[i].floor.rms_um / 2.5);
    EXPECT_NEAR(term(first(v, i), "filter"),
                std::abs(first(v, i).value - first(raw, i).value) / std::sqrt(3.0), 1e-12);
    EXPECT_DOUBLE_EQ(first(v, i).u, combined(first(v, i).budget));
    EXPECT_GE(term(first(v, i), "quantisation"), term(first(raw, i), "quantisation"));
    EXPECT_NEAR(first(v, i).value, i == 0 ? 400 : 600, 2 * first(v, i).u + 0.8);
  }
  EXPECT_EQ(v.frame_sha256, "beef") << "the frame as it was delivered, for it is what is archived";
}

TEST(InspectFiltered, KeepsTheSumAndTheClasses) {
  Scene s = filtered_scene();
  testing::change_pixels(s, 1, 1, 2, 2, [](int, int, std::int16_t& count, PixelClass& c) {
    count = -32768;
    c = PixelClass::sentinel;
  });
  CpuDiffuser diffuser(cpu_backend(2));
  const HeightFrame f = filtered(s.frame, *s.recipe.filter, diffuser);
  const auto& raw = std::get<std::vector<std::int16_t>>(s.frame.counts);
  const auto& smooth = std::get<std::vector<std::int32_t>>(f.counts);
  EXPECT_EQ(f.classes, s.frame.classes);
  EXPECT_EQ(f.z.scale_mm, s.frame.z.scale_mm / filter_steps);
  double before = 0, after = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (f.classes[i] != PixelClass::ok) continue;
    before += (raw[i] * s.frame.z.scale_mm + s.frame.z.offset_mm - f.z.offset_mm) / f.z.scale_mm;
    after += smooth[i];
  }
  EXPECT_NEAR(after, before, 1e-3) << "sums of integers, less the roundings of the first";
}

TEST(InspectFiltered, TakesAnyKindOfCounts) {
  Scene s = filtered_scene();
  const BoardVerdict expected = s.inspect();
  const auto counts = std::get<std::vector<std::int16_t>>(s.frame.counts);
  s.frame.counts = std::vector<std::int32_t>(counts.begin(), counts.end());
  EXPECT_EQ(to_json(s.inspect()), to_json(expected));
  std::vector<float> um(counts.begin(), counts.end());
  for (float& v : um) v *= 0.5f;  // counts of 0.5 um
  s.frame.counts = um;
  s.frame.z.scale_mm = 0.001;
  // steps are 1/256 um instead of 1/512: half a step's rounding, then the filter's
  const BoardVerdict v = s.inspect();
  EXPECT_NEAR(first(v, 0).value, first(expected, 0).value, 0.01);
  EXPECT_EQ(v.stages.at(0).parameters.back().second, "0.00390625");
}

TEST(InspectFiltered, WithoutARawValueThereIsNone) {
  Scene s = filtered_scene(2);
  s.recipe.floor.max_rms_sigmas = 0.7;  // the noise as it is fails, the filtered one would not
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(first(v, 0).reason, Reason::floor_rms);
  EXPECT_THAT(first(v, 0).detail, ::testing::HasSubstr("what the filter did is not known"));
}

TEST(InspectFiltered, AFilterThatMovesAValueWidensItsUncertainty) {
  Scene s = filtered_scene(2);
  s.recipe.filter->rule = KappaRule::fixed;
  s.recipe.filter->kappa_um = 1e6;  // a plain blur: sqrt(2 * 0.2 * 15) = 2.4 pixels wide
  s.recipe.filter->iterations = 15;
  Check& check = s.recipe.components[0].checks[0];
  check.characteristic = Characteristic::mean;
  check.lower = 350;
  check.upper = 520;
  const BoardVerdict v = s.inspect();
  // the body's rim has lost height to the floor, here a mean of 17 um
  EXPECT_EQ(first(v, 0).decision_simple, Decision::pass);
  EXPECT_GT(term(first(v, 0), "filter"), 4);
  EXPECT_EQ(first(v, 0).decision, Decision::inconclusive) << first(v, 0).detail;
}

/// U1 is 550 um high, at most 480 um are allowed; the blur takes a third of it.
Scene blurred_scene(DecisionRule rule) {
  Scene s = make_scene();
  s.recipe.components.resize(1);
  s.recipe.components[0].nominal_height_um = 550;
  s.recipe.floor.inner_margin_mm = 0.9;  // beyond the blur of 9 pixels of 0.04 mm
  s.recipe.floor.outer_margin_mm = 1.6;
  s.sensor.noise = {{0.0}, {5}};
  render(s, 5);
  s.recipe.rule = rule;
  s.recipe.components[0].nominal_height_um = 200;  // far from the limit: C_m is no matter
  Check& check = s.recipe.components[0].checks[0];
  check.nominal = 200;
  check.lower.reset();
  check.upper = 480;
  s.recipe.filter = FilterSettings{Conduction::exponential, KappaRule::fixed, 400, 0.2, 200};
  return s;
}

TEST(InspectFiltered, NothingPassesThatFailsUnfiltered) {
  for (const DecisionRule rule : {DecisionRule::simple, DecisionRule::iso14253}) {
    Scene s = blurred_scene(rule);
    const BoardVerdict v = s.inspect();
    s.recipe.filter.reset();
    const double raw = first(s.inspect(), 0).value;
    EXPECT_EQ(v.decision, Decision::fail);
    EXPECT_EQ(first(v, 0).decision, Decision::fail);
    EXPECT_EQ(first(v, 0).decision_simple, Decision::fail);
    EXPECT_LT(first(v, 0).value, 480) << "the filter moved it within the limit";
    EXPECT_NEAR(raw, 550, 1);
    EXPECT_GE(2 * term(first(v, 0), "filter"), raw - first(v, 0).value) << "U covers all that the filter did";
    EXPECT_THAT(first(v, 0).detail, ::testing::HasSubstr("and fails: the filter moves it by -"));
    EXPECT_THAT(first(v, 0).detail, ::testing::HasSubstr("make [filter] weaker"));
  }
}

TEST(InspectFiltered, WithoutARawVerdictThereIsNone) {
  Scene s = filtered_scene(2);
  s.recipe.components[0].checks[0].lower = 399.9;  // U of some 0.4 um is too large for it
  s.recipe.components[0].checks[0].upper = 400.1;
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(first(v, 0).reason, Reason::uncertainty);
  EXPECT_THAT(first(v, 0).detail, ::testing::HasSubstr("for unfiltered there is no verdict: C_m"));
}

// The noise of 2 mm hides the parts; filtered they are found, and would be measured.
TEST(InspectFiltered, ABoardThatIsRefusedUnfilteredIsRefused) {
  Scene s = make_scene();
  s.recipe.components.push_back(testing::box("U3", 5.8, 1.6, 90, 500));
  s.recipe.filter = FilterSettings{Conduction::exponential, KappaRule::fixed, 1e6, 0.2, 30};
  s.sensor.noise = {{0.0}, {2000}};
  render(s, 2000);
  AlignmentRecipe a;
  a.max_shift_mm = 1;
  s.recipe.alignment = std::make_shared<AlignmentRecipe>(a);
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::alignment);
  EXPECT_THAT(v.detail, ::testing::HasSubstr("as delivered, before the filter: "));
  s.recipe.filter.reset();
  EXPECT_EQ(s.inspect().reason, Reason::alignment);
}

TEST(InspectFiltered, GivesTheSameBytesForAnyThreads) {
  Scene s = filtered_scene();
  BoardVerdict one = s.inspect(1), three = s.inspect(3);
  one.backend = three.backend = "";
  EXPECT_EQ(to_json(one), to_json(three));
}

TEST(InspectFiltered, RefusesHeightsThatSpanTooMuch) {
  Scene s = filtered_scene();
  const auto counts = std::get<std::vector<std::int16_t>>(s.frame.counts);
  std::vector<std::int32_t> wide(counts.begin(), counts.end());
  wide[0] = 1 << 23;
  s.frame.counts = wide;
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_THAT(v.detail, ::testing::HasSubstr("the filter works on heights that span less than 2097 mm"));
}

}  // namespace
}  // namespace datum::inspect_filter_test
