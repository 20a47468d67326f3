// A recipe's panel: places of equal boards that one frame shows, and the mark of a bad board.
//
// Panel coordinates: mm, origin at the panel's lower left corner, x right, y up, z up from the upper side.
#pragma once

#include "daemon/inspection/recipe/recipe.h"

namespace datum {

struct PanelPlace {
  std::string name;  // "COLUMN-ROW" from 1, lower left first; or the recipe's
  Eigen::Vector2d origin_mm = Eigen::Vector2d::Zero();  // of the board's coordinates, in panel coordinates
  double rotation_deg = 0;                              // counter-clockwise seen from above
};

/// A feature that tells bad boards from good ones by its height over the floor around it.
struct BadMark {
  Component feature;         // checks: median, half to one and a half of the nominal height, and presence
  bool bad_if_there = true;  // a sticker or drop; false: a feature that is removed from a bad board
};

/// What a board of a panel becomes whose number nobody states and no code shows.
enum class WithoutBoardSerial : std::uint8_t {
  invalid,   // INVALID (SERIAL)
  position,  // it has the panel's number and its place: "P-4711@2-3"
};

/// Serial numbers of a panel's boards: table [panel.serial].
struct PanelSerials {
  WithoutBoardSerial missing = WithoutBoardSerial::invalid;
  std::shared_ptr<const CodeRegion>
      code;  // in coordinates of the board; null: a host or the delivery states numbers
};

struct PanelRecipe {
  Eigen::Vector2d size_mm = Eigen::Vector2d::Zero();
  std::vector<PanelPlace> places;
  std::optional<BadMark> bad_mark;
  std::optional<PanelSerials> serials;  // none: numbers are taken where they are stated, and not asked for
  /// The recipe at each place, with references "U4@2-3", without a panel; and the same of its mark alone.
  std::vector<Recipe> boards, marks;
};

/// Reference of a board's component among those of its panel.
std::string panel_reference(const std::string& board, const std::string& reference);

/// A rectangle of board coordinates in panel coordinates.
BoardRect on_panel(const PanelPlace& place, const BoardRect& rect);

/// Panel coordinates from board coordinates.
Htm<Board, Board> panel_from_board(const PanelPlace& place);

/// The panel as one board in panel coordinates, for pictures; `lies[i]`: motion of board i from its place, in its coordinates;
/// empty: all lie at their places. The parts of boards with `skipped[i]` are left out.
Recipe panel_as_board(const Recipe& recipe, const std::vector<Htm<Board, Board>>& lies = {},
                      const std::vector<bool>& skipped = {});

}  // namespace datum
