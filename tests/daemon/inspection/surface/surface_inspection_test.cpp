// Parts of known deviation through the whole stage: model file, machine coordinates, distances, regions, verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/inspection/surface/surface_scan.h"

namespace datum::surface_inspection_test {
namespace {

using testing::check;
using ::testing::HasSubstr;
using testing::region;
using testing::SurfaceScene;

const std::string any_deviation = check("\"deviation_mean\"\nlower_um = -500\nupper_um = 500") +
                                  check("\"deviation_maximum\"\nupper_um = 500") +
                                  check("\"deviation_minimum\"\nlower_um = -500") +
                                  check("\"profile\"\nupper_um = 500");
const std::string upwards = "normal = [0, 0, 1]\n";

RawModel sheet() {
  RawModel m;
  testing::add_patch(m, 8, 6, [](double u, double v) {
    return testing::Place3{16 * u - 8, 12 * v - 6, 0.5};
  });
  return m;
}

/// Two levels 4 mm apart, side by side, of so many columns of facets each.
RawModel stair(int columns = 8) {
  RawModel m;
  testing::add_patch(m, columns, 8, [](double u, double v) {
    return testing::Place3{-8 + 8 * u, 10 * v - 5, 0};
  });
  testing::add_patch(m, columns, 8, [](double u, double v) {
    return testing::Place3{0.5 + 8 * u, 10 * v - 5, 4};
  });
  return m;
}

const std::string levels =
    region("low", "high_mm = [0, 5, 1]\n", check("\"deviation_mean\"\nupper_um = 500")) +
    region("high", "low_mm = [0, -5, 3]\n",
           check("\"thickness\"\ndatum = \"low\"\nnominal_um = 4000\ntolerance_um = 100") +
               check("\"parallelism\"\ndatum = \"low\"\nupper_um = 100") +
               check("\"flatness\"\nupper_um = 100"));

struct Shape {
  std::string name;
  RawModel model;
  std::string size_mm, place;
};

std::vector<Shape> shapes() {
  return {{"plane", sheet(), "16, 12, 0", upwards},
          {"sphere", testing::sphere_model(9, 24), "", "normal = [0, 0, 1]\nmax_angle_deg = 55\n"},
          {"cone", testing::cone_model(9, 8, 6, 40), "", "normal = [0, 0, 1]\nmax_angle_deg = 60\n"},
          {"box", testing::box_model(14, 11, 6, 5), "14, 11, 6", upwards}};
}

/// Of the file's own coordinates.
std::string size_of(const RawModel& m) {
  std::array<float, 3> low{1e9f, 1e9f, 1e9f}, high{-1e9f, -1e9f, -1e9f};
  for (const auto& v : m.vertices)
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], static_cast<float>(v[k]));
      high[k] = std::max(high[k], static_cast<float>(v[k]));
    }
  return fmt::format("{:.9g}, {:.9g}, {:.9g}", high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

struct ShapeScene : SurfaceScene {
  ShapeScene(const Shape& shape, double offset_mm) : SurfaceScene(shape.model) {
    size = size_of(shape.model);
    scan([&](const Eigen::Vector3d&) { return offset_mm; });
  }
};

const CheckVerdict& check_of(const BoardVerdict& v, std::size_t component, std::size_t check) {
  return v.components.at(component).checks.at(check);
}

// Coordinates to 20 mm are kept in single precision: half a unit in the last place is 2^-20 mm, 1 nm. A distance is made of
// a handful of them, so a single one is good to 0.01 um and a mean of thousands to far less than the 0.05 um asked for.
TEST(SurfaceInspection, AnOffsetOfEveryShapeIsFoundInMachineCoordinates) {
  for (const Shape& shape : shapes())
    for (const double offset_um : {100.0, -100.0}) {
      ShapeScene s(shape, offset_um / 1000);
      const SurfaceInspection part = s.inspect(s.recipe(region("r", shape.place, any_deviation)));
      const BoardVerdict& v = part.verdict;
      SCOPED_TRACE(shape.name + fmt::format(" {}", offset_um) + v.detail + check_of(v, 0, 0).detail);
      ASSERT_EQ(v.decision, Decision::pass);
      EXPECT_NEAR(check_of(v, 0, 0).value, offset_um, 0.01);
      EXPECT_NEAR(check_of(v, 0, 1).value, offset_um, 0.02);
      EXPECT_NEAR(check_of(v, 0, 2).value, offset_um, 0.02);
      EXPECT_NEAR(check_of(v, 0, 3).value, 200, 0.04);
      EXPECT_GT(v.components[0].region->face, 5000u);
      for (const ModelDistance& d : part.map->distances)
        if (d.kind == MatchClass::face) {
          ASSERT_EQ(d.distance > 0, offset_um > 0);
        }
    }
}

// 20 um in each direction by the pairing, and 30 um by each reading of the stage's scales, there and when it was calibrated.
TEST(SurfaceInspection, StageAndPairingEnterItsBudget) {
  ShapeScene s(shapes()[1], 0.1);
  const Recipe recipe = s.recipe(region("r", shapes()[1].place, any_deviation));
  const auto calibration_um = [&] {
    const BoardVerdict v = s.inspect(recipe).verdict;
    for (const UncertaintyTerm& t : check_of(v, 0, 0).budget)
      if (t.name == "calibration") return t.u;
    return std::nan("");
  };
  const double alone = calibration_um();
  s.pose.pairing.emplace();
  s.pose.pairing->u_um = 20;
  const double paired = calibration_um();
  EXPECT_NEAR(paired * paired, alone * alone + 20 * 20, 1e-6);
  s.calibration.stage_u.position_um.setConstant(30);
  const double read = calibration_um();
  EXPECT_NEAR(read * read, paired * paired + 2 * 30 * 30, 1e-6);
}

TEST(SurfaceInspection, BytesDoNotDependOnThreads) {
  ShapeScene s(shapes()[1], 0.1);
  const Recipe recipe = s.recipe(region("r", shapes()[1].place, any_deviation));
  BoardVerdict one = s.inspect(recipe, 1).verdict, many = s.inspect(recipe, 4).verdict;
  many.backend = one.backend;
  EXPECT_EQ(to_json(one), to_json(many));
  EXPECT_EQ(to_json(verdict_from_json(to_json(one))), to_json(one));
}

TEST(SurfaceInspection, ThicknessOfTwoLevels) {
  SurfaceScene s(stair());
  s.size = "16.5, 10, 4";
  s.scan([](const Eigen::Vector3d& at) { return at.z() > 2 ? 0.020 : 0.0; });
  const BoardVerdict v = s.inspect(s.recipe(levels)).verdict;
  ASSERT_EQ(v.decision, Decision::pass) << v.detail << to_json(v);
  EXPECT_NEAR(check_of(v, 1, 0).value, 4020, 0.01);
  EXPECT_NEAR(check_of(v, 1, 1).value, 0, 0.02);
  EXPECT_NEAR(check_of(v, 1, 2).value, 0, 0.02);
}

// Facets' middles lie a third of a column off the grid's lines, so a lean goes in steps of 1/15 um, from 1/30 mm inside of one end
// to 1/30 mm inside of the other. What steps look like is taken for noise: less than one of them.
TEST(SurfaceInspection, ParallelismAndFlatnessOfALevelThatLeans) {
  SurfaceScene s(stair(80));
  s.size = "16.5, 10, 4";
  s.sensor.noise.sigma_um = {0.1};
  s.scan([](const Eigen::Vector3d& at) { return at.z() > 2 ? 0.020 + 0.002 * (at.x() - 4.5) : 0.0; });
  const BoardVerdict v = s.inspect(s.recipe(levels)).verdict;
  EXPECT_NEAR(check_of(v, 1, 1).value, 2 * (8 - 1.0 / 15), 0.1) << check_of(v, 1, 1).detail;
  EXPECT_LT(check_of(v, 1, 2).value, 0.2);  // its own plane leans with it
}

class SurfaceRefusal : public ::testing::Test {
 protected:
  SurfaceRefusal() { s.window_px = 3; }
  void expect_refused(Reason reason, const std::string& words) {
    const BoardVerdict v = s.inspect(s.recipe(top)).verdict;
    EXPECT_STREQ(name_of(check_of(v, 0, 0).reason), name_of(reason)) << check_of(v, 0, 0).detail;
    EXPECT_THAT(check_of(v, 0, 0).detail, HasSubstr(words));
    EXPECT_EQ(v.decision, Decision::invalid);
  }
  void expect_model_refused(const std::string& file, const std::string& words) {
    const BoardVerdict v = s.inspect(s.recipe(top, file)).verdict;
    EXPECT_STREQ(name_of(v.reason), "MODEL") << v.detail;
    EXPECT_THAT(v.detail, HasSubstr(words));
    EXPECT_EQ(v.decision, Decision::invalid);
    EXPECT_TRUE(std::isnan(v.components.at(0).region->mean_um)) << "nothing was measured";
  }
  /// Pixels about the middle of the picture.
  template <class Change>
  void change(int half_px, const Change& change) {
    for (int row = 130 - half_px; row <= 130 + half_px; ++row)
      for (int col = 130 - half_px; col <= 130 + half_px; ++col) change(row, col);
  }

  ShapeScene s{shapes()[3], 0.0};
  const std::string top = region("top", upwards, any_deviation);
};

TEST_F(SurfaceRefusal, ADentDeeperThanTheSearchIsNotOverlooked) {
  change(3, [&](int row, int col) { s.height(row, col) -= 2; });
  expect_refused(Reason::surface_beyond,
                 "49 pixels side by side of snapshot 1 lie farther than search_mm = 1 from it");
}

TEST_F(SurfaceRefusal, APieceTornAwayIsAGap) {
  change(45, [&](int row, int col) { s.pixel(row, col) = PixelClass::no_data; });
  expect_refused(Reason::surface_coverage, "lie farther than max_gap_mm = 3");
}

TEST_F(SurfaceRefusal, ATableSeenThroughThePartIsNotItsUnderside) {
  // seen where its top should be: 6 mm down, close to a face that looks away; beyond the box there is nothing to compare
  change(45, [&](int row, int col) { s.height(row, col) -= 6 / 0.9913f; });
  expect_refused(Reason::surface_beyond,
                 "8075 pixels side by side of snapshot 1 lie farther than search_mm = 1");
}

TEST_F(SurfaceRefusal, TooLittleSeen) {
  for (int row = 0; row < 260; ++row)
    for (int col = 0; col < 260; ++col)
      if (row % 60 > 10) s.pixel(row, col) = PixelClass::no_data;
  expect_refused(Reason::surface_coverage, "were seen, at least 50.00 % are demanded");
}

TEST_F(SurfaceRefusal, OnePixelIsNoDentThreeByThreeAre) {
  change(0, [&](int row, int col) { s.height(row, col) -= 0.3f; });
  EXPECT_NEAR(check_of(s.inspect(s.recipe(top)).verdict, 0, 2).value, 0, 0.02);
  change(1, [&](int row, int col) { s.height(row, col) -= 0.3f; });
  // along the sensor's z; the face leans by acos(cos(0.11) cos(0.07)) against it
  EXPECT_NEAR(check_of(s.inspect(s.recipe(top)).verdict, 0, 2).value, -300 * std::cos(0.11) * std::cos(0.07),
              0.1);
}

TEST_F(SurfaceRefusal, OnePixelIsNoBumpThreeByThreeAre) {
  const double lean = std::cos(0.11) * std::cos(0.07);
  change(0, [&](int row, int col) { s.height(row, col) += 0.3f; });
  EXPECT_NEAR(check_of(s.inspect(s.recipe(top)).verdict, 0, 1).value, 0, 0.02);
  change(1, [&](int row, int col) { s.height(row, col) += row == 130 && col == 130 ? 0 : 0.3f; });
  const BoardVerdict v = s.inspect(s.recipe(top)).verdict;
  EXPECT_NEAR(check_of(v, 0, 1).value, 300 * lean, 0.1);
  EXPECT_NEAR(check_of(v, 0, 3).value, 600 * lean, 0.2) << "the profile is twice the larger side";
}

TEST_F(SurfaceRefusal, AModelOfAnotherUnitSizeHashOrTurnedInsideOut) {
  s.unit = "inch";
  expect_model_refused("", "is 355.6 x 279.4 x 152.4 mm, the recipe says 14 x 11 x 6 mm");
  s.unit = "mm";
  const std::string good = testing::stl_of(s.model);
  s.recipe(top);
  const Recipe recipe = s.recipe(top);
  s.folder.write("part.stl", good.substr(0, 79) + "!" + good.substr(80));
  EXPECT_THAT(s.inspect(recipe).verdict.detail, HasSubstr("has the SHA-256"));
  RawModel turned = s.model;
  for (auto& f : turned.facets) std::swap(f[1], f[2]);
  expect_model_refused(testing::stl_of(turned), "is inside out");
  std::swap(turned.facets[0][1], turned.facets[0][2]);
  expect_model_refused(testing::stl_of(turned), "one of two facets is turned inside out");
  expect_model_refused(good.substr(0, good.size() - 1), "is neither a binary STL");
}

TEST_F(SurfaceRefusal, AModelThatIsALinkTellsNothingOfItsTarget) {
  const Recipe recipe = s.recipe(top);
  const std::filesystem::path secret = s.folder.write("secret.toml", "key = 1");
  std::filesystem::remove(s.folder / "part.stl");
  std::filesystem::create_symlink(secret, s.folder / "part.stl");
  const std::string detail = s.inspect(recipe).verdict.detail;
  EXPECT_THAT(detail, HasSubstr("part.stl: is a link"));
  EXPECT_THAT(detail, ::testing::Not(HasSubstr(config::sha256_hex("key = 1"))));
}

TEST_F(SurfaceRefusal, ARegionsBoxThatCutsFacetsOrHoldsNone) {
  const auto detail_of = [&](const std::string& place) {
    return s.inspect(s.recipe(region("top", place, any_deviation))).verdict.detail;
  };
  EXPECT_THAT(detail_of(upwards + "low_mm = [0.1, -9, -9]\n"), HasSubstr("cuts through 10 facets"));
  EXPECT_THAT(detail_of("low_mm = [0, 0, 50]\n"), HasSubstr("has no facet"));
  EXPECT_THAT(s.inspect(s.recipe(top + region("again", upwards, any_deviation))).verdict.detail,
              HasSubstr("lies in the regions top and again"));
}

TEST_F(SurfaceRefusal, SnapshotsMissingTwiceOrElsewhere) {
  s.snapshots =
      "[snapshots]\ntimeout_ms = 1000\none_board = \"time\"\n[[snapshots.pose]]\nname = \"a\"\nposition_mm = "
      "[112.5, 71.25, 33]\n"
      "tolerance_mm = 0.005\n[[snapshots.pose]]\nname = \"b\"\nposition_mm = [112.52, 71.25, "
      "33]\ntolerance_mm "
      "= 0.005\n";
  const Recipe recipe = s.recipe(top);
  HeightFrame other = s.frame;
  other.frame_id = "2";
  Pose moved = s.pose;
  moved.q_mm[0] += 0.02;
  const auto detail_of = [&](const std::vector<SurfaceFrame>& frames) {
    const BoardVerdict v = s.inspect(recipe, frames).verdict;
    EXPECT_EQ(v.reason, Reason::snapshots);
    return v.detail;
  };
  EXPECT_THAT(detail_of({{&s.frame, s.pose}}), HasSubstr("1 snapshots came, the recipe demands 2"));
  EXPECT_THAT(detail_of({{&s.frame, s.pose}, {&s.frame, moved}}), HasSubstr("frame 1 came twice"));
  EXPECT_THAT(detail_of({{&s.frame, s.pose}, {&other, s.pose}}), HasSubstr("which is pose a, its pose is b"));
  EXPECT_THAT(detail_of({{&s.frame, moved}, {&other, s.pose}}), HasSubstr("which is pose b, its pose is a"));
  EXPECT_THAT(detail_of({{&s.frame, {}}, {&other, {}}}), HasSubstr("no position came with them"));
  EXPECT_EQ(s.inspect(recipe, {{&s.frame, s.pose}, {&other, moved}}).verdict.reason, Reason::none);
}

}  // namespace
}  // namespace datum::surface_inspection_test
