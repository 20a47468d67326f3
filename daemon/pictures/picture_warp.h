// The picture of a board's form: its surface above its least-squares plane, with contour lines.
#pragma once

#include <filesystem>
#include <optional>

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/pictures/canvas.h"

namespace datum {

/// The board's x points right, its y up; unmeasured places are grey. Drawn from the verdict's knots and lambda, which
/// reproduce the surface. None without a surface in the verdict.
std::optional<Canvas> draw_warp_picture(const Recipe& recipe, const BoardVerdict& verdict);

/// Writes "board-warp.png" for "board.png"; nothing without a surface. Throws std::runtime_error that names the file.
void write_warp_picture(const std::filesystem::path& board_picture, const Recipe& recipe,
                        const BoardVerdict& verdict);

}  // namespace datum
