// Target positions and touches of the virtual machine.
#include "tests/virtual_cell/virtual_mount.h"

#include <gtest/gtest.h>

#include <cmath>

namespace datum {
namespace {

const std::filesystem::path config = std::filesystem::path(DATUM_SOURCE_DIR) / "config";

TEST(VirtualMount, TouchesEachFaceFromOutside) {
  const VirtualMount mount =
      load_mount(config / "artefacts/angled-slot-120.toml", config / "twins/artefact.toml");
  for (const Face face : all_faces) {
    const DrawnFace& drawn = mount.drawing.face(face);
    for (std::size_t n = 1; n <= 6; ++n) {
      const Eigen::Vector3d tip = mount.machine_from_artefact.inverse() * mount.tip_mm(face, n, 6);
      // Lengths below 400 mm, rounded to 6e-14 mm; the mount's matrix has 12 decimals: 4e-10 mm.
      EXPECT_NEAR((tip - drawn.plane.point_mm).dot(drawn.plane.normal), 1.0, 1e-9) << name_of(face);
      const Eigen::Vector3d contact = tip - drawn.plane.normal;
      EXPECT_TRUE(drawn.contains(contact.x(), contact.y())) << name_of(face) << " " << n;
    }
  }
  EXPECT_THROW(mount.tip_mm(Face::lp, 7, 6), std::invalid_argument);
  EXPECT_THROW(mount.tip_mm(Face::lp, 0, 6), std::invalid_argument);
}

TEST(VirtualMount, TakesOrdersAndRefusesOthers) {
  const VirtualMount mount =
      load_mount(config / "artefacts/angled-slot-120.toml", config / "twins/artefact.toml");
  const VirtualOrder moved = order_of("move 1.5 -2 3e1", nullptr);
  EXPECT_FALSE(moved.touch);
  EXPECT_EQ(moved.position_mm, (std::array<double, 3>{1.5, -2, 30}));
  EXPECT_TRUE(order_of("touch 1 2 3", nullptr).touch);
  const VirtualOrder touched = order_of("touch SL 2/6", &mount);
  EXPECT_TRUE(touched.touch);
  const Eigen::Vector3d tip = mount.tip_mm(Face::sl, 2, 6);
  EXPECT_EQ(touched.position_mm, (std::array<double, 3>{tip.x(), tip.y(), tip.z()}));
  for (const char* bad :
       {"", "move 1 2", "move 1 2 3 4", "go 1 2 3", "touch XX 1/2", "touch LP 3/2", "touch LP 1"})
    EXPECT_THROW(order_of(bad, &mount), std::invalid_argument) << bad;
  EXPECT_THROW(order_of("touch LP 1/2", nullptr), std::invalid_argument) << "there is no artefact";
}

}  // namespace
}  // namespace datum
