// The same series by R (base, spc) and by daemon/quality: limits of charts, capability, bias, drift, run lengths. SKIPPED where there is
// no Rscript, or no spc.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "daemon/quality/spc/capability.h"
#include "daemon/quality/spc/charts.h"
#include "daemon/quality/spc/run_rules.h"
#include "daemon/quality/study/reference_studies.h"
#include "daemon/quality/study/stability_study.h"
#include "tests/daemon/quality/r_values.h"

namespace datum::quality {
namespace r_charts_test {
namespace {

using testing::Agreement;

constexpr std::size_t group_size = 4;
constexpr int digits = 2;
const Specification limits{1190, 1210, {}};

std::map<std::string, std::vector<std::int64_t>> series() {
  std::map<std::string, std::vector<std::int64_t>> all;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    const auto groups = static_cast<std::size_t>(10 + random() % 30);
    const auto drift = static_cast<std::size_t>(random() % 20);
    for (std::size_t i = 0; i < groups * group_size; ++i) {
      double sum = -6;  // nearly normal, with the same bits in every library
      for (int k = 0; k < 12; ++k) sum += static_cast<double>(random()) / 4294967296.0;
      all[fmt::format("s{}", seed)].push_back(120'000 + std::llround(150 * sum) +
                                              static_cast<std::int64_t>(drift * (i / group_size)));
    }
  }
  return all;
}

std::vector<std::vector<std::int64_t>> groups_of(const std::vector<std::int64_t>& counts) {
  std::vector<std::vector<std::int64_t>> groups;
  for (std::size_t i = 0; i < counts.size(); i += group_size)
    groups.emplace_back(counts.begin() + static_cast<std::ptrdiff_t>(i),
                        counts.begin() + static_cast<std::ptrdiff_t>(i + group_size));
  return groups;
}

/// A subgroup each third of a day.
StudyTable table_of(const std::vector<std::int64_t>& counts) {
  StudyTable table{"um", {}};
  for (std::size_t i = 0; i < counts.size(); ++i)
    table.readings.push_back({"M",
                              std::to_string(i / group_size),
                              "",
                              Decimal{counts[i], digits},
                              {},
                              "",
                              "",
                              0,
                              static_cast<std::int64_t>(28'800 * (i / group_size))});
  return table;
}

class RCharts : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    all = series();
    std::string csv = "series,count\n";
    for (const auto& [name, counts] : all)
      for (const std::int64_t count : counts) csv += fmt::format("{},{}\n", name, count);
    theirs = testing::values_of_r(DATUM_R_CHARTS, csv, "library(spc)");
  }
  void SetUp() override {
    if (!theirs) GTEST_SKIP() << "no Rscript with spc here (./datum test --r installs it)";
  }
  static inline std::map<std::string, std::vector<std::int64_t>> all;
  static inline std::optional<testing::RValues> theirs;
};

// An upper limit is near 1200 and holds its digits; what is small beside it, such as sigma, loses three in R's doubles.
TEST_F(RCharts, ChartLimits) {
  Agreement levels, spreads, between;
  for (const auto& [name, counts] : all) {
    const std::vector<Point> points(counts.begin(), counts.end());
    const IndividualsChart i = individuals_chart(points, digits);
    levels.compare(name + " i upper", i.values.upper, *theirs);
    spreads.compare(name + " mr sigma", i.sigma, *theirs);
    spreads.compare(name + " mr upper", i.ranges.upper, *theirs);
    const GroupsChart s = groups_chart(groups_of(counts), digits, false),
                      r = groups_chart(groups_of(counts), digits, true);
    levels.compare(name + " xbar s upper", s.of_means[0].upper, *theirs);
    levels.compare(name + " xbar r upper", r.of_means[0].upper, *theirs);
    spreads.compare(name + " s upper", s.of_spreads[0].upper, *theirs);
    spreads.compare(name + " r upper", r.of_spreads[0].upper, *theirs);
    between.compare(name + " between", s.sigma_between, *theirs);
  }
  levels.demand(13, "limits of I, Xbar by s and R");
  spreads.demand(11, "sigma and limits of MR, s, R");
  between.demand(9, "sigma between groups, aov");  // a difference of mean squares
}

TEST_F(RCharts, Capability) {
  Agreement indices, intervals, quantiles;
  for (const auto& [name, counts] : all) {
    const std::vector<Point> points(counts.begin(), counts.end());
    const IndividualsChart i = individuals_chart(points, digits);
    const double df = moving_range_df(i.ranges_n);
    const quality::Capability c =
        capability_of(counts, digits, limits, i.sigma, df, Distribution::normal, 0.95);
    indices.compare(name + " pp", c.pp->value, *theirs);
    indices.compare(name + " ppk", c.ppk->value, *theirs);
    indices.compare(name + " cp", c.cp->value, *theirs);
    intervals.compare(name + " pp lower", c.pp->interval->first, *theirs);
    intervals.compare(name + " pp upper", c.pp->interval->second, *theirs);
    intervals.compare(name + " ppk lower", c.ppk->interval->first, *theirs);
    intervals.compare(name + " ppk upper", c.ppk->interval->second, *theirs);
    std::vector<std::int64_t> forms;
    for (const std::int64_t count : counts) forms.push_back(count - 115'000);
    const quality::Capability f =
        capability_of(forms, digits, {{}, 60, {}}, 1, df, Distribution::lognormal, 0.95, 0);
    ASSERT_TRUE(f.ppk) << name;
    quantiles.compare(name + " lognormal ppk", f.ppk->value, *theirs);
  }
  indices.demand(11, "Cp, Pp, Ppk");
  intervals.demand(11, "their intervals");
  quantiles.demand(10, "Ppk by quantiles of a lognormal");  // logarithms of values that hardly differ
}

TEST_F(RCharts, BiasAndDrift) {
  Agreement bias, drift;
  for (const auto& [name, counts] : all) {
    const Bias b = bias_study(counts, digits, 1200, 0, 0.95);
    bias.compare(name + " bias lower", b.interval.lower, *theirs);
    bias.compare(name + " bias upper", b.interval.upper, *theirs);
    bias.compare(name + " bias p", *b.p, *theirs);
    const Stability s = stability_study(table_of(counts), {});
    ASSERT_TRUE(s.drift && s.drift->by_time);
    drift.compare(name + " drift", s.drift->slope, *theirs);
    drift.compare(name + " drift lower", s.drift->interval.lower, *theirs);
    drift.compare(name + " drift upper", s.drift->interval.upper, *theirs);
    drift.compare(name + " drift p", s.drift->p, *theirs);
  }
  bias.demand(9, "bias, t.test");  // a difference of values near 1200, and ends of an interval near 0
  drift.demand(9, "drift of a stability study, lm");
}

// Chains of 200 states against Knoth's quadrature: the chain's error falls with the square of its states. An EWMA of lambda 0.05 has the
// narrowest kernel, 0.05 sigma over 0.9 sigma: 0.2 %.
TEST_F(RCharts, RunLengths) {
  Agreement cusum, ewma;
  for (const char* shift : {"0", "0.5", "1", "2"}) {
    const double by = std::strtod(shift, nullptr);
    for (const char* h : {"4", "4.77", "5"})
      cusum.compare(fmt::format("cusum {} {}", h, shift),
                    run_length_of_cusum(0.5, std::strtod(h, nullptr), by), *theirs);
    cusum.compare(fmt::format("cusum head start {}", shift), run_length_of_cusum(0.5, 5, by, true), *theirs);
    for (const char* l : {"0.05", "0.1", "0.4"})
      ewma.compare(fmt::format("ewma {} {}", l, shift), run_length_of_ewma(std::strtod(l, nullptr), 2.8, by),
                   *theirs);
  }
  cusum.demand(3, "run lengths of CUSUM, spc");
  ewma.demand(2.5, "run lengths of EWMA, spc");
}

}  // namespace
}  // namespace r_charts_test
}  // namespace datum::quality
