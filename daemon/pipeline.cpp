#include "daemon/pipeline.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <stdexcept>

#include "daemon/inspect/board_planner.h"
#include "daemon/inspect/characteristic.h"
#include "daemon/inspect/decision.h"
#include "daemon/inspect/floor.h"
#include "daemon/inspect/site_map.h"
#include "daemon/pipeline_mirror.h"
#include "daemon/pipeline_parts.h"
#include "gpu/board/cpu_board.h"
#include "gpu/component_height/component_height.h"

namespace datum {

Htm<Board, Sensor> board_from_sensor(const InspectionInputs& in) {
  const Recipe& recipe = *in.recipe;
  if (!recipe.in_machine_coordinates) return Htm<Sensor, Board>(recipe.machine_from_board.matrix()).inverse();
  if (!in.calibration)
    throw CalibrationError("recipe '" + recipe.name +
                           "' is in machine coordinates and there is no calibration");
  const Calibration& c = *in.calibration;
  const auto& q = in.pose.q_mm;
  const Htm<Machine, Sensor> machine_from_sensor =
      in.pose.used ? c.at(Eigen::Vector3d(q[0], q[1], q[2])) : c.machine_from_sensor;
  return recipe.machine_from_board.inverse() * machine_from_sensor;
}

namespace {

std::optional<Refusal> tilt_refusal(const BoardView& view, const FloorSettings& floor) {
  if (view.tilt_deg() <= floor.max_tilt_deg) return std::nullopt;
  return Refusal{Reason::floor_tilt,
                 fmt::format("the board stands at {:.3f} degrees to the sensor, at most {:.3f} are "
                             "allowed; check the calibration and the board's placement",
                             view.tilt_deg(), floor.max_tilt_deg)};
}

std::optional<Refusal> component_refusal(const Measured& m) {
  if (m.site.reason != Reason::none) return Refusal{m.site.reason, m.site.detail};
  if (m.floor.reason != Reason::none) return Refusal{m.floor.reason, m.floor.detail};
  const double demanded = m.recipe.body.min_valid_ratio * m.site.body_pixels;
  if (m.heights.valid == 0 || m.heights.valid < demanded)
    return Refusal{Reason::body_coverage,
                   fmt::format("{} of the body's {} pixels have a height, at least {:.0f} are demanded",
                               m.heights.valid, m.site.body_pixels, std::max(1.0, std::ceil(demanded)))};
  return std::nullopt;
}

ComponentVerdict judge(const Measured& m) {
  ComponentVerdict c;
  c.reference = m.component.reference;
  c.package = m.component.package;
  c.floor = m.floor.evidence;
  c.body_pixels = m.site.body_pixels;
  c.body_valid = m.heights.valid;
  const std::optional<Refusal> why = component_refusal(m);
  for (const Check& check : m.component.checks) {
    CheckVerdict v;
    v.check = check;
    if (why) {
      v.reason = why->reason;
      v.detail = why->detail;
    } else {
      v = evaluate(check, m);
      if (v.reason == Reason::none) decide(v, m.recipe.rule, m.recipe.rule_confidence);
    }
    c.checks.push_back(std::move(v));
  }
  c.decision = worst_of(c.checks);
  return c;
}

std::shared_ptr<const PlannedBoard> planned(const HeightFrame& frame, const InspectionInputs& in,
                                            const Htm<Board, Sensor>& placement, const BoardView& view) {
  const unsigned threads = in.threads > 0 ? in.threads : cpu_backend().threads;
  if (in.planner) return in.planner->of(*in.recipe, *in.sensor, frame, placement, view, threads);
  return std::make_shared<PlannedBoard>(plan_board(*in.recipe, *in.sensor, frame, view, threads));
}

BoardVerdict inspect_board(BoardVerdict v, const HeightFrame& frame, const InspectionInputs& in,
                           BoardMeasurer& measurer) {
  const Recipe& recipe = *in.recipe;
  const Htm<Board, Sensor> placement = board_from_sensor(in);
  const BoardView view(frame, placement);
  if (const auto why = tilt_refusal(view, recipe.floor)) return refused(std::move(v), recipe, *why);

  const std::shared_ptr<const PlannedBoard> board = planned(frame, in, placement, view);
  const std::vector<Site>& sites = board->sites;
  const OwnedBoardPlan& plan = board->plan;
  std::vector<SiteRecord> records(sites.size());
  measurer.measure(plan.plan(), view_of(frame), records.data());
  v.backend = measurer.describe();
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Component& component = recipe.components[i];
    const Floor floor = floor_of(recipe.floor, sites[i], plan.sites()[i], records[i]);
    HeightStatistics heights;
    if (sites[i].reason == Reason::none && floor.reason == Reason::none)
      heights = derive(records[i].body, demand_of(component));
    v.components.push_back(judge({recipe, *in.sensor, frame, component, sites[i], floor, heights}));
  }
  v.decision = worst_of(v.components);
  return v;
}

/// Every component is good in a mirror, and here one is bad: an asymmetrical board that was seen by the wrong hand.
std::optional<Refusal> handedness_refusal(const BoardVerdict& v, const HeightFrame& frame,
                                          const InspectionInputs& in, BoardMeasurer& measurer) {
  if (v.decision != Decision::fail) return std::nullopt;
  InspectionInputs inputs = in;
  for (const HeightFrame& image : mirror_images(frame)) {
    const BoardVerdict mirrored =
        inspect_board(identity(image, in, measurer.describe()), image, inputs, measurer);
    inputs.planner = nullptr;  // of another geometry: the next board's plan stays
    if (mirrored.decision != Decision::pass) continue;
    return Refusal{
        Reason::frame,
        "the board is bad in the frame and good in its mirror image: sensor.profile's handedness is not the "
        "sensor's, the sensor mirrors its picture, or parts stand in each other's place"};
  }
  return std::nullopt;
}

}  // namespace

