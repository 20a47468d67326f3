// A component's terminals (balls, leads) and its solder paste: where they lie and what the sensor can say of them.
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <vector>

#include "config/toml_reader.h"
#include "daemon/inspection/recipe/recipe.h"

namespace datum {

enum class TerminalShape : std::uint8_t {
  ball,  // a sphere's cap: its highest point
  flat,  // a lead's foot: its plane at the middle of its region
};

/// Equal terminals on a grid, in the part's own axes from its body's middle, as the sensor sees the part.
struct TerminalGroup {
  TerminalShape shape = TerminalShape::ball;
  Eigen::Vector2d centre_mm = Eigen::Vector2d::Zero();  // of the grid
  std::array<int, 2> count{1, 1};                       // along x and y
  Eigen::Vector2d pitch_mm = Eigen::Vector2d::Zero();
  Eigen::Vector2d size_mm = Eigen::Vector2d::Zero();  // of one: a ball's diameter, a foot's region
};

struct TerminalRecipe {
  bool up = false;  // unmounted, on its back; else as mounted
  /// Of the body of a mounted part, between its underside and its top; and half the width of its tolerance.
  std::optional<double> body_thickness_um, body_thickness_tolerance_um;
  std::vector<TerminalGroup> groups;
};

/// Their middles in the order of the groups, in each by rows of growing y, then x. Terminal 1 is the first.
struct TerminalPlace {
  Eigen::Vector2d at_mm;
  const TerminalGroup* group;
};
std::vector<TerminalPlace> places_of(const TerminalRecipe& terminals);
inline constexpr int max_terminals = 4096;

/// A deposit of solder paste. Its aperture is the component's body, the stencil's thickness its nominal height.
struct PasteRecipe {
  double threshold_um = 0;  // over the floor: what is higher is paste
  double pad_um = 0;        // height of the pad over the floor, which is no paste
  bool round = false;       // an ellipse in the body's rectangle
};

/// Tables `terminals` and `paste` of a package or component.
std::shared_ptr<const TerminalRecipe> read_terminals(config::TomlTable table);
std::shared_ptr<const PasteRecipe> read_paste(config::TomlTable table);
/// Refuses checks that the component's terminals and paste do not permit.
void demand_terminals(const Component& component, const config::TomlTable& table);

}  // namespace datum
