// Components in a picture of a board: outlines, labels, and enlarged pictures of what failed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/pictures/label_layout.h"
#include "daemon/pictures/picture.h"
#include "daemon/pictures/picture_map.h"

namespace datum::picture {

/// A component as the picture shows it. What is in the verdict only, such as the board's own form, has no place.
struct ShownComponent {
  const Component* component;
  const ComponentVerdict* verdict;  // null: none
  Decision decision;
  std::string fault;  // "C3 missing: 2.5 um, limit 920"; the reference alone for PASS
};
/// Worst first, in the recipe's order among equals.
std::vector<ShownComponent> shown_components(const Recipe& recipe, const BoardVerdict& verdict);

/// Outlines of bodies and floor rings within the window.
void draw_outlines(Page& page, const BoardWindow& window, const Recipe& recipe,
                   const std::vector<ShownComponent>& shown);

/// Above this number only parts that are not PASS have labels.
inline constexpr std::size_t most_references = 200;

/// What is wrong beside each part, and references of the others where there is room. Borrows its arguments.
class PartLabels {
 public:
  PartLabels(const BoardWindow& window, const Recipe& recipe, const std::vector<ShownComponent>& shown,
             std::size_t most);
  /// Faults that found no place.
  const std::vector<std::string>& left_over() const { return left_over_; }
  void draw(Page& page) const;

 private:
  std::vector<const ShownComponent*> named_;
  std::vector<std::optional<PlacedLabel>> places_;
  std::vector<std::string> left_over_;
};

/// Enlarged parts that are not PASS in a row of columns, with all of their checks.
class Zooms {
 public:
  using Draw = std::function<PixelImage(const BoardWindow&)>;
  Zooms(const Recipe& recipe, const std::vector<ShownComponent>& shown, std::size_t most, double width,
        Draw draw);
  double height() const;
  void draw(Page& page, PagePoint upper_left) const;

 private:
  struct Zoom {
    const ShownComponent* shown;
    std::vector<std::string> title, checks;
  };
  double row_height() const;
  const Recipe& recipe_;
  std::vector<Zoom> zooms_;
  std::size_t columns_ = 1;
  std::vector<ShownComponent> all_;
  Draw draw_;
};

}  // namespace datum::picture
