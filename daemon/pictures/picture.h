// Pictures of a board: its heights, and its components' deviations from nominal, with what failed beside each part.
#pragma once

#include <filesystem>

#include "calib/htm.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/pictures/page.h"
#include "drivers/frame/height_frame.h"

namespace datum {

enum class BoardValues : std::uint8_t {
  heights,    // over the board's plane z = 0
  deviations  // of the components' tops over their floors, less the nominal height
};

struct PictureSettings {
  int max_px = 1600;   // longer side of the map
  double low = 0.002;  // the colours span these quantiles of the heights
  double high = 0.998;
  std::size_t most_labels = 60;  // of components that are not PASS, beside their parts; the others are listed
  std::size_t most_zooms = 8;
};

/// `frame` is right-handed; the board's x points right, its y up. A component without a verdict gets that of the board.
/// Deviations span twice the largest distance of a height limit from its nominal. Where parts differ much, both scales are
/// linear up to the lowest part, or the narrowest tolerance, and logarithmic beyond (ColorScale::knee).
Page draw_picture(const HeightFrame& frame, const Recipe& recipe, const BoardVerdict& verdict,
                  const Htm<Sensor, Board>& sensor_from_board, BoardValues values,
                  const PictureSettings& settings = {});

/// Writes NAME.END, NAME-deviation.END and, where the verdict has the board's form, NAME-warp.END
/// (daemon/pictures/picture_warp.h); END as in Page::write(). Throws std::runtime_error that names the file.
void write_picture(const std::filesystem::path& file, const HeightFrame& frame, const Recipe& recipe,
                   const BoardVerdict& verdict, const Htm<Sensor, Board>& sensor_from_board,
                   const PictureSettings& settings = {});

}  // namespace datum
