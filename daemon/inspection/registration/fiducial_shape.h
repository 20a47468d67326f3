// Outlines of fiducials: what a mark covers, and the points of its edges with the room beside them.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "daemon/inspection/recipe/alignment_recipe.h"

namespace datum {

/// A point of an edge. Coordinates in mm from the mark's centre, along the board's axes.
struct OutlinePoint {
  Eigen::Vector2d at_mm, outward;          // outward: away from the mark's own surface, a unit vector
  double inwards_mm = 0, outwards_mm = 0;  // to the next edge, or to the end of the clear zone
  int edge = 0;  // edges whose place may differ by one growth: a ring's outer 0 and inner 1, otherwise 0
};

/// Points about `apart_mm` from each other, away from corners by as much.
std::vector<OutlinePoint> outline_of(const Fiducial& mark, double apart_mm);

/// Number of growths: 2 of a ring, otherwise 1.
int edges_of(const Fiducial& mark);

/// Signed distance in mm of a place from the mark's nearest edge, negative inside of the mark.
double distance_mm(const Fiducial& mark, const Eigen::Vector2d& from_centre_mm);

/// Smallest width of the mark, which the pixels must resolve.
double finest_mm(const Fiducial& mark);

}  // namespace datum
