#include "daemon/inspection/board/board_warp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <tuple>

#include "calib/warp/hull.h"
#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/verdict/decision.h"
#include "daemon/inspection/verdict/uncertainty.h"

namespace datum {
namespace {

constexpr double slack_mm = 1e-6;  // a nanometre, for the rounding of a turned corner

WarpArea area_of(const BoardRect& rect) {
  return {rect.centre_mm, rect.size_mm, rect.rotation_deg * std::numbers::pi / 180};
}

/// A limit's width in um, the reference of the surface's rounding.
double tolerance_um(const Recipe& recipe) {
  double least = 1e4;
  for (const Check& c : recipe.warp->row.checks) {
    const double room = c.lower && c.upper ? *c.upper - *c.lower : std::abs(c.upper ? *c.upper : *c.lower);
    const bool percent = c.characteristic == Characteristic::bow || c.characteristic == Characteristic::twist;
    const double um = percent ? room / 100 * recipe.board_size_mm.minCoeff() * 1e3 : room;
    if (um > 0) least = std::min(least, um);
  }
  return least;
}

/// Budget with the recipe's terms of a height. hidden: half width of a deviation in unmeasured areas. off:
/// deviation where bare board between knots contradicts the surface. It is an observed deviation and not a
/// bound, so it enters whole as a standard uncertainty.
std::vector<UncertaintyTerm> warp_budget(const WarpValue& v, double hidden, double off, const Recipe& recipe,
                                         const SensorProfile& sensor) {
  const double root3 = std::sqrt(3.0);
  return {
      {"surface", v.u},
      {"between_knots", std::max(v.between / root3, off)},
      {"gap", hidden / root3},
      {"extreme", v.lift / root3},
      {"floor_surface", v.per_um * recipe.floor.surface_um / root3},
      {"scale", std::abs(v.value) * sensor.scale_uncertainty_ppm * 1e-6},
      {"linearity", v.per_um * sensor.linearity_um},
      {"reproducibility", v.per_um * recipe.uncertainty.reproducibility_um},
  };
}

/// A quadratic bow of the whole board exceeds that of the outline within the margin by the ratio of their
/// lengths.
void add_margin(CheckVerdict& v, const Recipe& recipe) {
  const double margin = recipe.warp->margin_mm;
  const double rest = recipe.board_size_mm.minCoeff() - 2 * margin;
  if (margin > 0) v.budget.push_back({"margin", std::abs(v.value) * 2 * margin / rest});
}

/// Frames of one board may be apart: taken as if each place were, which no arrangement of frames exceeds.
HalfWidth steps_um(const BoardWarp& warp) {
  return [u = warp.u_steps_um](const Eigen::Vector2d&) { return u; };
}

void add_steps(CheckVerdict& v, double u) {
  if (u > 0) v.budget.push_back({"snapshots", u});
}

WarpValue value_of(Characteristic c, const ThinPlate& surface, const WarpArea& outline) {
  if (c == Characteristic::bow) return bow_percent(surface, outline);
  if (c == Characteristic::twist) return twist_percent(surface, outline);
  if (c == Characteristic::convexity) return convexity_um(surface, outline);
  return peak_to_valley_um(surface, outline);
}

double half_of(Characteristic c, const WarpArea& outline, const HalfWidth& half) {
  if (c == Characteristic::bow) return bow_half_percent(outline, half);
  if (c == Characteristic::twist) return twist_half_percent(outline, half);
  if (c == Characteristic::convexity) return convexity_half_um(outline, half);
  return peak_half_um(outline, half);
}

/// The places that a characteristic of an area evaluates.
std::vector<Eigen::Vector2d> places_of(Characteristic c, const WarpArea& area) {
  const auto corner = corners_mm(area);
  std::vector<Eigen::Vector2d> places(corner.begin(), corner.end());
  if (c == Characteristic::convexity) places.push_back(area.centre_mm);
  if (c == Characteristic::twist || c == Characteristic::convexity) return places;
  return places_mm(area, c == Characteristic::bow);
}

/// Radius around a characteristic's places within which bare board is compared with the surface.
double reach_of(const Recipe& recipe, Characteristic c, const WarpArea& area) {
  if (c == Characteristic::twist || c == Characteristic::convexity) return recipe.warp->patch_mm / 2;
  return between_places_mm(area, c == Characteristic::bow);
}

HalfWidth seen_off(const BoardWarp& warp, double reach_mm) {
  return [&warp, reach_mm](const Eigen::Vector2d& at) {
    const auto off = warp.bare.farthest(at, reach_mm);
    return off ? std::abs(off->um) : 0;
  };
}

/// Names the place where bare board contradicts the surface if that is most of the uncertainty: the value is
/// then INVALID because of a gap between knots.
void name_off(CheckVerdict& v, const WarpOffEvidence& off, double u_off) {
  if (2 * u_off * u_off < v.u * v.u) return;
  const std::string place =
      fmt::format("bare board at [{:.2f}, {:.2f}] mm lies {:.0f} um off the surface through the knots",
                  off.at_mm[0], off.at_mm[1], off.um);
  if (v.reason != Reason::uncertainty) {
    v.detail += fmt::format("{}{}", v.detail.empty() ? "" : "; ", place);
    return;
  }
  v.reason = Reason::warp_gap;
  v.detail = fmt::format(
      "{}: {}; add a knot there ([[warp.bare]]), or exclude what stands on the board ([[exclusion]])", place,
      v.detail);
}

/// Why a characteristic of an area can't be evaluated.
std::pair<Reason, std::string> refusal_of(const Recipe& recipe, const BoardWarp& warp, const WarpArea& area,
                                          Characteristic c) {
  if (warp.reason != Reason::none) return {warp.reason, warp.detail};
  const auto corner = corners_mm(area);
  std::string why = warp.beyond({corner.begin(), corner.end()});
  if (!why.empty()) return {Reason::warp_hull, why};
  why = too_far(recipe, warp.largest_gap(places_of(c, area)));
  return {why.empty() ? Reason::none : Reason::warp_gap, why};
}

std::string shape_of(const ThinPlate& surface, const WarpArea& outline) {
  const WarpValue c = convexity_um(surface, outline);
  if (std::abs(c.value) <= 2 * std::hypot(c.u, c.between / std::sqrt(3.0))) return "not told";
  return c.value > 0 ? "convex" : "concave";
}

WarpEvidence evidence_of(const Recipe& recipe, const BoardWarp& warp, bool outline_seen) {
  const BoardRect outline = warp_outline(recipe);
  WarpEvidence e;
  e.outline_mm = {outline.size_mm.x(), outline.size_mm.y()};
  e.refused = warp.refused;
  for (std::size_t i = 0; i < warp.knots.size(); ++i) {
    const WarpKnot& k = warp.knots[i];
    e.knots.push_back({k.name, k.at_mm.x(), k.at_mm.y(), k.z_um, k.u_um, std::nan("")});
    if (warp.surface) e.knots.back().left_out_um = warp.surface->leave_one_out_um()[i];
  }
  if (!warp.seen.empty()) e.largest_gap = warp.largest_gap(places_mm(area_of(outline), false));
  for (const Eigen::Vector2d& p : warp.hull) e.hull_mm.push_back({p.x(), p.y()});
  if (!warp.surface) return e;
  e.farthest_off = warp.bare.farthest();
  const WarpHealth& h = warp.surface->health();
  if (outline_seen) e.shape = shape_of(*warp.surface, area_of(outline));
  e.lambda = h.lambda;
  e.leave_one_out_um = h.leave_one_out_um;
  e.roughness_um = h.roughness_um;
  e.condition = h.condition;
  e.growth = h.growth;
  e.backward_error = h.backward_error;
  return e;
}

}  // namespace

std::string BoardWarp::beyond(const std::vector<Eigen::Vector2d>& places_mm) const {
  double farthest = slack_mm;
  Eigen::Vector2d at;
  for (const Eigen::Vector2d& p : places_mm) {
    const double out = beyond_hull_mm(hull, p);
    if (out > farthest) {
      farthest = out;
      at = p;
    }
  }
  if (!(farthest > slack_mm)) return "";
  return fmt::format(
      "[{:.2f}, {:.2f}] mm lies {:.2f} mm beyond the places where the board was seen; look at bare board "
      "there "
      "([[warp.bare]])",
      at.x(), at.y(), farthest);
}

FloorSettings patch_gates(const FloorSettings& floor, const Site& patch) {
  FloorSettings gates = floor;
  gates.min_side_pixels = std::max(1, static_cast<int>(patch.ring_pixels / (2 * ring_sides)));
  return gates;
}

WarpKnot floor_knot(const std::string& name, const Htm<Board, Sensor>& board_from_sensor, const Site& site,
                    const Floor& floor) {
  const FloorEvidence& e = floor.evidence;
  const Eigen::Vector2d way_um = site.body_mm * 1e3;
  const Eigen::Vector2d at = site.centre_mm + site.body_mm;
  const double z_um = e.c_um + e.a * way_um.x() + e.b * way_um.y() + e.form_um;
  const Eigen::Vector3d p = board_from_sensor * Eigen::Vector3d(at.x(), at.y(), z_um * 1e-3);
  return {p.head<2>(), p.z() * 1e3, e.u_form_um > 0 ? e.u_form_um : floor.u_um, name};
}

BoardWarp warp_of(const Recipe& recipe, const std::vector<SitesFloors>& shown, const SnapshotSteps& steps,
                  unsigned threads, SystemInverter& inverter) {
  BoardWarp warp;
  warp.u_steps_um = steps.u_um;
  std::vector<Eigen::Vector2d> seen;
  std::vector<double> noise_um;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Component& component = site_component(recipe, i);
    const SitesFloors& in = shown[i];
    if (!in.sites || (*in.sites)[i].reason != Reason::none || (*in.floors)[i].reason != Reason::none) {
      ++warp.refused;
      continue;
    }
    const Floor& floor = (*in.floors)[i];
    warp.knots.push_back(floor_knot(component.reference, *in.board_from_sensor, (*in.sites)[i], floor));
    seen.push_back(warp.knots.back().at_mm);
    noise_um.push_back(floor.noise_um);
    if (floor.correlation.sum > warp.correlation.sum) warp.correlation = floor.correlation;
    if (i < recipe.components.size()) {
      warp.seen.push_back(ring_area(recipe, component, false));
      continue;
    }
    const double side_mm = recipe.warp->patch_mm;
    const BoardRect patch{component.body.centre_mm, {side_mm, side_mm}, component.body.rotation_deg};
    for (const Eigen::Vector2d& corner : corners_mm(patch)) seen.push_back(corner);
    warp.seen.push_back(area_of(patch));
  }
  warp.hull = convex_hull(seen);
  if (!noise_um.empty()) {
    const auto middle = noise_um.begin() + static_cast<std::ptrdiff_t>(noise_um.size() / 2);
    std::nth_element(noise_um.begin(), middle, noise_um.end());
    warp.noise_um = *middle;
  }
  if (!steps.contradict.empty()) {
    warp.reason = Reason::snapshots;
    warp.detail = steps.contradict;
    return warp;
  }
  if (warp.knots.size() < static_cast<std::size_t>(recipe.warp->min_knots)) {
    warp.reason = Reason::warp_model;
    warp.detail = fmt::format(
        "the board was seen in {} places, at least {} are demanded; {} rings and patches have no floor",
        warp.knots.size(), recipe.warp->min_knots, warp.refused);
    return warp;
  }
  try {
    warp.surface.emplace(warp.knots, tolerance_um(recipe), std::nullopt, threads, &inverter);
  } catch (const WarpRefused& e) {
    warp.reason = Reason::warp_model;
    warp.detail = e.what();
  }
  return warp;
}

