// What a recipe's masks take out of a part's snapshots: boxes that stay with the fixture, boxes that go with the part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/inspection/surface/surface_scan.h"

namespace datum::surface_mask_test {
namespace {

using testing::check;
using ::testing::HasSubstr;
using testing::region;
using testing::SurfaceScene;

const std::string within =
    check("\"deviation_mean\"\nlower_um = -500\nupper_um = 500") + check("\"profile\"\nupper_um = 500");

/// A box of 14 x 11 x 6 mm about the model's origin.
class MaskOfPart : public ::testing::Test {
 protected:
  explicit MaskOfPart(int window_px = 3) {
    s.size = "14, 11, 6";
    s.window_px = window_px;
    s.scan([](const Eigen::Vector3d&) { return 0.0; });
  }
  /// Pixels about the middle of the picture.
  template <class Change>
  void change(int half_px, const Change& change) {
    for (int row = 130 - half_px; row <= 130 + half_px; ++row)
      for (int col = 130 - half_px; col <= 130 + half_px; ++col) change(row, col);
  }

  SurfaceScene s{testing::box_model(14, 11, 6, 5)};
  const std::string top = region("top", "normal = [0, 0, 1]\n", within);
};

const CheckVerdict& check_of(const BoardVerdict& v, std::size_t component, std::size_t check) {
  return v.components.at(component).checks.at(check);
}

/// Above a level of the model, wherever the part lies.
std::string mask_above(double z_mm) {
  return fmt::format(
      "[[mask]]\nname = \"clamp\"\ncoordinates = \"model\"\n"
      "low_mm = [-100, -100, {}]\nhigh_mm = [100, 100, 100]\n",
      z_mm);
}

// 7 x 7 pixels 2 mm above the part, whose top lies at 3 mm.
TEST_F(MaskOfPart, AClampThatTheRecipeMasksIsNamedAndNotJudged) {
  change(3, [&](int row, int col) { s.height(row, col) += 2; });
  EXPECT_EQ(check_of(s.inspect(s.recipe(top)).verdict, 0, 0).reason, Reason::surface_beyond);
  const BoardVerdict v = s.inspect(s.recipe(top + mask_above(4.5))).verdict;
  EXPECT_EQ(v.decision, Decision::pass) << to_json(v);
  ASSERT_TRUE(v.surface->masks);
  EXPECT_EQ(v.surface->masks->at(0).name, "clamp");
  EXPECT_EQ(v.surface->masks->at(0).pixels, 49u);
  EXPECT_THAT(to_json(v), HasSubstr("\"masks\":[{\"name\":\"clamp\",\"pixels\":49}]"));
  EXPECT_EQ(to_json(verdict_from_json(to_json(v))), to_json(v));
}

// What the clamp hides was not seen.
TEST_F(MaskOfPart, ALargeClampThatIsMaskedIsAGapInThePart) {
  change(45, [&](int row, int col) { s.height(row, col) += 2; });
  const BoardVerdict v = s.inspect(s.recipe(top + mask_above(4.5))).verdict;
  EXPECT_EQ(check_of(v, 0, 0).reason, Reason::surface_coverage) << check_of(v, 0, 0).detail;
  EXPECT_THAT(check_of(v, 0, 0).detail, HasSubstr("lie farther than max_gap_mm = 3"));
}

TEST_F(MaskOfPart, AMaskWithoutAVolumeIsRefused) {
  EXPECT_THAT(
      [&] {
        s.recipe(
            top +
            "[[mask]]\nname = \"a\"\ncoordinates = \"model\"\nlow_mm = [0, 0, 1]\nhigh_mm = [1, 1, 1]\n");
      },
      ::testing::ThrowsMessage<config::ConfigError>(HasSubstr("a coordinate is not below high_mm's")));
}

/// The box seen over a corner and found by three faces, 1.6 mm below its placement; something 3 mm before its top,
/// 1.7 mm off it, in the middle of the picture.
class SurfaceMasked : public MaskOfPart {
 protected:
  static constexpr double moved_mm = -1.6;  // off the sensor

