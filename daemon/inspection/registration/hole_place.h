// A drilled hole's place in the height map, sub-pixel, by its rim.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/registration/bare_surface.h"
#include "daemon/inspection/registration/plane_motion.h"

namespace datum {

struct HoleFit {
  Eigen::Vector2d off_mm =
      Eigen::Vector2d::Zero();  // from its place by the motion, along the view's board axes
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  // mm^2, of the measurement alone
  double growth_mm = 0;                                  // of its radius
  double residual_mm = 0;                                // scale of the rim's points about the fit
  std::size_t points = 0, used = 0;                      // of its rim; those of the fit
};

/// Fit, or why what is there is not this hole.
struct HoleFinding {
  std::optional<HoleFit> fit;
  std::string why;
};

/// The hole with the board at `motion`, looked for within `reach_mm`. Around it the board's own pixels have heights at its level;
/// inside they have none, or deeper ones. Missing data alone is no hole: it has another form or size, or no board around it. Along the
/// normal of each point of the rim the place that best parts both; least squares with Tukey's biweight (c = 4.685) for shift and one
/// growth of the radius. Covariance: residual scale, points 1.5 pixels apart being independent and at least a quarter of a pixel
/// wide (the pixels' rounding); a growth beyond a quarter of a pixel may lie on one side, and is the half width of a rectangular
/// distribution. Refused: fewer than ten pixels across, 60 % of the rim not seen, another size or form, an inside that is closed
/// (solder, a pin, a screw) or a rim without board around it, two of them in reach.
HoleFinding find_drilled_hole(const SurfaceScene& scene, const AlignmentHole& hole, const PlaneMotion& motion,
                              double reach_mm);

}  // namespace datum