void look_beside_knots(BoardWarp& warp, const BareView& look, unsigned threads) {
  if (!warp.surface) return;
  const Recipe& recipe = look.recipe;
  const WarpArea outline = area_of(warp_outline(recipe));
  std::vector<LookedAt> places;
  for (const Check& check : recipe.warp->row.checks)
    for (const Eigen::Vector2d& at : places_of(check.characteristic, outline))
      places.emplace_back(at, reach_of(recipe, check.characteristic, outline));
  for (const Component& c : recipe.components)
    if (c.warp_fallback)
      for (const Eigen::Vector2d& at : floor_places_mm(ring_area(recipe, c, true), c.body.centre_mm))
        places.emplace_back(at, 0);
  warp.bare.add(BareBoard(look, *warp.surface, places, {warp.noise_um, warp.correlation.sum}, threads));
}

ComponentVerdict judge_warp(const Recipe& recipe, const SensorProfile& sensor, const BoardWarp& warp) {
  const Component& row = recipe.warp->row;
  const WarpArea outline = area_of(warp_outline(recipe));
  ComponentVerdict c;
  c.reference = row.reference;
  c.package = row.package;
  c.warp = evidence_of(recipe, warp,
                       refusal_of(recipe, warp, outline, Characteristic::convexity).first == Reason::none);
  for (const Check& check : row.checks) {
    CheckVerdict& v = c.checks.emplace_back();
    v.check = check;
    std::tie(v.reason, v.detail) = refusal_of(recipe, warp, outline, check.characteristic);
    if (v.reason != Reason::none) continue;
    const WarpValue value = value_of(check.characteristic, *warp.surface, outline);
    v.value = value.value;
    const double hidden = half_of(check.characteristic, outline, hidden_um(recipe, warp));
    const double reach_mm = reach_of(recipe, check.characteristic, outline);
    const double off = half_of(check.characteristic, outline, seen_off(warp, reach_mm));
    v.budget = warp_budget(value, hidden, off, recipe, sensor);
    add_margin(v, recipe);
    add_steps(v, half_of(check.characteristic, outline, steps_um(warp)));
    v.u = combined(v.budget);
    decide(v, recipe.rule, recipe.rule_confidence);
    if (off > 0) name_off(v, *farthest_off(warp, places_of(check.characteristic, outline), reach_mm), off);
  }
  c.decision = worst_of(c.checks);
  return c;
}

CheckVerdict board_flatness(const Check& check, const Recipe& recipe, const SensorProfile& sensor,
                            const Component& component, const BoardWarp& warp) {
  CheckVerdict v;
  v.check = check;
  const WarpArea area = area_of(component.body);
  std::tie(v.reason, v.detail) = refusal_of(recipe, warp, area, check.characteristic);
  if (v.reason != Reason::none) return v;
  constexpr int steps =
      8;  // between few knots a footprint is nearly quadratic: highest in a corner or in its middle
  const WarpValue value = peak_to_valley_um(*warp.surface, area, steps);
  v.value = value.value;
  v.budget = warp_budget(value, peak_half_um(area, hidden_um(recipe, warp)), 0, recipe, sensor);
  add_steps(v, peak_half_um(area, steps_um(warp)));
  v.u = combined(v.budget);
  return v;
}

}  // namespace datum
