// One golden board: its frame measured by a recipe as datumd measures it, and whether it is what it is said to be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/inspection/board/pipeline.h"
#include "daemon/teach/seen_outline.h"

namespace datum::teach {

/// A component on one board.
struct GoldenPart {
  std::optional<double> value;  // of the component's first check, in um; none: INVALID, `why`
  double u = 0;                 // its standard uncertainty
  double u_board = 0;           // of the terms that differ from board to board
  std::string why;              // reason and text
  std::optional<SeenOutline> seen;
  bool is_floored = false;  // without a floor nothing is known of the outline
  double noise_um = 0;      // of the floor's pixels; 0: no floor
};

enum class Presence : std::uint8_t { there, missing, unknown };
/// Missing: less than a quarter of the body's area is higher than a quarter of its nominal height, and what is measured there is
/// lower than half of it. Unknown: without a floor.
Presence presence_of(const GoldenPart& part, const Component& component);
/// It fills the body's outline turned by 90 degrees: its lengths along the body's axes are nearer to the exchanged ones.
bool is_turned(const GoldenPart& part, const Component& component);

struct GoldenBoard {
  std::string file, frame_id, sha256, unit;
  std::string why;                                   // the board as a whole is INVALID: reason and text
  std::vector<GoldenPart> parts;                     // of each component of the recipe
  double noise_um = 0;                               // root mean square over the floors
  double z_mm = 0;                                   // mean height of the floors, sensor coordinates
  double pitch_mm = 0;                               // of its frame
  Eigen::Vector2d off_mm = Eigen::Vector2d::Zero();  // median displacement of the parts on it
  /// Degrees by which the board seems to lie turned, 90, 180 or 270; none: as the recipe says.
  std::optional<int> lies_turned;
  Htm<Board, Sensor>
      board_from_sensor;  // as it was measured; the identity where the board as a whole is INVALID
};

/// Measures a board by `inputs` (inputs.recipe is of a board). Where a fifth of the parts is not there it is measured as if it
/// lay turned, too. Never throws because of the frame's content.
GoldenBoard measure_golden(const HeightFrame& frame, const InspectionInputs& inputs, BoardMeasurer& measurer);

/// What a turn of the board about its middle makes of its place.
Recipe turned_recipe(const Recipe& recipe, int deg);

}  // namespace datum::teach