BoardVerdict inspect(const HeightFrame& frame, const InspectionInputs& in, BoardMeasurer& measurer) {
  BoardVerdict v = identity(frame, in, measurer.describe());
  if (const auto why = frame_refusal(frame, in)) return refused(std::move(v), *in.recipe, *why);
  if (const auto why = placement_refusal(frame, in)) return refused(std::move(v), *in.recipe, *why);
  try {
    BoardVerdict measured = inspect_board(v, frame, in, measurer);
    if (const auto why = handedness_refusal(measured, frame, in, measurer))
      return refused(std::move(v), *in.recipe, *why);
    return measured;
  } catch (const std::domain_error& e) {
    return refused(std::move(v), *in.recipe, {Reason::calibration, e.what()});
  } catch (const CalibrationError& e) {
    return refused(std::move(v), *in.recipe, {Reason::calibration, e.what()});
  } catch (const std::exception& e) {
    return refused(std::move(v), *in.recipe, {Reason::internal, e.what()});
  }
}

BoardVerdict inspect(const HeightFrame& frame, const InspectionInputs& in, const Backend& backend) {
  CpuBoardMeasurer measurer(backend);
  InspectionInputs inputs = in;
  inputs.threads = backend.threads;
  return inspect(frame, inputs, measurer);
}

std::vector<std::string> check_field_of_view(const HeightFrame& frame, const InspectionInputs& in) {
  std::vector<std::string> lines;
  if (const auto why = placement_refusal(frame, in))
    return {std::string(name_of(why->reason)) + ": " + why->detail};
  try {
    const BoardView view(frame, board_from_sensor(in));
    if (const auto why = tilt_refusal(view, in.recipe->floor)) return {why->detail};
    for (std::size_t i = 0; i < in.recipe->components.size(); ++i) {
      const Site site = site_of(*in.recipe, i, frame, view);
      if (site.reason != Reason::none)
        lines.push_back(in.recipe->components[i].reference + ": " + site.detail);
    }
  } catch (const std::exception& e) {
    lines.push_back(e.what());
  }
  return lines;
}

}  // namespace datum
