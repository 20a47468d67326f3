// Numbers that a picture of a board shows as colours: at any place of the board, from the frame and the verdict.
#pragma once

#include <vector>

#include "daemon/pictures/picture.h"
#include "daemon/pictures/picture_map.h"

namespace datum {

class BoardSampler {
 public:
  /// Borrows all of them.
  BoardSampler(const PictureMap& map, const Recipe& recipe, const BoardVerdict& verdict, BoardValues values);

  /// What a pixel shows.
  enum class Kind : std::uint8_t { value, no_value, beside };
  struct Values {
    std::vector<float> um;  // row-major, NaN where not of kind `value`
    std::vector<Kind> kind;
  };
  Values of(const BoardWindow& window) const;

  struct Range {
    double
        um;  // twice the largest distance of a height limit from its component's nominal; 100 um without one
    double knee;  // the smallest such distance
  };
  Range range() const;
  /// The lowest nominal height; 0 without one.
  double lowest_nominal_um() const;

 private:
  struct Top;  // a component's floor and nominal
  void add_deviations(const BoardWindow& window, std::size_t component, Values& values) const;

  const PictureMap& map_;
  const Recipe& recipe_;
  const BoardVerdict& verdict_;
  BoardValues values_;
};

/// The verdict of a component; null where the board has none.
const ComponentVerdict* verdict_on(const BoardVerdict& verdict, const std::string& reference);

}  // namespace datum
