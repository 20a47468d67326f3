// The picture of a board's form: its surface over its own least-squares plane, with contour lines.
#pragma once

#include <filesystem>
#include <optional>

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/pictures/canvas.h"

namespace datum {

/// The board's x runs right, its y up; grey beyond the places that were seen. Made from the verdict's knots and lambda, which
/// give the same surface again. None where the verdict tells no surface.
std::optional<Canvas> draw_warp_picture(const Recipe& recipe, const BoardVerdict& verdict);

/// "board.png" becomes "board-warp.png"; nothing is written where there is no surface. Throws std::runtime_error naming
/// the file where it can't be written.
void write_warp_picture(const std::filesystem::path& board_picture, const Recipe& recipe,
                        const BoardVerdict& verdict);

}  // namespace datum
