#include "daemon/inspection/surface/surface_model.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "daemon/inspection/surface/surface_rays.h"
#include "drivers/model/model_file.h"

namespace datum {
namespace {

using Vector = Eigen::Vector3d;

/// Of the lists of neighbours of one cover's patches; a model of a million facets and a reach of some facets takes half.
constexpr std::size_t most_neighbour_bytes = std::size_t{256} << 20;
/// Of the last part's rays; a snapshot of a model of a million facets takes a quarter.
constexpr std::size_t most_ray_bytes = std::size_t{256} << 20;

Vector vector_of(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

[[noreturn]] void refuse(const SurfaceModel& model, const std::string& what) {
  throw ModelError(model.name + ": " + what);
}

/// Six times the enclosed volume, mm^3; for a closed surface its sign is that of the normals.
double volume_mm3(const RawModel& raw) {
  double sum = 0;
  const Vector middle = vector_of(raw.vertices.front());
  for (const auto& f : raw.facets) {
    const Vector a = vector_of(raw.vertices[f[0]]) - middle, b = vector_of(raw.vertices[f[1]]) - middle,
                 c = vector_of(raw.vertices[f[2]]) - middle;
    sum += a.dot(b.cross(c));
  }
  return sum / 6;
}

void measure_box(SurfaceModel& model, const RawModel& raw) {
  model.low_mm = model.high_mm = vector_of(raw.vertices[raw.facets.front()[0]]);
  for (const auto& f : raw.facets)
    for (const std::uint32_t k : f) {
      model.low_mm = model.low_mm.cwiseMin(vector_of(raw.vertices[k]));
      model.high_mm = model.high_mm.cwiseMax(vector_of(raw.vertices[k]));
    }
}

/// A unit wrong by 25.4 or 1000 is far outside any tolerance of a size.
void check_size(const SurfaceModel& model, const SurfaceModelSettings& settings) {
  const Vector size = model.high_mm - model.low_mm;
  if (((size - settings.size_mm).array().abs() <= settings.size_tolerance_mm).all()) return;
  refuse(model,
         fmt::format("is {:.6g} x {:.6g} x {:.6g} mm, the recipe says {:.6g} x {:.6g} x {:.6g} mm; check "
                     "model.unit and model.size_mm",
                     size.x(), size.y(), size.z(), settings.size_mm.x(), settings.size_mm.y(),
                     settings.size_mm.z()));
}

void check_sides(const SurfaceModel& model, const RawModel& raw) {
  const ModelFaults& faults = model.triangles->faults;
  if (faults.turned_edges > 0)
    refuse(
        model,
        fmt::format("at {} edges one of two facets is turned inside out; deviations would have either sign: "
                    "orient its normals and export it again",
                    faults.turned_edges));
  if (faults.open_edges == 0 && !(volume_mm3(raw) > 0))
    refuse(model, "is inside out: its facets' corners count clockwise seen from outside; flip its normals");
  if (faults.open_edges > 0 && model.contradicted_normals > 0)
    refuse(model,
           fmt::format(
               "is open and {} of its facets' normals contradict their corners: which side is outside is "
               "not known; export it again",
               model.contradicted_normals));
}

bool is_listed(const RegionDemand& region, std::uint32_t facet) {
  if (region.facets.empty()) return true;
  for (const auto& [first, last] : region.facets)
    if (facet >= first && facet <= last) return true;
  return false;
}

enum class Within { no, partly, yes };

class RegionFinder {
 public:
  RegionFinder(const SurfaceModel& model) : model_(model), origin_(vector_of(model.triangles->origin)) {
    // Corners are rounded to single precision; a box that ends on a face must contain it.
    slack_mm_ = 1e-6 + 4 * model.rounding_mm;
  }

  Within within(const RegionDemand& region, std::size_t facet) const {
    const TriangleModel& t = *model_.triangles;
    if (!is_listed(region, t.facet[facet])) return Within::no;
    if (region.normal) {
      const auto& n = t.normal[facet][0];
      const double cosine = Vector(n[0], n[1], n[2]).dot(*region.normal);
      const double angle_deg = std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / M_PI;
      if (angle_deg < region.min_angle_deg || angle_deg > region.max_angle_deg) return Within::no;
    }
    int inside = 0;
    for (const auto& c : t.corner[facet]) inside += holds(region, origin_ + Vector(c[0], c[1], c[2]));
    return inside == 0 ? Within::no : inside == 3 ? Within::yes : Within::partly;
  }

 private:
  bool holds(const RegionDemand& region, const Vector& p) const {
    return (!region.low_mm || (p.array() >= region.low_mm->array() - slack_mm_).all()) &&
           (!region.high_mm || (p.array() <= region.high_mm->array() + slack_mm_).all());
  }

  const SurfaceModel& model_;
  Vector origin_;
  double slack_mm_;
};

void give_to_regions(SurfaceModel& model, const std::vector<RegionDemand>& regions) {
  const RegionFinder finder(model);
  model.region_of_facet.assign(model.triangles->corner.size(), no_region);
  for (std::size_t r = 0; r < regions.size(); ++r) {
    std::size_t cut = 0, held = 0;
    for (std::size_t i = 0; i < model.region_of_facet.size(); ++i) {
      const Within within = finder.within(regions[r], i);
      cut += within == Within::partly;
      if (within != Within::yes) continue;
      ++held;
      std::uint16_t& of = model.region_of_facet[i];
      if (of != no_region)
        refuse(
            model,
            fmt::format("facet {} lies in the regions {} and {}; a place has one tolerance: make them apart",
                        model.triangles->facet[i], regions[of].name, regions[r].name));
      of = static_cast<std::uint16_t>(r);
    }
    if (cut > 0)
      refuse(model,
             fmt::format(
                 "the box of region {} cuts through {} facets; move its low_mm or high_mm to where facets "
                 "end, or name them by facets",
                 regions[r].name, cut));
    if (held == 0)
      refuse(model, fmt::format("region {} has no facet; check its box, normal and facets", regions[r].name));
  }
}

/// The tolerance of deviations from a region's checks, mm, for pictures and statistics.
SurfaceRegion toleranced(const RegionDemand& region, const std::vector<Check>& checks) {
  constexpr double any = std::numeric_limits<double>::infinity();
  SurfaceRegion r{region.name, -any, any};
  for (const Check& c : checks) {
    if (c.characteristic == Characteristic::profile && c.upper) {
      r.upper_mm = std::min(r.upper_mm, *c.upper / 2000);
      r.lower_mm = std::max(r.lower_mm, -*c.upper / 2000);
    }
    if (c.characteristic == Characteristic::deviation_maximum && c.upper)
      r.upper_mm = std::min(r.upper_mm, *c.upper / 1000);
    if (c.characteristic == Characteristic::deviation_minimum && c.lower)
      r.lower_mm = std::max(r.lower_mm, *c.lower / 1000);
  }
  return r;
}

std::shared_ptr<const FacetPieces> pieces_of(const SurfaceModel& model, const FacetMapSettings& settings,
                                             double edge_deg) {
  try {
    return facet_pieces(*model.triangles, settings.longest_mm,
                        {model.region_of_facet, model.regions.size(), edge_deg});
  } catch (const std::invalid_argument& e) {
    refuse(model, fmt::format("{} (facet_map.longest_mm)", e.what()));
  }
}

/// Of the covers that each part wants. A reach that cuts the model too fine has none: the first cover says so.
void make_patches(SurfaceModel& model, const SurfaceRecipe& recipe, unsigned threads) {
  SurfaceMap map;
  map.model = model.triangles;
  map.regions = model.regions;
  map.region_of_facet = model.region_of_facet;
  const std::vector<double> reaches = reaches_of(recipe);
  auto areas = std::make_shared<AreaModel>();
  areas->triangles = model.triangles;
  areas->region = model.region_of_facet;
  for (const double reach_mm : reaches) try {
      auto patches = std::make_shared<SurfacePatches>(map, reach_mm);
      patches->list_neighbours(most_neighbour_bytes, threads);
      if (patches->is_listed()) areas->reaches.emplace_back(patches, &patches->lists());
      model.patches.emplace(reach_mm, std::move(patches));
    } catch (const std::invalid_argument&) {
    }
  if (areas->reaches.size() == reaches.size() && reaches.size() <= most_reaches)
    model.areas = std::move(areas);
}

}  // namespace

std::size_t SurfaceModel::bytes() const {
  // corners, normals and cosines of a facet; the search keeps half as much again
  constexpr std::size_t of_facet = (9 + 21 + 6 + 1) * sizeof(float), of_search = 112;
  std::size_t sum = triangles->corner.size() * (of_facet + of_search + sizeof region_of_facet[0] +
                                                sizeof sides[0] + sizeof shapes[0].facets[0]);
  for (const auto& [reach_mm, kept] : patches) sum += kept->bytes();
  if (pieces)
    sum += pieces->model->corner.size() * (of_facet + sizeof(ModelFacet) + 2 * sizeof(std::uint32_t) +
                                           sizeof(std::int64_t) + sizeof(std::uint16_t));
  return sum;
}

std::vector<double> reaches_of(const SurfaceRecipe& recipe) {
  std::vector<double> reaches{recipe.settings.reach_mm};
  for (const RegionDemand& region : recipe.regions)
    if (std::find(reaches.begin(), reaches.end(), region.max_gap_mm) == reaches.end())
      reaches.push_back(region.max_gap_mm);
  return reaches;
}

SurfaceModel load_surface_model(const Recipe& recipe, unsigned threads, const ModelParser* parser) {
  const SurfaceRecipe& surface = *recipe.surface;
  ModelFile file = read_model(surface.model.folder, surface.model.file, surface.model.mm_per_unit,
                              surface.model.sha256, parser);
  SurfaceModel model;
  model.name = file.name;
  model.sha256 = file.sha256;
  model.mm_per_unit = surface.model.mm_per_unit;
  model.facets = file.facets.size();
  model.contradicted_normals = file.contradicted_normals;
  model.rounding_mm = file.rounding_mm;
  const RawModel raw{std::move(file.vertices_mm), std::move(file.facets)};
  measure_box(model, raw);
  check_size(model, surface.model);
  model.triangles = std::make_shared<const TriangleModel>(triangle_model(raw));
  check_sides(model, raw);
  give_to_regions(model, surface.regions);
  for (std::size_t r = 0; r < surface.regions.size(); ++r)
    model.regions.push_back(toleranced(surface.regions[r], recipe.components[r].checks));
  for (std::size_t f = 0; f < model.region_of_facet.size(); ++f)
    model.sides.push_back({model.triangles->normal[f][0], model.region_of_facet[f]});
  model.search = std::make_shared<const ModelSearch>(model.triangles, threads);
  model.shapes = shapes_of(*model.triangles, model.region_of_facet, model.regions.size());
  model.rays = std::make_shared<KeptRays>(most_ray_bytes);
  make_patches(model, surface, threads);
  if (!surface.facet_map) return model;
  model.pieces = pieces_of(model, *surface.facet_map, surface.settings.edge_deg);
  return model;
}

std::shared_ptr<const SurfaceModel> SurfaceModels::of(const Recipe& recipe, unsigned threads) {
  const std::lock_guard lock(mutex_);
  auto found = last_.find(recipe.sha256);
  if (found == last_.end()) {
    auto model = std::make_shared<const SurfaceModel>(load_surface_model(recipe, threads, parser_));
    if (last_.size() >= most)
      last_.erase(std::min_element(last_.begin(), last_.end(), [](const auto& a, const auto& b) {
        return a.second.first < b.second.first;
      }));
    found = last_.emplace(recipe.sha256, std::pair(std::uint64_t{0}, std::move(model))).first;
  }
  found->second.first = ++uses_;
  return found->second.second;
}

}  // namespace datum
