// A drafted recipe as TOML, in the compact form.
#pragma once

#include <optional>
#include <string>

#include "daemon/design/board_side.h"
#include "daemon/design/recipe_draft.h"

namespace datum::design {

struct RecipeHead {
  std::string name, sensor_serial;
  std::string source, source_sha256;  // the design file, for the comment at the head
  std::string coordinates = "sensor";
  Point origin_mm = Point::Zero();
  double origin_z_mm = 0, rotation_deg = 0;
  std::optional<PanelPlaces> panel = {};  // origin_mm is then its corner
  bool keyed_fixture = false;             // the panel can be put in one way alone
};

/// The recipe's text. Names are reduced to the letters that recipes allow.
std::string recipe_text(const Draft& draft, const DraftSettings& settings, const RecipeHead& head);

/// A reference or package as a recipe's name: other letters become '_', at most 64.
std::string recipe_name(const std::string& text);

}  // namespace datum::design
