// A DataMatrix code in the intensity image of a scene.
#pragma once

#include <cmath>
#include <string>

#include "daemon/inspection/board/site_map.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"
#include "tests/drivers/codes/printed_code.h"

namespace datum::testing {

/// An intensity image of bare board.
inline void make_bare(Scene& scene) {
  scene.frame.intensity = IntensityImage{scene.frame.rows, scene.frame.cols,
                                         std::vector<std::uint16_t>(scene.frame.size(), 40'000), 16};
}

/// Dark code on light board by 16 bits, in coordinates of the recipe's board.
inline void print_on_board(Scene& scene, const Recipe& recipe, const std::string& bytes,
                           Eigen::Vector2d centre_mm, bool mirrored = false, double module_mm = 0.15,
                           std::uint16_t ink = 9'000) {
  const Symbol symbol = data_matrix(bytes);
  InspectionInputs in;
  in.recipe = &recipe;
  const BoardView view(scene.frame, board_from_sensor(in));
  for (int row = 0; row < scene.frame.rows; ++row)
    for (int col = 0; col < scene.frame.cols; ++col) {
      const Eigen::Vector2d off =
          (view.origin() + col * view.per_col() + row * view.per_row() - centre_mm) / module_mm;
      const double half = symbol.modules / 2.0;
      const int at_col = static_cast<int>(std::floor((mirrored ? -off.x() : off.x()) + half));
      const int at_row = static_cast<int>(std::floor(-off.y() + half));
      if (std::abs(off.x()) > half + 2 || std::abs(off.y()) > half + 2) continue;
      scene.frame.intensity->grey[static_cast<std::size_t>(row * scene.frame.cols + col)] =
          symbol.at(at_row, at_col) ? ink : std::uint16_t{40'000};
    }
}

}  // namespace datum::testing
