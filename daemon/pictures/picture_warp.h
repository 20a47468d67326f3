// The picture of a board's form: its surface above its least-squares plane, with contour lines.
#pragma once

#include <optional>

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/pictures/page.h"

namespace datum {

/// The board's x points right, its y up; unmeasured places are striped. Its checks are listed with U (k = 2), limits and the
/// standards that define them; components have their references, measured places crosses. Drawn from the verdict's knots and
/// lambda, which reproduce the surface. None without a surface in the verdict.
std::optional<Page> draw_warp_picture(const Recipe& recipe, const BoardVerdict& verdict);

}  // namespace datum
