#include "daemon/inspection/board/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "daemon/inspection/board/board_look.h"
#include "daemon/inspection/board/board_planner.h"
#include "daemon/inspection/board/filter.h"
#include "daemon/inspection/board/panel.h"
#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/board/pipeline_mirror.h"
#include "daemon/inspection/board/pipeline_parts.h"
#include "daemon/inspection/board/site_map.h"
#include "daemon/inspection/board/site_scan.h"
#include "daemon/inspection/board/top_noise.h"
#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/defects/bare_cells.h"
#include "daemon/inspection/defects/foreign_objects.h"
#include "daemon/inspection/defects/part_look.h"
#include "daemon/inspection/recipe/panel_recipe.h"
#include "daemon/inspection/verdict/characteristic.h"
#include "daemon/inspection/verdict/decision.h"
#include "gpu/board/cpu_board.h"
#include "gpu/core/parallel_for.h"
#include "gpu/lu/system_inverter.h"

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

/// Refusal for clipped pixels, or too few measured ones.
std::optional<Refusal> body_refusal(const Measured& m) {
  const BodySettings& gates = m.recipe.body;
  const double clipped = static_cast<double>(m.body.clipped) / std::max(1u, m.site.body_pixels);
  if (clipped > gates.max_clipped_ratio)
    return Refusal{
        Reason::body_clipped,
        fmt::format("{} of the body's {} pixels are OUT_OF_RANGE or SATURATED: a share of {:.3f}, at most "
                    "body.max_clipped_ratio = {:g} is allowed; move the part into the sensor's range or "
                    "expose it less",
                    m.body.clipped, m.site.body_pixels, clipped, gates.max_clipped_ratio)};
  const double demanded = gates.min_valid_ratio * m.site.body_pixels;
  if (m.heights.valid == 0 || m.heights.valid < demanded)
    return Refusal{Reason::body_coverage,
                   fmt::format("{} of the body's {} pixels have a height, at least {:.0f} are demanded",
                               m.heights.valid, m.site.body_pixels, std::max(1.0, std::ceil(demanded)))};
  if (m.heights.valid < static_cast<std::uint32_t>(gates.min_pixels))
    return Refusal{
        Reason::body_coverage,
        fmt::format("{} pixels of the body have a height, at least body.min_pixels = {} are demanded; "
                    "lower body.erode_px or use a finer pixel",
                    m.heights.valid, gates.min_pixels)};
  return std::nullopt;
}

std::optional<Refusal> component_refusal(const Measured& m) {
  if (m.site.reason != Reason::none) return Refusal{m.site.reason, m.site.detail};
  if (m.floor.reason != Reason::none) return Refusal{m.floor.reason, m.floor.detail};
  return body_refusal(m);
}

/// Noise that is coherent over a tile is invisible within it, so the profile may be right down to half.
bool profile_is_coarse(const FloorEvidence& floor) {
  return floor.noise_um > 0 && 2 * floor.noise_um < floor.sigma_um;
}

/// At least half of the body is below half of the nominal height: whatever the clipped pixels show (bare pads
/// are glossy), the part is missing.
bool shows_no_part(const Measured& m) {
  return 2 * (m.heights.valid - m.heights.present) >= std::max(1u, m.site.body_pixels);
}

/// Fails even if every pixel without a height showed the part.
bool fails_presence(const CheckVerdict& v, const Measured& m) {
  const double most = v.value + 1000.0 * m.body.missing / std::max(1u, m.body.pixels);
  return v.check.characteristic == Characteristic::presence && v.check.lower && most < *v.check.lower;
}

/// A check of a body with clipped pixels: FAIL where the other pixels already fail it, else refused.
CheckVerdict checked_clipped(const Check& check, const Measured& m, const Refusal& why) {
  const bool of_all_pixels = check.characteristic == Characteristic::median ||
                             check.characteristic == Characteristic::mean ||
                             check.characteristic == Characteristic::presence;
  if (of_all_pixels && shows_no_part(m)) {
    CheckVerdict v = evaluate(check, m, top_noise_of(m));
    if (v.reason == Reason::none) decide(v, m.recipe.rule, m.recipe.rule_confidence);
    if (fails_presence(v, m)) {
      v.reason = Reason::none;
      v.decision = v.decision_simple = Decision::fail;
    }
    if (v.decision == Decision::fail) return v;
  }
  CheckVerdict v;
  v.check = check;
  v.reason = why.reason;
  v.detail = why.detail;
  return v;
}

