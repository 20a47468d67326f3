// Where a board lies by the steps of its verdict.
#include "daemon/inspection/board/board_in_hand.h"
#include "daemon/inspection/board/snapshot_registration.h"
#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/recipe/alignment_recipe.h"

namespace datum {

std::optional<PlaneMotion> registered_motion(const StepRecord& stage) {
  if (stage.name != registration_step) return std::nullopt;
  PlaneMotion m;
  for (const auto& [name, value] : stage.health) {
    if (name == "pivot_x_mm") m.pivot_mm.x() = value;
    if (name == "pivot_y_mm") m.pivot_mm.y() = value;
    if (name == "shift_x_um") m.shift_mm.x() = value * 1e-3;
    if (name == "shift_y_um") m.shift_mm.y() = value * 1e-3;
    if (name == "rotation_mdeg") m.rotation_deg = value * 1e-3;
    if (name == "scale_ppm") m.stretch[0] = value * 1e-6;
    if (name == "scale_x_ppm") m.stretch += Eigen::Vector3d(value, value, 0) * 0.5e-6;
    if (name == "scale_y_ppm") m.stretch += Eigen::Vector3d(value, -value, 0) * 0.5e-6;
    if (name == "shear_urad") m.stretch[2] = value * 0.5e-6;
  }
  return m;
}

Htm<Board, Sensor> moved(const Htm<Board, Sensor>& placement, const std::vector<StepRecord>& stages) {
  Eigen::Matrix4d back = Eigen::Matrix4d::Identity();
  for (const StepRecord& stage : stages) {
    if (const auto motion = registered_motion(stage)) return Htm<Board, Board>(back_of(*motion)) * placement;
    if (stage.name != coarse_alignment_step) continue;
    for (const auto& [name, value] : stage.health) {
      if (name == "shift_x_um") back(0, 3) -= value * 1e-3;
      if (name == "shift_y_um") back(1, 3) -= value * 1e-3;
    }
  }
  return Htm<Board, Board>(back) * placement;
}

std::shared_ptr<const Recipe> stretched_recipe(const Recipe& recipe, const std::vector<StepRecord>& stages) {
  for (const StepRecord& stage : stages) {
    const auto motion = registered_motion(stage);
    if (!motion || motion->stretch.isZero(0)) continue;
    const auto move = [&](Eigen::Vector2d& place_mm) { place_mm = stretched(place_mm, *motion); };
    const auto move_component = [&](Component& c) {
      move(c.body.centre_mm);
      if (c.floor_outline) move(c.floor_outline->centre_mm);
    };
    auto seen = std::make_shared<Recipe>(recipe);
    for (Component& c : seen->components) move_component(c);
    for (BoardRect& rect : seen->exclusions) move(rect.centre_mm);
    for (BoardCircle& hole : seen->holes) move(hole.centre_mm);
    if (recipe.warp) {
      auto warp = std::make_shared<WarpRecipe>(*recipe.warp);
      for (Component& patch : warp->patches) move_component(patch);
      seen->warp = std::move(warp);
    }
    return seen;
  }
  return nullptr;
}

void move_board(BoardInHand& b, const HeightFrame& frame, const BoardShift& shift) {
  b.verdict.stages.push_back(shift.stage);
  b.why = shift.why;
  if (b.why) return;
  b.registered = shift.registered;
  b.placement = moved(b.placement, b.verdict.stages);
  b.view = BoardView(frame, b.placement);
  b.stretched = stretched_recipe(*b.in.recipe, b.verdict.stages);
  if (b.stretched) {
    b.in.recipe = b.stretched.get();
    b.in.planner = nullptr;  // plans are kept by the recipe's hash
  }
}

bool have_common_place(const std::vector<StepRecord>& stages) {
  for (const StepRecord& stage : stages)
    for (const auto& [name, value] : stage.parameters)
      if (name == common_place_parameter) return value == "true";
  return false;
}

}  // namespace datum
