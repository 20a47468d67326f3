#include "daemon/inspection/board/pipeline_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/recipe/panel_recipe.h"
#include "daemon/version/version.h"

namespace datum {

BoardVerdict identity(const HeightFrame& frame, const InspectionInputs& in, const std::string& backend) {
  BoardVerdict v;
  v.measured_at = in.measured_at;
  v.unit_id = in.unit_id;
  v.recipe = in.recipe->name;
  v.recipe_sha256 = in.recipe->sha256;
  v.rule = in.recipe->rule;
  v.rule_confidence = in.recipe->rule_confidence;
  const bool calibrated = in.recipe->in_machine_coordinates && in.calibration;
  v.calibration = calibrated ? in.calibration->id : "none";
  v.calibration_sha256 = calibrated ? in.calibration->sha256 : "";
  if (calibrated && in.calibration->head) v.calibration_head = in.calibration->head->name;
  v.sensor_serial = frame.sensor_serial;
  v.sensor_profile_sha256 = in.sensor->sha256;
  v.frame_id = frame.frame_id;
  v.frame_source = frame.source;
  v.frame_sha256 = frame.content_sha256;
  v.captured = frame.captured;
  v.stamp = frame.stamp;
  v.stages = frame.stages;
  v.code = code_id();
  v.backend = backend;
  v.pose = in.pose;
  return v;
}

std::optional<Refusal> frame_refusal(const HeightFrame& frame, const InspectionInputs& in) {
  const std::size_t counts = std::visit([](const auto& v) { return v.size(); }, frame.counts);
  const auto finite = [](const AxisScale& s) {
    return std::isfinite(s.scale_mm) && std::isfinite(s.offset_mm);
  };
  if (frame.rows <= 0 || frame.cols <= 0 || counts != frame.size() || frame.classes.size() != frame.size())
    return Refusal{Reason::frame, fmt::format("{} x {} pixels but {} heights and {} classes", frame.rows,
                                              frame.cols, counts, frame.classes.size())};
  if (!finite(frame.x) || !finite(frame.y) || !finite(frame.z) || !(frame.x.scale_mm > 0) ||
      !(frame.y.scale_mm > 0) || frame.z.scale_mm == 0)
    return Refusal{Reason::frame, "the scale of an axis is not a positive number"};
  if (frame.delivered == Handedness::left && !frame.mirrored)
    return Refusal{Reason::frame, "a left-handed frame was not mirrored at ingest"};
  if (frame.sensor_serial != in.recipe->sensor_serial)
    return Refusal{Reason::sensor_mismatch,
                   fmt::format("the frame is from sensor '{}', the recipe is for '{}'", frame.sensor_serial,
                               in.recipe->sensor_serial)};
  if (in.sensor->serial != frame.sensor_serial)
    return Refusal{Reason::sensor_mismatch,
                   fmt::format("the frame is from sensor '{}', the profile is of '{}'", frame.sensor_serial,
                               in.sensor->serial)};
  return std::nullopt;
}

std::optional<Refusal> placement_refusal(const HeightFrame& frame, const InspectionInputs& in) {
  if (in.pose.reason != Reason::none) return Refusal{in.pose.reason, in.pose.detail};
  if (in.sensor->reader) {
    CellMoment now{in.now_utc_s, std::nullopt, 0, in.temperature_max_age_s};
    if (in.temperature) {
      now.temperature_degc = in.temperature->degc;
      now.temperature_utc_s = in.temperature->utc_s;
    }
    const std::string why = in.sensor->reader->refusal(now);
    if (!why.empty()) return Refusal{Reason::calibration, why};
  }
  if (!in.recipe->in_machine_coordinates) return std::nullopt;
  if (!in.calibration)
    return Refusal{Reason::calibration,
                   "the recipe is in machine coordinates and there is no calibration for sensor '" +
                       frame.sensor_serial + "'"};
  std::string why = refusal(*in.calibration, frame.sensor_serial, in.now_utc_s);
  if (why.empty()) why = head_refusal(*in.calibration, in.pose.after.head_deg);
  if (why.empty())
    why = temperature_refusal(*in.calibration, in.temperature, in.now_utc_s, in.temperature_max_age_s);
  if (!why.empty()) return Refusal{Reason::calibration, why};
  return std::nullopt;
}

namespace {

BoardVerdict refused_panel(BoardVerdict v, const PanelRecipe& panel, const Refusal& why) {
  v.boards.clear();
  for (std::size_t i = 0; i < panel.boards.size(); ++i) {
    BoardVerdict own = refused({}, panel.boards[i], why);
    std::move(own.components.begin(), own.components.end(), std::back_inserter(v.components));
    v.boards.push_back(panel_board(panel.places[i].name, own));
  }
  return v;
}

}  // namespace

PanelBoard panel_board(const std::string& name, const BoardVerdict& v) {
  return {name, "", v.decision, v.reason, v.detail, v.stages, std::nullopt};
}

BoardVerdict refused(BoardVerdict v, const Recipe& recipe, const Refusal& why) {
  v.decision = Decision::invalid;
  v.reason = why.reason;
  v.detail = why.detail;
  v.components.clear();
  if (recipe.panel) return refused_panel(std::move(v), *recipe.panel, why);
  for (const Component* component : verdict_rows(recipe)) {
    ComponentVerdict& c = v.components.emplace_back();
    c.reference = component->reference;
    c.package = component->package;
    if (recipe.surface && c.package != hole_package) c.region.emplace();
    if (recipe.surface && c.package == hole_package) c.hole.emplace();
    if (recipe.warp && component == &recipe.warp->row) c.warp.emplace();
    for (const Check& check : component->checks) {
      CheckVerdict& verdict = c.checks.emplace_back();
      verdict.check = check;
      verdict.reason = why.reason;
      verdict.detail = why.detail;
    }
  }
  return v;
}

}  // namespace datum