/// Measured by a look at the part, not by the heights of its body alone.
bool is_of_look(Characteristic c) { return is_of_place(c) || is_of_terminals(c) || is_of_paste(c); }

/// Result of a check whose component may have been refused; `top` if it was not.
CheckVerdict checked(const Check& check, const Measured& m, const TopNoise& top,
                     const std::optional<Refusal>& why, const std::optional<BoardWarp>& warp,
                     PartLook& look) {
  CheckVerdict v;
  v.check = check;
  if (check.characteristic == Characteristic::board_flatness) {
    v = board_flatness(check, m.recipe, m.sensor, m.component, *warp);
  } else if (why && why->reason == Reason::body_clipped && !is_of_look(check.characteristic)) {
    v = checked_clipped(check, m, *why);
  } else if (why) {
    v.reason = why->reason;
    v.detail = why->detail;
  } else if (is_of_look(check.characteristic)) {
    v = look.check(check, top);
  } else {
    v = evaluate(check, m, top);
  }
  if (v.reason == Reason::none && v.decision == Decision::invalid)
    decide(v, m.recipe.rule, m.recipe.rule_confidence);
  const bool on_warp = m.floor.from_warp && check.characteristic != Characteristic::board_flatness;
  if (on_warp && v.reason == Reason::none)
    v.detail = fmt::format("floor: warp model, u {:.3g} um (ring: {}){}{}", m.floor.u_um,
                           name_of(m.floor.from_warp->ring_reason), v.detail.empty() ? "" : "; ", v.detail);
  if (v.reason == Reason::none && profile_is_coarse(m.floor.evidence))
    v.detail += fmt::format(
        "{}the floor's pixels scatter by {:.3g} um, the sensor profile's noise.sigma_um says {:.3g} um: "
        "measure it again on a matt flat",
        v.detail.empty() ? "" : "; ", m.floor.evidence.noise_um, m.floor.evidence.sigma_um);
  return v;
}

ComponentVerdict judge(const Measured& m, const std::optional<BoardWarp>& warp, PartLook look) {
  ComponentVerdict c;
  c.reference = m.component.reference;
  c.package = m.component.package;
  c.floor = m.floor.evidence;
  c.body_pixels = m.site.body_pixels;
  c.body_valid = m.heights.valid;
  const std::optional<Refusal> why = component_refusal(m);
  c.warp_floor = m.floor.from_warp;
  const TopNoise top = why ? TopNoise{} : top_noise_of(m);
  for (const Check& check : m.component.checks) c.checks.push_back(checked(check, m, top, why, warp, look));
  c.decision = worst_of(c.checks);
  if (m.component.paste) {
    c.defect = look.word_of_paste(c.checks);
  } else if (look.has_floor() && (m.recipe.defects || c.decision == Decision::fail)) {
    const DefectFinding finding = defect_of(m.recipe, m.component, look.seen(), c.checks);
    c.defect = finding.word;
    doubt_passed(c, finding, m.recipe);
  }
  return c;
}

std::shared_ptr<const PlannedBoard> planned(const HeightFrame& frame, const InspectionInputs& in,
                                            const Htm<Board, Sensor>& placement, const BoardView& view) {
  const unsigned threads = in.threads > 0 ? in.threads : cpu_backend().threads;
  if (in.planner) return in.planner->of(*in.recipe, *in.sensor, frame, placement, view, threads);
  return std::make_shared<PlannedBoard>(plan_board(*in.recipe, *in.sensor, frame, view, threads));
}

void tell(const InspectionInputs& in, InspectionStep step) {
  if (in.step_ended) in.step_ended(step);
}

}  // namespace

BoardInHand board_as_stated(BoardVerdict v, const HeightFrame& frame, const InspectionInputs& in) {
  const Htm<Board, Sensor> placement = board_from_sensor(in);
  BoardInHand b{in, std::move(v), placement, BoardView(frame, placement), {}, {}, {}, {}, {}};
  b.why = tilt_refusal(b.view, in.recipe->floor);
  return b;
}

BoardInHand place_board(BoardVerdict v, const HeightFrame& frame, const InspectionInputs& in) {
  BoardInHand b = board_as_stated(std::move(v), frame, in);
  if (b.why || !in.recipe->alignment) return b;
  const BoardShift shift = board_shift(*in.recipe, frame, b.view, in.threads, in.correlator);
  if (in.correlator) b.correlated_by = shift.correlated_by;
  move_board(b, frame, shift);
  return b;
}