  SurfaceMasked() : MaskOfPart(1) {
    s.surface_keys = "[alignment]\ndatums = [\"top\", \"right\", \"back\"]\nsearch_mm = 2.5\n";
    s.sensor_from_model.topLeftCorner<3, 3>() =
        Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d(1, 1, 1), Eigen::Vector3d::UnitZ())
            .toRotationMatrix();
    placed = s.sensor_from_model;
    moved = placed * Eigen::Affine3d(Eigen::Translation3d(0, 0, moved_mm)).matrix();
  }
  void look(const Eigen::Matrix4d& sensor_from_model) {
    s.frame = testing::scan_of(s.model, sensor_from_model, [](const Eigen::Vector3d&) { return 0.0; });
  }
  void put_before_it() {
    change(3, [&](int row, int col) { s.height(row, col) += 3; });
  }
  /// Sensor coordinates.
  Eigen::Vector3d middle() { return {s.frame.x.at(130), s.frame.y.at(130), s.height(130, 130)}; }
  static Eigen::Vector3d mapped(const Eigen::Matrix4d& m, const Eigen::Vector3d& at) {
    return (m * at.homogeneous()).head<3>();
  }
  Eigen::Vector3d machine(const Eigen::Vector3d& sensor) const {
    return s.calibration.at(Eigen::Vector3d(s.pose.q_mm[0], s.pose.q_mm[1], s.pose.q_mm[2])) * sensor;
  }
  /// 1 mm each way.
  static std::string mask(const char* coordinates, const Eigen::Vector3d& at) {
    return fmt::format(
        "[[mask]]\nname = \"m\"\ncoordinates = \"{}\"\nlow_mm = [{}, {}, {}]\nhigh_mm = [{}, {}, {}]\n",
        coordinates, at.x() - 1, at.y() - 1, at.z() - 1, at.x() + 1, at.y() + 1, at.z() + 1);
  }
  BoardVerdict inspected(const std::string& masks) { return s.inspect(s.recipe(faces + masks)).verdict; }
  /// A clamp where the part's top should be; the part lies elsewhere.
  BoardVerdict clamped(const char* coordinates) {
    look(placed);
    put_before_it();
    const HeightFrame clamp = s.frame;
    const Eigen::Vector3d at = middle();
    look(moved);
    change(3, [&](int row, int col) { s.height(row, col) = static_cast<float>(clamp.z_mm(row, col)); });
    return inspected(mask(
        coordinates, std::string(coordinates) == "machine" ? machine(at) : mapped(placed.inverse(), at)));
  }
  /// A label on the part, which lies elsewhere.
  BoardVerdict labelled(const char* coordinates) {
    look(moved);
    put_before_it();
    const Eigen::Vector3d at = mapped(moved.inverse(), middle());  // of the part
    return inspected(
        mask(coordinates, std::string(coordinates) == "model" ? at : machine(mapped(placed, at))));
  }

  Eigen::Matrix4d placed, moved;
  const std::string faces =
      top + region("right", "normal = [1, 0, 0]\n", within) + region("back", "normal = [0, 1, 0]\n", within);
};

void expect_masked(const BoardVerdict& v, std::uint64_t pixels) {
  EXPECT_EQ(v.decision, Decision::pass) << v.detail << to_json(v);
  ASSERT_TRUE(v.surface->masks);
  EXPECT_EQ(v.surface->masks->at(0).pixels, pixels);
}

TEST_F(SurfaceMasked, AClampStaysWhereTheFixtureHasIt) {
  const BoardVerdict v = clamped("machine");
  expect_masked(v, 49);
  EXPECT_NEAR(v.surface->alignment->shift_mm, -moved_mm, 0.01);
}

TEST_F(SurfaceMasked, AClampDoesNotGoWithThePart) { EXPECT_EQ(clamped("model").decision, Decision::invalid); }

TEST_F(SurfaceMasked, ALabelGoesWithThePart) { expect_masked(labelled("model"), 49); }

TEST_F(SurfaceMasked, ALabelDoesNotStayWithTheFixture) {
  EXPECT_EQ(labelled("machine").decision, Decision::invalid);
}

// A label of 5 mm^2 and 0.23 mm thick on 154 mm^2: a fit to it too would lift the datum by 7 um.
TEST_F(SurfaceMasked, NoDatumIsFittedToALabel) {
  look(placed);
  change(8, [&](int row, int col) { s.height(row, col) += 0.4f; });
  const BoardVerdict v = inspected(
      "[[mask]]\nname = \"label\"\ncoordinates = \"model\"\nlow_mm = [0.5, 0.5, 3.1]\nhigh_mm = [5.5, 5.4, "
      "4]\n");
  expect_masked(v, 289);
  EXPECT_NEAR(check_of(v, 0, 0).value, 0, 0.05);
}

TEST_F(SurfaceMasked, AMaskOfThePartThatHidesItsDatumIsNamed) {
  look(placed);
  const BoardVerdict v = inspected(mask_above(3.2));
  EXPECT_STREQ(name_of(v.reason), "SURFACE_FIT") << to_json(v);
  EXPECT_THAT(v.detail, HasSubstr("; masks in model coordinates keep"));
}

}  // namespace
}  // namespace datum::surface_mask_test
