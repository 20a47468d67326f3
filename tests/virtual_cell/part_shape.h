// The virtual surface part: a milled plate as a closed solid of triangles, by drawing and as made.
//
// Part coordinates in mm: origin at a corner of the plate, x along its 96 mm, y along its 64 mm, z up, 0 at the plate's
// upper side, -8 at its lower one. Its edges are chamfered by 3 mm at 45 degrees. On it: a rib 5 mm high, a pad 2 mm
// high, a boss 4 mm high, a blunt cone 6 mm high, and a countersunk hole. From below a pocket leaves a wall of 1 mm.
#pragma once

#include <Eigen/Core>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace datum {

using PartFacet = std::array<Eigen::Vector3d, 3>;  // anticlockwise, seen from outside

/// A round feature in its square of the plate.
struct PartRound {
  Eigen::Vector2d center_mm{0, 0};
  double radius_mm = 0;      // at z = 0
  double end_radius_mm = 0;  // at z = end_mm
  double end_mm = 0;
  int half_cells = 0;  // of the square around it
};

/// A bore through the plate, by drawing and as made.
struct PartBore {
  Eigen::Vector2d center_mm{0, 0}, made_center_mm{0, 0};
  double radius_mm = 0, made_radius_mm = 0;
};

struct PartShape {
  Eigen::Vector3d size_mm{96, 64, 8};
  double chamfer_mm = 3;
  PartRound boss{{24, 22}, 8, 8, 4, 10};
  PartRound cone{{72, 22}, 9, 4, 6, 11};
  PartRound hole{{48, 20}, 7, 4, -3, 10};  // continues with its end's radius to the lower side
  std::vector<PartBore> bores;             // instead of all features above, on a plate of this size
};

/// Manufacturing defects of a part.
struct PartDefects {
  double dent_um = 0;  // depth of a dent in the plate with a flat bottom, 5 mm wide, its rim 9 mm wide
  Eigen::Vector2d dent_center_mm{60, 38};
  Eigen::Vector2d hole_shift_mm{0, 0};     // of the hole with its countersink
  double post_mm = 0;                      // height of a post that does not belong to the part, 1 mm wide
  Eigen::Vector2d post_center_mm{40, 45};  // beside the rib
  bool made = false;                       // bores as made, instead of as drawn
  int plugged = 0;                         // number of a bore that is not there, from 1; 0: none
};

/// Parses comma-separated defects such as "dent=150" (um), "hole=0.12:-0.08" and "post=3" (mm), "good" for
/// none; of a plate with bores "made" and "plugged=2". Throws std::invalid_argument with the allowed ones.
PartDefects parse_defects(const std::string& text);

/// Facets of the solid, two per square millimetre, the same ones in the same order for any defect; then those
/// of a post.
std::vector<PartFacet> part_facets(const PartShape& shape, const PartDefects& defects);

/// Binary STL in mm. Throws std::runtime_error naming the file.
void write_stl(const std::filesystem::path& file, const std::vector<PartFacet>& facets);

}  // namespace datum
