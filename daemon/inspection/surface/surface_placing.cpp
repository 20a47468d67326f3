#include "daemon/inspection/surface/surface_placing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/inspection/surface/surface_alignment.h"

namespace datum {
namespace {

AlignmentStep evidence_of(const FitStep& fit, const std::string& region) {
  AlignmentStep step;
  step.region = region;
  step.points = fit.samples;
  step.tiles = fit.groups;
  step.directions = static_cast<std::uint64_t>(fit.told);
  step.iterations = static_cast<std::uint64_t>(fit.iterations);
  step.rms_before_um = 1000 * fit.rms_before_mm;
  step.rms_after_um = 1000 * fit.rms_after_mm;
  step.condition = fit.condition;
  if (fit.off.groups > 0) {
    step.off_um = 1000 * fit.off.largest_mm;
    step.off_pull_um = 1000 * fit.off.pull_mm;
  }
  return step;
}

/// "datum 2: ..." with the region's name.
std::string named(std::string refusal, const std::vector<AlignmentStep>& datums) {
  for (std::size_t k = 0; k < datums.size(); ++k) {
    const std::string number = "datum " + std::to_string(k + 1);
    if (refusal.rfind(number, 0) == 0)
      return number + " (region " + datums[k].region + ")" + refusal.substr(number.size());
  }
  return refusal;
}

/// The first datum whose deviating tiles shift the part too much; empty: none.
std::string off_refusal(const std::vector<FitStep>& steps, double max_pull_um) {
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const OffDatum& off = steps[k].off;
    if (!(1000 * off.pull_mm > max_pull_um)) continue;
    return fmt::format(
        "datum {}: {} of its {} tiles stand off it, the farthest by {:+.1f} um about ({:.2f}, {:.2f}, "
        "{:.2f}) mm of "
        "the model, and move the part by {:.2f} um; alignment.max_datum_pull_um allows {:.3g} um; look there "
        "for a "
        "burr or dirt and remove it, or name another datum",
        k + 1, off.groups, steps[k].groups, 1000 * off.largest_mm, off.at_mm.x(), off.at_mm.y(),
        off.at_mm.z(), 1000 * off.pull_mm, max_pull_um);
  }
  return {};
}

void hold(PlacedPart& part, const HtmEstimate<Model, Machine>& pose) {
  part.machine_from_model = pose.htm.inverse();
  part.alignment = pose.covariance;
  Eigen::Map<Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(part.evidence->covariance.data()) =
      pose.covariance;
}

}  // namespace

PlacedPart place_part(const SurfaceRecipe& recipe, const SurfaceModel& model,
                      std::span<const HeightFrame* const> frames,
                      std::span<const HtmEstimate<Machine, Sensor>> machine_from_sensor,
                      const Backend& backend) {
  PlacedPart part{recipe.machine_from_model, std::nullopt, std::nullopt, {}};
  if (!recipe.alignment) return part;
  const AlignmentDemand& demand = *recipe.alignment;
  std::vector<PlacedFrame> placed;
  for (std::size_t i = 0; i < frames.size(); ++i)
    placed.push_back(
        {frames[i], machine_from_sensor.empty() ? Htm<Machine, Sensor>() : machine_from_sensor[i].htm});
  const RegionModel regions{model.triangles, model.search.get(), model.region_of_facet};
  const std::vector<std::uint16_t> datums(demand.datums.begin(), demand.datums.end());
  AlignmentSettings settings;
  settings.search_mm = demand.search_mm;
  const ModelFit fit = align_to_datums(regions, placed, datums, recipe.machine_from_model, settings, backend);
  part.evidence.emplace();
  for (std::size_t k = 0; k < fit.steps.size(); ++k)
    part.evidence->datums.push_back(evidence_of(fit.steps[k], model.regions[datums[k]].name));
  part.evidence->shift_mm = fit.shift_mm;
  part.evidence->turn_mrad = 1000 * fit.turn_rad;
  part.refusal = named(fit.refusal.empty() ? off_refusal(fit.steps, demand.max_datum_pull_um) : fit.refusal,
                       part.evidence->datums);
  if (!part.refusal.empty()) return part;
  hold(part, fit.model_from_machine);
  if (!demand.refinement) return part;
  const RefinementLimits limits{demand.refinement->max_shift_mm, demand.refinement->max_turn_mrad / 1000};
  const ModelFit refined =
      refine_on_regions(regions, placed, datums, fit.model_from_machine, limits, settings, backend);
  part.evidence->refinement = evidence_of(refined.steps[0], "");
  part.evidence->refinement_shift_um = 1000 * refined.shift_mm;
  part.evidence->refinement_turn_urad = 1e6 * refined.turn_rad;
  part.evidence->untold = refined.untold;
  part.refusal = refined.refusal;
  if (part.refusal.empty()) hold(part, refined.model_from_machine);
  return part;
}

double edge_zone_mm(const SurfaceShot& shot, const PlacedPart& part,
                    const HtmEstimate<Machine, Sensor>* station, const SurfaceModel& model,
                    const SurfaceUncertainty& uncertainty) {
  const Htm<Model, Machine> model_from_machine = part.machine_from_model.inverse();
  const Eigen::Matrix3d to_sensor = shot.model_from_sensor.rotation().transpose();
  double largest_mm2 = 0;
  for (int k = 0; k < 8; ++k) {
    const Eigen::Vector3d corner((k & 1 ? model.high_mm : model.low_mm).x(),
                                 (k & 2 ? model.high_mm : model.low_mm).y(),
                                 (k & 4 ? model.high_mm : model.low_mm).z());
    Eigen::Matrix3d c = Eigen::Matrix3d::Zero();  // model axes
    if (part.alignment) {
      c = point_covariance(HtmEstimate<Model, Machine>{model_from_machine, *part.alignment},
                           part.machine_from_model * corner);
    } else {
      const double turned_mm = uncertainty.placement_mrad * 1e-3 * corner.norm();
      c.diagonal().array() += uncertainty.placement_mm * uncertainty.placement_mm + turned_mm * turned_mm;
    }
    if (station) {
      const Eigen::Matrix3d r = model_from_machine.rotation();
      c += r * point_covariance(*station, shot.model_from_sensor.inverse() * corner) * r.transpose();
    }
    const Eigen::Matrix2d across = (to_sensor * c * to_sensor.transpose()).topLeftCorner<2, 2>();
    // the larger of its two eigenvalues
    const double mean = across.trace() / 2, half = (across(0, 0) - across(1, 1)) / 2;
    largest_mm2 = std::max(largest_mm2, mean + std::hypot(half, across(0, 1)));
  }
  return std::max(shot.frame->x.scale_mm, shot.frame->y.scale_mm) / 2 + 2 * std::sqrt(largest_mm2);
}

}  // namespace datum
