// The picture of a board: its height map, every ring and body outlined in the colour of its verdict.
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
  double low = 0.01;  // the colours span these quantiles of the heights
  double high = 0.99;
};

/// Colours that differ in lightness too, so that they are told apart with any colour vision; lines differ
/// beside: PASS thin, FAIL thick, INCONCLUSIVE dashed, INVALID dotted.
Rgb color_of(Decision decision);

/// `frame` right-handed; the board's x runs right, its y up. A component without a verdict has the board's.
Canvas draw_picture(const HeightFrame& frame, const Recipe& recipe, const BoardVerdict& verdict,
                    const Htm<Sensor, Board>& sensor_from_board, const PictureSettings& settings = {});

/// Writes NAME-warp.png beside it (daemon/pictures/picture_warp.h) where the verdict tells the board's form.
/// The same inputs give the same bytes. Throws std::runtime_error naming the file where it can't be written.
void write_picture(const std::filesystem::path& file, const HeightFrame& frame, const Recipe& recipe,
                   const BoardVerdict& verdict, const Htm<Sensor, Board>& sensor_from_board,
                   const PictureSettings& settings = {});

}  // namespace datum
