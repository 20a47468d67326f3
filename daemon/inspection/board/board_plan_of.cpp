#include "daemon/inspection/board/board_plan_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/verdict/characteristic.h"

namespace datum {
namespace {

/// Coordinates from the site's centre and the nominal board there.
SiteGrid grid_of(const HeightFrame& frame, const Site& site) {
  const auto axis = [](double scale_um, double zero_at) {
    // far outside the frame any integer will do: such a site has no pixels
    const double near = std::clamp(zero_at, -0x1p29, 0x1p29);
    return axis_to_um(scale_um, -zero_at * scale_um, near);
  };
  SiteGrid g;
  g.x = axis(frame.x.scale_mm * 1e3, site.centre_px.x());
  g.y = axis(frame.y.scale_mm * 1e3, site.centre_px.y());
  g.z = axis(frame.z.scale_mm * 1e3, (site.reference_z_mm - frame.z.offset_mm) / frame.z.scale_mm);
  return g;
}

template <class From, class To>
std::uint32_t copy_some(const std::vector<From>& from, To* to, int most, const std::string& reference,
                        const char* what) {
  if (from.size() > static_cast<std::size_t>(most))
    throw std::invalid_argument(fmt::format("component {}: {} {} are asked for; at most {} can be measured",
                                            reference, from.size(), what, most));
  std::copy(from.begin(), from.end(), to);
  return static_cast<std::uint32_t>(from.size());
}

void set_demand(const Component& component, SitePlan* plan) {
  const HeightDemand demand = demand_of(component);
  plan->quantile_count =
      copy_some(demand.quantiles, plan->quantiles, max_quantiles, component.reference, "percentiles");
  plan->top_count_count = copy_some(demand.top_counts, plan->top_counts, max_top_counts, component.reference,
                                    "means of the highest");
  plan->present_above_um = demand.present_above_um;
  plan->opened_maximum = demand.opened_maximum;
}

SitePlan plan_of(const Recipe& recipe, const SensorProfile& sensor, const HeightFrame& frame,
                 std::size_t index, const Site& site) {
  SitePlan p;
  p.grid = grid_of(frame, site);
  p.seed = seed_of(recipe, site_component(recipe, index));
  p.half_x = static_cast<float>(site.half_mm.x() * 1e3);
  p.half_y = static_cast<float>(site.half_mm.y() * 1e3);
  const FloorThresholds t = thresholds_of(recipe.floor, sensor, frame, site);
  p.threshold = static_cast<float>(t.consensus_um);
  p.refit_threshold = static_cast<float>(t.refit_um);
  p.sigma_um = t.sigma_um;
  p.quadratic_form = recipe.floor.form == FloorForm::quadratic;
  set_demand(site_component(recipe, index), &p);
  return p;
}

CountType type_of(const Counts& counts) {
  if (std::holds_alternative<std::vector<std::int16_t>>(counts)) return CountType::int16;
  if (std::holds_alternative<std::vector<std::int32_t>>(counts)) return CountType::int32;
  return CountType::float32;
}

}  // namespace

OwnedBoardPlan::OwnedBoardPlan(const Recipe& recipe, const SensorProfile& sensor, const HeightFrame& frame,
                               const std::vector<Site>& sites) {
  std::size_t runs = 0;
  for (const Site& site : sites) runs += site.ring.size() + site.body.size();
  runs_.reserve(runs);
  run_side_.reserve(runs);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Site& site = sites[i];
    SitePlan p = plan_of(recipe, sensor, frame, i, site);
    if (site.reason == Reason::none) {
      p.ring_run = static_cast<std::uint32_t>(runs_.size());
      p.ring_runs = static_cast<std::uint32_t>(site.ring.size());
      p.ring_pixels = site.ring_pixels;
      add_runs(site.ring, site.ring_side);
      p.body_run = static_cast<std::uint32_t>(runs_.size());
      p.body_runs = static_cast<std::uint32_t>(site.body.size());
      p.body_pixels = site.body_pixels;
      add_runs(site.body, std::vector<std::uint8_t>(site.body.size(), 0));
    }
    sites_.push_back(p);
  }
  plan_.rows = frame.rows;
  plan_.cols = frame.cols;
  plan_.type = type_of(frame.counts);
  plan_.mode = recipe.floor.mode;
  plan_.confidence = recipe.floor.confidence;
  plan_.max_hypotheses = PlaneFitSettings{}.max_hypotheses;
}

void OwnedBoardPlan::add_runs(const std::vector<PixelRun>& runs, const std::vector<std::uint8_t>& sides) {
  runs_.insert(runs_.end(), runs.begin(), runs.end());
  run_side_.insert(run_side_.end(), sides.begin(), sides.end());
}

BoardPlan OwnedBoardPlan::plan() const {
  BoardPlan p = plan_;
  p.sites = sites_.data();
  p.site_count = static_cast<std::uint32_t>(sites_.size());
  p.runs = runs_.data();
  p.run_side = run_side_.data();
  p.run_count = static_cast<std::uint32_t>(runs_.size());
  return p;
}

FrameView view_of(const HeightFrame& frame) {
  static_assert(sizeof(PixelClass) == 1 && static_cast<int>(PixelClass::ok) == 0);
  FrameView v;
  v.counts = std::visit([](const auto& counts) -> const void* { return counts.data(); }, frame.counts);
  v.classes = reinterpret_cast<const std::uint8_t*>(frame.classes.data());
  v.pitch = frame.cols;
  v.early = frame.early.taken.get();
  return v;
}

std::uint64_t seed_of(const Recipe& recipe, const Component& component) {
  std::uint64_t hash = 14695981039346656037ull;
  for (char c : recipe.sha256 + "/" + component.reference) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ull;
  }
  return hash;
}

}  // namespace datum
