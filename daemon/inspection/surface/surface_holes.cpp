#include "daemon/inspection/surface/surface_holes.h"

#include <algorithm>
#include <cmath>

#include "daemon/inspection/verdict/decision.h"
#include "daemon/inspection/verdict/uncertainty.h"

namespace datum {
namespace {

using Covariance = Eigen::Matrix3d;  // mm^2, along the model's axes

Covariance in_model(const Eigen::Matrix3d& in_machine, const SurfaceSources& s) {
  const Eigen::Matrix3d r = s.machine_from_model.rotation().transpose();
  return r * in_machine * r.transpose();
}

Covariance touches(const HoleEvidence& e, const SurfaceSources& s) {
  const Eigen::Vector3d u(e.u_mm[0], e.u_mm[1], 0);
  return in_model(u.cwiseAbs2().asDiagonal(), s);
}

/// Of the tip's place: squareness and scales over the way from where the stage was calibrated, and its reading.
Covariance machine(const Eigen::Vector3d& at_mm, const SurfaceSources& s) {
  const Eigen::Vector3d q_mm = s.calibration->stage.a.inverse() * at_mm;
  return in_model(motion_covariance(s.calibration->stage, s.calibration->stage_u, q_mm), s);
}

Covariance placement(const Eigen::Vector3d& at_mm, const Eigen::Vector3d& model_mm, const SurfaceSources& s) {
  if (s.alignment)
    return point_covariance(HtmEstimate<Model, Machine>{s.machine_from_model.inverse(), *s.alignment}, at_mm);
  const double turned_mm = s.recipe.uncertainty.placement_mrad * 1e-3 * model_mm.norm();
  return (std::pow(s.recipe.uncertainty.placement_mm, 2) + std::pow(turned_mm, 2)) * Covariance::Identity();
}

/// Where scanned datums lie beside touched holes; without datums the scan's place does not enter.
Covariance calibration(std::size_t snapshot, const Eigen::Vector3d& at_mm, const SurfaceSources& s) {
  if (!s.alignment) return Covariance::Zero();
  const HtmEstimate<Machine, Sensor>& station = s.machine_from_sensor[snapshot];
  return in_model(point_covariance(station, station.htm.inverse() * at_mm), s);
}

struct HoleValue {
  double value = 0;
  std::vector<UncertaintyTerm> budget;
};

/// u in um of a value that is `factor` times the centre's offset along an axis of the model, or along the worse of both.
std::vector<UncertaintyTerm> place_budget(const HoleDemand& demand, const HoleEvidence& e, int axis,
                                          double factor, const SurfaceSources& s) {
  const Eigen::Vector3d at_mm(e.center_mm.data());
  const Eigen::Vector3d model_mm = s.machine_from_model.inverse() * at_mm;
  const auto u_um = [&](const Covariance& c) {
    const double worst = axis < 0 ? std::max(c(0, 0), c(1, 1)) : c(axis, axis);
    return factor * 1000 * std::sqrt(std::max(0.0, worst));
  };
  return {{"touches", u_um(touches(e, s))},
          {"machine", u_um(machine(at_mm, s))},
          {"placement", u_um(placement(at_mm, model_mm, s))},
          {"calibration", u_um(calibration(demand.snapshot, at_mm, s))},
          {"reproducibility", s.recipe.uncertainty.reproducibility_um}};
}

HoleValue value_of(const Check& check, const HoleDemand& demand, const HoleEvidence& e,
                   const SurfaceSources& s) {
  const Eigen::Vector3d off_mm =
      s.machine_from_model.inverse() * Eigen::Vector3d(e.center_mm.data()) - demand.center_mm;
  switch (check.characteristic) {
    case Characteristic::position_x:
      return {1000 * off_mm.x(), place_budget(demand, e, 0, 1, s)};
    case Characteristic::position_y:
      return {1000 * off_mm.y(), place_budget(demand, e, 1, 1, s)};
    case Characteristic::true_position:
      return {2000 * off_mm.head<2>().norm(), place_budget(demand, e, -1, 2, s)};
    default:
      break;
  }
  const double scale = s.calibration->stage_u.scale_ppm.head<2>().maxCoeff() * 1e-6;
  return {2000 * e.radius_mm,
          {{"touches", 2000 * e.u_mm[2]},
           {"machine", 2000 * e.radius_mm * scale},
           {"reproducibility", s.recipe.uncertainty.reproducibility_um}}};
}

}  // namespace

ComponentVerdict judge_hole(const Recipe& recipe, std::size_t hole, std::span<const HoleEvidence> touched,
                            const SurfaceSources& sources) {
  const HoleDemand& demand = recipe.surface->holes[hole];
  const Component& component = recipe.components[recipe.surface->regions.size() + hole];
  ComponentVerdict row;
  row.reference = component.reference;
  row.package = component.package;
  HoleEvidence& e = row.hole.emplace();
  if (hole < touched.size()) {
    e = touched[hole];
  } else {
    e.state = "NOT TOUCHED";
    e.reason = Reason::hole_touch;
    e.detail = "nothing was touched: holes are touched by a cell with [holes] and [cmm], after the snapshots";
  }
  for (const Check& check : component.checks) {
    CheckVerdict& v = row.checks.emplace_back();
    v.check = check;
    v.reason = e.reason;
    v.detail = e.detail;
    if (v.reason != Reason::none) continue;
    HoleValue value = value_of(check, demand, e, sources);
    v.value = value.value;
    v.budget = std::move(value.budget);
    v.u = combined(v.budget);
    decide(v, recipe.rule, recipe.rule_confidence);
  }
  row.decision = worst_of(row.checks);
  return row;
}

}  // namespace datum
