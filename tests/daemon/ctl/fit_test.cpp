// datumctl fit parallel-planes: what is fitted, its uncertainties by repetition, files of every format, and refusals.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

#include "calib/verify/point_planes.h"
#include "config/toml_reader.h"
#include "daemon/ctl/fit_points.h"
#include "tests/fresh_folder.h"
#include "tests/house/output_of.h"
#include "tests/refusal.h"

namespace datum {
namespace fit_test {

using namespace datum::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

const Eigen::Vector3d normal = Eigen::Vector3d(0.02, -0.03, 1).normalized();

/// `n` points of plane normal . p = offset in 60 x 40 mm about x, with this noise.
SampledPlane plane_of(std::mt19937& random, std::size_t n, double x, double offset, double sigma_mm) {
  std::uniform_real_distribution<double> even(-1, 1);
  std::normal_distribution<double> noise(0, sigma_mm);
  SampledPlane plane;
  for (std::size_t i = 0; i < n; ++i) {
    Eigen::Vector3d p(x + 30 * even(random), 20 * even(random), 0);
    p.z() = (offset - normal.head<2>().dot(p.head<2>())) / normal.z();
    plane.mm.push_back(p + noise(random) * normal);
    plane.weight.push_back(1);
  }
  return plane;
}

// The other implementation is in double throughout. Here coordinates are rounded to 2^-25 of 30 mm, 9e-7 mm, in points
// whose mean and tilt are of hundreds.
TEST(ParallelFit, AgreesWithTheFitInDouble) {
  std::mt19937 random(3);
  ParallelPointSet set{
      "a", {0, 0, 1}, {plane_of(random, 300, 500, 12, 0.01), plane_of(random, 200, 560, 20, 0.01)}};
  std::vector<ListedPoint> listed;
  for (int plane = 0; plane < 2; ++plane) {
    SampledPlane& p = set.planes[static_cast<std::size_t>(plane)];
    for (std::size_t i = 0; i < p.mm.size(); ++i) {
      p.weight[i] = 0.5 + static_cast<double>(i % 7);
      listed.push_back({p.mm[i], p.weight[i], plane + 1});
    }
  }
  const FittedSet fit = fit_parallel_set(set, WeightMeaning::area, cpu_backend(2));
  const ParallelPoints other = fit_listed(listed, std::nullopt);
  EXPECT_LT((fit.normal - other.normal).norm(), 1e-8);
  // an error of the normal times 500 mm from the origin
  EXPECT_NEAR(fit.planes[1].offset_mm, other.planes.at(2).offset_mm, 1e-8 * 600);
  EXPECT_NEAR(fit.distances[0].mm, other.planes.at(2).offset_mm - other.planes.at(1).offset_mm, 1e-6);
  EXPECT_NEAR(fit.planes[0].flatness_mm, other.planes.at(1).flatness_mm, 2e-3) << "of the shared normal";
}

// Points lie densely on one half of a bowed face. Weighted by the area that each stands for they show the face's own
// inclination: none; alike they show that of the dense half.
TEST(ParallelFit, AreasMakeUnevenSamplingEven) {
  SampledPlane plane;
  const auto add = [&](double from, double to, int n) {
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 40; ++k) {
        const double x = from + (to - from) * (i + 0.5) / n;
        plane.mm.emplace_back(x, k - 19.5, 1e-5 * x * x * x);
        plane.weight.push_back((to - from) / n);
      }
  };
  add(-30, 0, 300);
  add(0, 30, 30);
  ParallelPointSet set{"a", {0, 0, 1}, {plane}};
  const double weighted = -fit_parallel_set(set, WeightMeaning::area, cpu_backend(1)).normal.x();
  for (double& w : set.planes[0].weight) w = 1;
  const double alike = -fit_parallel_set(set, WeightMeaning::area, cpu_backend(1)).normal.x();
  // slope of a cubic over -30 to 30: 3/5 c 30^2 = 5.4e-3; the strips of 0.1 and 1 mm are integrated by their middles
  EXPECT_NEAR(weighted, 5.4e-3, 1e-5);
  EXPECT_GT(std::abs(alike - 5.4e-3), 2e-4);
}

// 400 repetitions: a standard deviation is known to 1 / sqrt(800) = 3.5 %; 14 % are four of that. Means of u over them.
TEST(ParallelFit, UncertaintiesAreTheScatterOfRepetitions) {
  for (const WeightMeaning meaning :
       {WeightMeaning::area, WeightMeaning::variance, WeightMeaning::area_and_variance}) {
    std::mt19937 random(11);
    double square = 0, u_square = 0, tilt = 0, u_tilt = 0, offset = 0, u_offset = 0;
    for (int k = 0; k < 400; ++k) {
      ParallelPointSet set{"a", {0, 0, 1}, {plane_of(random, 60, 0, 12, 0), plane_of(random, 40, 50, 20, 0)}};
      for (SampledPlane& plane : set.planes)
        for (std::size_t i = 0; i < plane.mm.size(); ++i) {
          const bool fine = meaning != WeightMeaning::area && i % 2 == 0;
          const double u = fine ? 0.002 : 0.01;
          plane.mm[i] += std::normal_distribution<double>(0, u)(random) * normal;
          plane.weight[i] = meaning == WeightMeaning::area ? 1 : 1 / (u * u);
        }
      const FittedSet fit = fit_parallel_set(set, meaning, cpu_backend(1));
      square += std::pow(fit.distances[0].mm - 8, 2);
      u_square += std::pow(fit.distances[0].u_mm, 2);
      tilt += std::pow(fit.normal.x() - normal.x(), 2);
      u_tilt += fit.normal_covariance(0, 0);
      offset += std::pow(fit.planes[1].offset_mm - 20, 2);
      u_offset += fit.offset_covariance_mm2(1, 1);
    }
    const double least = meaning == WeightMeaning::area_and_variance ? 0.5 : 0.86;
    // with both, weights count as areas: fewer effective points, so a larger u
    for (const auto& [seen, told] : {std::pair{square, u_square}, {tilt, u_tilt}, {offset, u_offset}}) {
      EXPECT_GT(std::sqrt(seen / told), least) << static_cast<int>(meaning);
      EXPECT_LT(std::sqrt(seen / told), 1.14) << static_cast<int>(meaning);
    }
  }
}

TEST(ParallelFit, RefusesWhatDeterminesNoPlane) {
  std::mt19937 random(1);
  const auto refusal = [&](const ParallelPointSet& set) {
    return refusal_of<FitRefused>([&] { fit_parallel_set(set, WeightMeaning::area, cpu_backend(1)); });
  };
  ParallelPointSet set{"a", {0, 0, 1}, {plane_of(random, 3, 0, 12, 0.01)}};
  set.planes[0].name = "top";
  EXPECT_THAT(refusal(set), HasSubstr("plane top: 3 points; at least 4"));
  set.planes[0] = plane_of(random, 50, 0, 12, 0.01);
  for (auto& p : set.planes[0].mm) p = Eigen::Vector3d(p.x(), 1e-4 * p.y(), 0);
  EXPECT_THAT(refusal(set), HasSubstr("a line or a strip"));
  set.planes[0] = plane_of(random, 50, 0, 12, 9);
  EXPECT_THAT(refusal(set), HasSubstr("they are no planes"));
  set.planes[0] = plane_of(random, 50, 0, 12, 0.01);
  set.planes[0].weight[7] = -1;
  EXPECT_THAT(refusal(set), HasSubstr("a weight of -1"));
  set.planes[0].weight[7] = 1e9;
  EXPECT_THAT(refusal(set), HasSubstr("leave no freedom"));
  set.planes[0].weight[7] = 1;
  set.planes[0].mm[7].x() = std::nan("");
  EXPECT_THAT(refusal(set), HasSubstr("not finite"));
}

struct FitFiles : ::testing::Test {
  FreshFolder folder;
  std::vector<std::array<double, 5>> rows;  // x, y, z in mm, area in mm^2, u in um
  FitFiles() {
    std::mt19937 random(5);
    const SampledPlane plane = plane_of(random, 40, 0, 12, 0.01);
    for (std::size_t i = 0; i < plane.mm.size(); ++i)
      rows.push_back({plane.mm[i].x(), plane.mm[i].y(), plane.mm[i].z(),
                      0.5 + 0.25 * static_cast<double>(i % 3), 2 + static_cast<double>(i % 5)});
  }
  std::string csv() {
    std::string text = "x_mm,y_mm,z_mm,area_mm2,u_um\n";
    for (const auto& r : rows) text += fmt::format("{},{},{},{},{}\n", r[0], r[1], r[2], r[3], r[4]);
    return folder.write("a.csv", text).string();
  }
  std::string xyz(bool area, bool u) {
    std::string text = "# in inch\n";
    for (const auto& r : rows) {
      text += fmt::format("{}\t{} {}", r[0] / 25.4, r[1] / 25.4, r[2] / 25.4);
      if (area) text += fmt::format(" {}", r[3] / 25.4 / 25.4);
      if (u) text += fmt::format(" {}", r[4] / 25400);
      text += "\r\n";
    }
    return folder.write("a.xyz", text).string();
  }
  std::string ply() {
    std::string text = fmt::format(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty double z\nproperty double x\nproperty double y\n"
        "property uchar red\nproperty double u\nproperty double area\nend_header\n",
        rows.size());
    for (const auto& r : rows)
      text +=
          fmt::format("{} {} {} 7 {} {}\n", r[2] / 1000, r[0] / 1000, r[1] / 1000, r[4] / 1e6, r[3] / 1e6);
    return folder.write("a.ply", text).string();
  }
  static FittedSet fitted(const FitJob& job) {
    return fit_parallel_set(job.sets.at(0), WeightMeaning::area, cpu_backend(1));
  }
  static Output run(const std::string& arguments) {
    return output_of(std::string(DATUMCTL) + " fit parallel-planes " + arguments);
  }
};

TEST_F(FitFiles, OfEachFormatAndUnitAreTheSamePoints) {
  for (const FitWeights weights :
       {FitWeights::equal, FitWeights::area, FitWeights::variance, FitWeights::area_and_variance}) {
    const bool area = weights == FitWeights::area || weights == FitWeights::area_and_variance;
    const bool u = weights == FitWeights::variance || weights == FitWeights::area_and_variance;
    const FitJob a = load_fit_points({csv()}, weights, 0), b = load_fit_points({xyz(area, u)}, weights, 25.4),
                 c = load_fit_points({ply()}, weights, 1000);
    for (const FitJob* job : {&a, &b, &c})
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const SampledPlane& plane = job->sets.at(0).planes.at(0);
        EXPECT_NEAR((plane.mm[i] - Eigen::Vector3d(rows[i][0], rows[i][1], rows[i][2])).norm(), 0, 1e-9);
        const double weight = (area ? rows[i][3] : 1) * (u ? 1e6 / rows[i][4] / rows[i][4] : 1);
        EXPECT_NEAR(plane.weight[i] / weight, 1, 1e-9) << name_of(weights);
      }
  }
}