void plan_sites(BoardInHand& board, const HeightFrame& frame) {
  board.planned = planned(frame, board.in, board.placement, board.view);
}

ComponentVerdict judge_component(const BoardLook& look, std::size_t i, const std::optional<BoardWarp>& warp,
                                 const BoardForm* bare) {
  const BoardInHand& b = look.hand;
  const Recipe& recipe = *b.in.recipe;
  const Component& component = recipe.components[i];
  const PlacementSources sources{
      recipe,    look.frame,  recipe.in_machine_coordinates ? b.in.calibration : nullptr,
      b.in.pose, b.placement, b.registered};
  const Site& site = look.sites()[i];
  Floor floor = b.scan->floors()[i];
  std::optional<SeenBody> over_warp;
  if (component.warp_fallback && site.reason == Reason::none && floor.reason != Reason::none) {
    floor = fallback_floor(recipe, component, site, floor, *warp, b.placement);
    if (floor.reason == Reason::none) over_warp = b.scan->seen_over(floor, i);
  }
  const SeenBody& body = over_warp ? *over_warp : b.scan->bodies()[i];
  const Measured m{recipe, *b.in.sensor, look.frame,    component,  site,
                   floor,  body.heights, body.evidence, look.noise, placement_terms(sources, component)};
  return judge(m, warp, PartLook(m, b.view, sources, bare));
}

BoardVerdict judge_board(BoardInHand& b, const HeightFrame& frame, const BoardMeasurer& measurer) {
  const InspectionInputs& in = b.in;
  const Recipe& recipe = *in.recipe;
  BoardVerdict v = std::move(b.verdict);
  if (b.why) return refused(std::move(v), recipe, *b.why);
  const unsigned threads = in.threads > 0 ? in.threads : cpu_backend().threads;
  v.backend = measurer.describe();
  if (!b.correlated_by.empty() && b.correlated_by != v.backend)
    v.backend += "; alignment: " + b.correlated_by;
  const BoardLook look{b, frame, b.scan->noise(threads)};
  const BoardLook* const looks[] = {&look};
  const std::optional<BoardWarp> warp =
      warp_over(looks, std::vector<std::size_t>(look.sites().size()), in, {}, v);
  tell(in, InspectionStep::evidence);
  std::optional<BoardForm> form;
  if (recipe.defects) form = bare_form(recipe, frame, b.view, threads);
  const BoardForm* const bare = form ? &*form : nullptr;
  v.components.resize(recipe.components.size());
  parallel_for(threads, recipe.components.size(),
               [&](std::size_t i, unsigned) { v.components[i] = judge_component(look, i, warp, bare); });
  std::optional<ComponentVerdict> foreign;
  if (recipe.defects && recipe.defects->foreign)
    foreign = judge_foreign({recipe, *in.sensor, frame, b.view, bare, v.components}, threads);
  if (warp) v.components.push_back(judge_warp(recipe, *in.sensor, *warp));
  if (foreign) v.components.push_back(std::move(*foreign));
  v.decision = worst_of(v.components);
  return v;
}

HeightFrame filtered_for(const HeightFrame& frame, const InspectionInputs& in) {
  CpuDiffuser cpu(cpu_backend(in.threads));
  return filtered(frame, *in.recipe->filter, in.diffuser ? *in.diffuser : cpu);
}

