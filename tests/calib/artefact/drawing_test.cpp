#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <fstream>
#include <numbers>
#include <regex>
#include <sstream>

#include "calib/artefact/drawing_file.h"
#include "calib/fit/construction.h"
#include "config/toml_reader.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

const std::filesystem::path sample =
    std::filesystem::path(DATUM_SOURCE_DIR) / "config/artefacts/angled-slot-120.toml";

std::string sample_text() {
  std::ifstream in(sample);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = sample_text();
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string refusal_of(const std::string& text) {
  const testing::FreshFolder folder;
  const auto file = folder.write("d.toml", text);
  try {
    load_artefact_drawing(file);
  } catch (const config::ConfigError& error) {
    // Without the line number, so that the sample's comments may grow.
    return std::regex_replace(std::string(error.what()), std::regex("^.*d\\.toml:[0-9]+:[0-9]+: "), "");
  }
  return "(accepted)";
}

TEST(ArtefactDrawing, TheSampleIsTheProtocolsArtefact) {
  const ArtefactDrawing d = load_artefact_drawing(sample);
  EXPECT_EQ(d.serial, "AS120-0001");
  EXPECT_EQ(d.sha256.size(), 64u);
  const auto plane = [&](Face f) { return d.face(f).plane; };
  constexpr double rounding = 1e-14;  // sines and cosines, and sums of a few mm
  // 120 degrees included: the outward normals are 60 degrees apart.
  EXPECT_NEAR(plane(Face::ll).normal.dot(plane(Face::lr).normal), 0.5, rounding);
  EXPECT_NEAR(plane(Face::su).normal.dot(plane(Face::sl).normal), 0.5, rounding);
  EXPECT_GT(plane(Face::ll).normal.x(), 0.4) << "the left flank looks to the right";
  EXPECT_GT(plane(Face::sl).normal.y(), 0.4) << "the lower flank looks up";
  EXPECT_EQ(d.face(Face::lp).z_mm(-20, 3), 0);
  EXPECT_NEAR(d.face(Face::ll).z_mm(-4 * std::sqrt(3.0), 7), 0, rounding) << "it meets the plane there";
  EXPECT_NEAR(d.face(Face::sl).z_mm(20, -std::sqrt(3.0)), -3, rounding);
  // The construction of the thesis' section 2.7.3 gives the drawing's own axes.
  const Line3 along = intersection(plane(Face::ll), plane(Face::lr));
  const Line3 across = intersection(plane(Face::su), plane(Face::sl));
  EXPECT_LT(projection(along, plane(Face::lp)).direction.cross(Eigen::Vector3d::UnitY()).norm(), rounding);
  EXPECT_LT(intersection(projection(along, plane(Face::lp)), projection(across, plane(Face::lp))).norm(),
            1e-12);
}

TEST(ArtefactDrawing, AreasSayWhereAFaceIsMeasured) {
  const ArtefactDrawing d = load_artefact_drawing(sample);
  const DrawnFace& rp = d.face(Face::rp);
  EXPECT_TRUE(rp.contains(20, 20));
  EXPECT_FALSE(rp.contains(20, 0)) << "there is the short slot";
  EXPECT_NEAR(rp.area_mm2(), 31.5 * (23.5 + 13.5), 1e-9);
  EXPECT_NEAR(d.face(Face::su).area_mm2(), 25 * 5.9 / std::cos(std::numbers::pi / 6), 1e-9);
  EXPECT_NEAR(d.face(Face::lp).middle_mm().y(), 5, 1e-12);
  EXPECT_NEAR(d.face(Face::lp).reach_mm(), std::hypot(19.5 / 2, 26), 1e-12);
  for (Face f : all_faces) {
    const auto places = places_on(d.face(f), 9);
    ASSERT_EQ(places.size(), 9u);
    for (const auto& p : places) {
      EXPECT_TRUE(d.face(f).contains(p.x(), p.y())) << name_of(f);
      EXPECT_NEAR(distance_mm(d.face(f).plane, p), 0, 1e-12) << name_of(f);
    }
    EXPECT_GT((places.back() - places.front()).norm(), 0.8 * d.face(f).reach_mm()) << "spread";
    EXPECT_EQ(face_named(name_of(f)), f);
  }
  EXPECT_EQ(face_named("XX"), std::nullopt);
}

TEST(ArtefactDrawing, RefusesWhatContradictsItself) {
  EXPECT_EQ(refusal_of(changed("[0.5, 6.4,  -21.0, 31.0]", "[0.5, 7.4,  -21.0, 31.0]")),
            "long_slot.LR.areas_mm: the corner (7.4, -21) is not on this flank: it would be at z = "
            "0.27239199200323 mm; allowed: places where the flank lies between the slot's bottom, -4 mm, and "
            "the plane, 0 mm");
  EXPECT_EQ(refusal_of(changed("[-27.0, -7.5,", "[-27.0, -6.5,")),
            "plane.LP: an area reaches into the long slot or beyond it; allowed: x up to "
            "-6.92820323027551 mm");
  EXPECT_EQ(refusal_of(changed("7.5, 39.0,  7.5, 31.0,", "7.5, 39.0,  6.0, 31.0,")),
            "plane: areas of RP and SU overlap; allowed: areas that belong to one face each");
  EXPECT_EQ(refusal_of(changed("[-27.0, -7.5,  -21.0, 31.0]", "[-27.0, -7.5,  -21.0]")),
            "plane.LP.areas_mm: has 3 elements; allowed: an array of 4 to 64 finite numbers");
  EXPECT_EQ(refusal_of(changed("[-27.0, -7.5,  -21.0, 31.0]", "[-27.0, -7.5,  -21.0, 31.0, 3.0]")),
            "plane.LP.areas_mm: has 5 numbers; allowed: four for each: x_min, x_max, y_min, y_max "
            "of each rectangle, within the plate");
  EXPECT_EQ(refusal_of(changed("[-27.0, -7.5,", "[-29.0, -7.5,")),
            "plane.LP.areas_mm: rectangle 1 reaches beyond the plate; allowed: x_min, x_max, "
            "y_min, y_max of each rectangle, within the plate");
  EXPECT_EQ(refusal_of(changed("[-27.0, -7.5,", "[-7.5, -27.0,")),
            "plane.LP.areas_mm: rectangle 1 is empty; allowed: x_min, x_max, y_min, y_max of each "
            "rectangle, within the plate");
  EXPECT_EQ(refusal_of(changed("y_mm = [-22.0, 32.0]", "y_mm = [2.0, 32.0]")),
            "plate.y_mm: does not hold the origin; allowed: the lower and the higher edge, the "
            "origin between them");
  EXPECT_EQ(refusal_of(changed("slope_deg = 30.0", "slope_deg = 120.0")),
            "long_slot.LL.slope_deg: 120 is out of range; allowed: from 10 to 60");
  EXPECT_EQ(refusal_of(changed("[short_slot.SU]", "[short_slot.SX]")).substr(0, 27),
            "short_slot.SU: missing; all");
  EXPECT_EQ(refusal_of(changed("form_um = 1.0", "form_mm = 1.0")).substr(0, 30),
            "tolerance.form_um: missing; al");
  EXPECT_EQ(refusal_of(changed("serial = \"AS120-0001\"", "serial = \"\"")),
            "serial: is empty; allowed: the serial number engraved on the artefact");
  EXPECT_EQ(refusal_of(changed("kind = \"angled-slot\"", "kind = \"sphere\"")),
            "kind: 'sphere' is not known; allowed: one of: angled-slot");
  EXPECT_EQ(refusal_of(sample_text()), "(accepted)");
}

}  // namespace
}  // namespace datum