TEST_F(FitFiles, ARecipeHasAnyNumberOfSets) {
  csv();
  ply();
  folder.write("up.csv", "x_mm,y_mm,z_mm\n0,0,5\n9,0,5\n0,9,5\n9,9,5.001\n5,5,5\n4,4,5.0004\n");
  const auto recipe = [&](const std::string& rest, const char* unit = "m") {
    return folder
        .write("r.toml",
               fmt::format("schema = 1\nkind = \"parallel_planes\"\nweights = \"equal\"\nunit = \"{}\"\n",
                           unit) +
                   rest)
        .string();
  };
  const std::string plane = "[[set.plane]]\nname = \"p\"\nfile = \"a.ply\"\n";
  const FitJob job =
      load_fit_recipe(recipe("[[set]]\nname = \"one\"\ntowards = [0, 0, -1]\n" + plane +
                             "[[set.plane]]\nname = \"q\"\nfile = \"a.csv\"\n[[set]]\nname = \"two\"\n"
                             "[[set.plane]]\nname = \"up\"\nfile = \"up.csv\"\n"));
  ASSERT_EQ(job.sets.size(), 2u);
  EXPECT_EQ(job.sets[0].planes.size(), 2u);
  const FittedSet one = fitted(job);
  EXPECT_LT(one.normal.z(), 0);
  EXPECT_EQ(one.planes[1].name, "q");
  EXPECT_NEAR(one.distances[0].mm, 0, 1e-6) << "the same points twice";
  const auto refusal = [&](const std::string& rest) {
    try {
      load_fit_recipe(recipe(rest));
      return std::string("(accepted)");
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
  };
  EXPECT_THAT(refusal(""), HasSubstr("set: missing"));
  EXPECT_THAT(refusal("[[set]]\nname = \"a\"\n"), HasSubstr("[[set.plane]]"));
  EXPECT_THAT(refusal("[[set]]\nname = \"a\"\n[[set.plane]]\nname = \"p\"\nfile = \"/etc/passwd\"\n"),
              HasSubstr("is not below the recipe's folder"));
  EXPECT_THAT(refusal("[[set]]\nname = \"a\"\ntowards = [0, 0, 0]\n" + plane), HasSubstr("has no direction"));
  EXPECT_THAT(refusal("[[set]]\nname = \"a\"\nfiles = 1\n" + plane), HasSubstr("files"));
}

TEST_F(FitFiles, AreRefusedWithPlaceAndRemedy) {
  const auto refusal = [&](const std::string& name, const std::string& text,
                           FitWeights weights = FitWeights::equal, double unit = 1) {
    const auto file = folder.write(name, text);
    return refusal_of<std::invalid_argument>([&] { load_fit_points({file.string()}, weights, unit); });
  };
  EXPECT_THAT(refusal("b.xyz", "1 2 3\n1 2\n"), HasSubstr("line 2: 2 numbers; wanted: 3: x y z"));
  EXPECT_THAT(refusal("b.xyz", "1 2 3\n1 2 x\n"), HasSubstr("line 2: 'x' is no number"));
  EXPECT_THAT(refusal("b.xyz", "1 2 nan\n"), HasSubstr("finite coordinates"));
  EXPECT_THAT(refusal("b.xyz", "1 2 1e9\n"), HasSubstr("is the unit right?"));
  EXPECT_THAT(refusal("b.xyz", "1 2 3\n", FitWeights::area),
              HasSubstr("4: x y z area, for weights are \"area\""));
  EXPECT_THAT(refusal("b.xyz", "1 2 3 0\n", FitWeights::variance), HasSubstr("point 1 has no u above 0"));
  EXPECT_THAT(refusal("b.xyz", "1 2 3\n", FitWeights::equal, 0),
              HasSubstr("states no unit; wanted: --unit mm"));
  EXPECT_THAT(refusal("b.csv", "x_mm,y_mm,z_mm,weight\n"), HasSubstr("set, plane, area_mm2 and u_um"));
  EXPECT_THAT(refusal("b.csv", "x_mm,y_mm,z_mm,u_um\n1,2,3,-1\n"),
              HasSubstr("b.csv:2: u_um -1; wanted: a number above 0"));
  EXPECT_THAT(refusal("b.csv", "x_mm,y_mm,z_mm,set\n1,2,3,0\n"), HasSubstr("a whole number from 1 to 1000"));
  EXPECT_THAT(refusal("b.ply", "ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\nend_header\n1\n"),
              HasSubstr("9 vertices can't come from"));
  EXPECT_THAT(refusal("b.stl", ""), HasSubstr(".csv, .ply, .xyz or .txt"));
  EXPECT_THAT(
      refusal_of<std::invalid_argument>([&] { load_fit_points({"/no/such.csv"}, FitWeights::equal, 1); }),
      HasSubstr("/no/such.csv"));
}

TEST_F(FitFiles, DatumctlPrintsTableAndJson) {
  folder.write("two.csv",
               "x_mm,y_mm,z_mm,plane\n0,0,5,1\n9,0,5,1\n0,9,5.001,1\n9,9,5,1\n0,0,8,2\n9,0,8.001,2\n0,9,8,"
               "2\n9,9,8,2\n");
  const std::string file = (folder / "two.csv").string();
  const Output table = run(file);
  EXPECT_EQ(table.status, 0) << table.text;
  EXPECT_THAT(table.text,
              AllOf(HasSubstr("two.csv:1 to two.csv:2: 3.000"), HasSubstr("weights equal; u: standard")));
  const Output json = run(file + " --json --towards 0,0,-1");
  const auto out = nlohmann::json::parse(json.text);
  EXPECT_LT(out["sets"][0]["normal"][2], 0);
  EXPECT_EQ(out["sets"][0]["offset_covariance_mm2"].size(), 2u);
  EXPECT_NEAR(out["sets"][0]["distances"][0]["distance_mm"].get<double>(), -3, 1e-3);
  EXPECT_EQ(run(file + " --weights area").status, 4);
  folder.write("line.csv", "x_mm,y_mm,z_mm\n0,0,5\n1,0,5\n2,0,5\n3,0,5\n4,0,5\n");
  const Output line = run((folder / "line.csv").string());
  EXPECT_EQ(line.status, 3);
  EXPECT_THAT(line.text, HasSubstr("INVALID: set 1: the points of all planes"));
}

}  // namespace fit_test
}  // namespace datum
