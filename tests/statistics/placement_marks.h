// Fiducials of placed boards: what their recipes list, and what a camera shows of them.
#pragma once

#include <string>
#include <vector>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/registration/plane_motion.h"
#include "tests/virtual_cell/twin_random.h"
#include "tests/virtual_cell/twin_scene.h"

namespace datum::statistics {

/// Unit vector, counter-clockwise from x by this share of a turn.
Eigen::Vector2d unit_way(double share);

/// A place that something else keeps within a distance.
struct TakenPlace {
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();
  double apart_mm = 0;
};

/// The place nearest to a corner with bare board within half_mm along x and y, and apart from what is taken. Throws std::runtime_error
/// with the name of what finds none.
Eigen::Vector2d bare_place_near(const Eigen::Vector2d& corner, const Recipe& recipe, double half_mm,
                                const std::vector<TakenPlace>& taken, const std::string& name,
                                const TwinRelief& relief = {});

/// Neither holes of the design nor places beyond its edge lie in the upright rectangle.
bool is_whole(const TwinRelief& relief, const BoardRect& rect);

/// A circle, a cross and a ring near three of the board's corners, on bare board, as small as pixels of `pixel_mm` resolve. Throws
/// std::runtime_error where the bodies leave no place.
std::vector<Fiducial> marks_of(const Recipe& recipe, double pixel_mm);

/// Displaces all bodies together against the artwork: standard deviation along x, along y and, by rotation, at the rim.
void displace_parts(TwinBoard& twin, double sigma_mm, const TwinRandom& random);

struct SeenMarks {
  IntensityImage image;
  int whole = 0;  // marks that nothing hides
};

/// Artwork of the twin on its view, each mark displaced by its u_um and then moved along by the stretch. Bodies hide it. Hostile: light
/// from one side, glare, blur, noise, low contrast, scratches over marks, figures like them beside them, and one mark that may be
/// missing, another figure, or drowned in glare.
SeenMarks draw_marks(const std::vector<Fiducial>& marks, const TwinBoard& twin, const TwinView& view,
                     const PlaneMotion& stretch, bool hostile, std::uint64_t seed);

}  // namespace datum::statistics