namespace {

BoardVerdict inspect_board(BoardVerdict v, const HeightFrame& frame, const InspectionInputs& in,
                           BoardMeasurer& measurer) {
  BoardInHand board = place_board(std::move(v), frame, in);
  if (!board.why) {
    plan_sites(board, frame);
    tell(in, InspectionStep::plan);
    measure_boards({&board, 1}, frame, measurer, in.threads > 0 ? in.threads : cpu_backend().threads);
    tell(in, InspectionStep::heights);
  }
  return judge_board(board, frame, measurer);
}

/// Also inspects the raw frame, because the filter's effect on a value is part of its uncertainty. The cached
/// plan is the filtered frame's.
BoardVerdict inspect_filtered(BoardVerdict v, const HeightFrame& raw, const HeightFrame& frame,
                              const InspectionInputs& in, BoardMeasurer& measurer) {
  InspectionInputs unplanned = in;
  unplanned.planner = nullptr;
  const BoardVerdict unfiltered = inspect_board(v, raw, unplanned, measurer);
  BoardVerdict measured = inspect_board(std::move(v), frame, in, measurer);
  if (measured.reason != Reason::none) return measured;
  if (unfiltered.reason != Reason::none)
    return refused(std::move(measured), *in.recipe,
                   {unfiltered.reason, "as delivered, before the filter: " + unfiltered.detail});
  account_for_filter(measured, unfiltered, *in.recipe);
  return measured;
}

/// Every component is good in the mirrored frame, and one here measures what the mirrored board would show:
/// the board is asymmetric and the handedness is wrong.
std::optional<Refusal> handedness_refusal(const BoardVerdict& v, const HeightFrame& frame,
                                          const InspectionInputs& in, BoardMeasurer& measurer) {
  if (v.decision != Decision::fail) return std::nullopt;
  InspectionInputs inputs = in;
  for (const HeightFrame& image : mirror_images(frame)) {
    const BoardVerdict mirrored =
        inspect_board(identity(image, in, measurer.describe()), image, inputs, measurer);
    inputs.planner = nullptr;  // the geometry differs: the next board's plan stays cached
    const Htm<Board, Sensor> placement = board_from_sensor(in);
    if (!wrong_hand_explains(*in.recipe, {frame, v, moved(placement, v.stages)},
                             {image, mirrored, moved(placement, mirrored.stages)}))
      continue;
    return Refusal{
        Reason::frame,
        "the board is bad in the frame and good in its mirror image: sensor.profile's handedness is not the "
        "sensor's, the sensor mirrors its picture, or parts stand in each other's place"};
  }
  return std::nullopt;
}

BoardVerdict inspect_frame(const HeightFrame& frame, const InspectionInputs& in, BoardMeasurer& measurer) {
  BoardVerdict v = identity(frame, in, measurer.describe());
  if (const auto why = frame_refusal(frame, in)) return refused(std::move(v), *in.recipe, *why);
  if (frame.panel && !in.recipe->panel)
    return refused(std::move(v), *in.recipe,
                   {Reason::panel,
                    "the delivery states boards of a panel, and the recipe describes one board; choose the "
                    "panel's recipe, or leave \"panel\" out"});
  if (const auto why = placement_refusal(frame, in)) return refused(std::move(v), *in.recipe, *why);
  try {
    std::optional<HeightFrame> smooth;
    if (in.recipe->filter) smooth = filtered_for(frame, in);
    const HeightFrame& heights = smooth ? *smooth : frame;
    v.stages = heights.stages;
    if (in.recipe->panel) return inspect_panel(v, heights, smooth ? &frame : nullptr, in, measurer);
    BoardVerdict measured =
        smooth ? inspect_filtered(v, frame, *smooth, in, measurer) : inspect_board(v, frame, in, measurer);
    if (const auto why = handedness_refusal(measured, heights, in, measurer))
      return refused(std::move(v), *in.recipe, *why);
    hold_unconfirmed(measured, *in.recipe);
    return measured;
  } catch (const std::domain_error& e) {
    return refused(std::move(v), *in.recipe, {Reason::calibration, e.what()});
  } catch (const CalibrationError& e) {
    return refused(std::move(v), *in.recipe, {Reason::calibration, e.what()});
  } catch (const std::exception& e) {
    return refused(std::move(v), *in.recipe, {Reason::internal, e.what()});
  }
}

}  // namespace

BoardVerdict inspect(const HeightFrame& frame, const InspectionInputs& in, BoardMeasurer& measurer) {
  BoardVerdict v = inspect_frame(frame, in, measurer);
  if (frame.panel && frame.panel->serials.size() == v.boards.size())
    for (std::size_t i = 0; i < v.boards.size(); ++i) v.boards[i].unit_id = frame.panel->serials[i];
  return v;
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
  if (in.recipe->panel) {
    InspectionInputs own = in;
    for (const Recipe& board : in.recipe->panel->boards) {
      own.recipe = &board;
      for (std::string& line : check_field_of_view(frame, own)) lines.push_back(std::move(line));
    }
    return lines;
  }
  try {
    const BoardView view(frame, board_from_sensor(in));
    if (const auto why = tilt_refusal(view, in.recipe->floor)) return {why->detail};
    for (std::size_t i = 0; i < site_count(*in.recipe); ++i) {
      const Site site = site_of(*in.recipe, i, frame, view);
      if (site.reason != Reason::none)
        lines.push_back(site_component(*in.recipe, i).reference + ": " + site.detail);
    }
  } catch (const std::exception& e) {
    lines.push_back(e.what());
  }
  return lines;
}

}  // namespace datum
