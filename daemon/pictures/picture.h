// The picture of a board: its height map, with the outlines of rings and components in the colours of their verdicts.
#pragma once

#include <filesystem>

#include "calib/htm.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/pictures/canvas.h"
#include "drivers/frame/height_frame.h"

namespace datum {

struct PictureSettings {
  int max_px = 1600;  // longer side of the map
  double low = 0.01;  // the colour map spans these quantiles of the heights
  double high = 0.99;
};

/// Colours that also differ in lightness, for any colour vision. Line styles differ too: PASS thin, FAIL thick,
/// INCONCLUSIVE dashed, INVALID dotted.
Rgb color_of(Decision decision);

/// `frame` is right-handed; the board's x points right, its y up. A component without a verdict gets that of the board.
Canvas draw_picture(const HeightFrame& frame, const Recipe& recipe, const BoardVerdict& verdict,
                    const Htm<Sensor, Board>& sensor_from_board, const PictureSettings& settings = {});

/// Writes NAME-warp.png too (daemon/pictures/picture_warp.h) where the verdict has the board's form. Equal inputs give
/// equal bytes. Throws std::runtime_error that names the file.
void write_picture(const std::filesystem::path& file, const HeightFrame& frame, const Recipe& recipe,
                   const BoardVerdict& verdict, const Htm<Sensor, Board>& sensor_from_board,
                   const PictureSettings& settings = {});

}  // namespace datum
