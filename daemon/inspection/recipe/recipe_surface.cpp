#include <algorithm>
#include <cmath>
#include <set>

#include "daemon/inspection/recipe/recipe_file.h"
#include "daemon/inspection/surface/surface_recipe.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {
namespace {

constexpr std::size_t most_masks = 64;

Eigen::Vector3d vector_of(config::TomlTable& table, const char* key, config::Range range = {}) {
  return Eigen::Map<const Eigen::Vector3d>(table.numbers(key, 3, range).data());
}

std::string read_sha256(config::TomlTable& table) {
  std::string text = table.text("sha256");
  const bool good = text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!good)
    table.refuse("sha256", "'" + text + "' is no SHA-256", "64 hex digits, as sha256sum prints them");
  return text;
}

/// The recipe's folder is known only if it is a file.
SurfaceModelSettings read_model_settings(config::TomlTable table, const std::filesystem::path& folder) {
  table.only_keys({"file", "sha256", "unit", "size_mm", "size_tolerance_mm"});
  SurfaceModelSettings m;
  const std::string file = table.text("file");
  if (!stays_below(file))
    table.refuse("file", "'" + file + "' is not below the recipe's folder",
                 "a .stl, .ply or .obj file beside the recipe or in a folder there; bring the model there");
  m.folder = folder;
  m.file = file;
  m.sha256 = read_sha256(table);
  m.mm_per_unit =
      table.choice<double>("unit", {{"mm", 1.0}, {"um", 1e-3}, {"cm", 10.0}, {"m", 1000.0}, {"inch", 25.4}});
  m.size_mm = vector_of(table, "size_mm", {0, config::positive.max});
  m.size_tolerance_mm = table.number("size_tolerance_mm", config::positive);
  table.finish();
  return m;
}

Htm<Machine, Model> read_model_placement(config::TomlTable table, SurfaceRecipe& surface, bool& in_machine) {
  table.only_keys(placement_keys(table, "model", {"u_mm", "u_mrad"}));
  const Htm<Machine, Board> placed = read_placement(table, "model", in_machine);
  surface.uncertainty.placement_mm = table.number_or("u_mm", 0, config::not_negative);
  surface.uncertainty.placement_mrad = table.number_or("u_mrad", 0, config::not_negative);
  table.finish();
  return Htm<Machine, Model>(placed.matrix());
}

std::vector<PartFiles> read_files(config::TomlTable& table) {
  const std::pair<const char*, PartFiles> known[] = {{"points_ply", PartFiles::points_ply},
                                                     {"points_csv", PartFiles::points_csv},
                                                     {"statistics", PartFiles::statistics},
                                                     {"histogram", PartFiles::histogram},
                                                     {"facets", PartFiles::facets}};
  std::vector<PartFiles> files;
  for (const std::string& name : table.texts_or("files", {})) {
    const auto found =
        std::find_if(std::begin(known), std::end(known), [&](const auto& k) { return name == k.first; });
    if (found == std::end(known))
      table.refuse("files", "'" + name + "' is none",
                   "points_ply, points_csv, statistics, histogram, facets");
    if (std::count(files.begin(), files.end(), found->second) > 0)
      table.refuse("files", "'" + name + "' is named twice", "each once");
    files.push_back(found->second);
  }
  return files;
}

SurfaceSettings read_settings(config::TomlTable table) {
  table.only_keys({"search_mm", "reach_mm", "edge_deg", "max_view_deg", "window_px", "view", "files",
                   "correlation_px", "max_noise_sigmas"});
  SurfaceSettings s;
  s.search_mm = table.number("search_mm", config::positive);
  s.reach_mm = table.number("reach_mm", config::positive);
  s.edge_deg = table.number_or("edge_deg", s.edge_deg, {1, 90});
  s.max_view_deg = table.number_or("max_view_deg", s.max_view_deg, {1, 89});
  s.window_px = static_cast<int>(table.integer_or("window_px", s.window_px, 1, 15));
  s.view = table.choice_or<std::string>("view", s.view,
                                        {{"top", "top"},
                                         {"bottom", "bottom"},
                                         {"front", "front"},
                                         {"back", "back"},
                                         {"left", "left"},
                                         {"right", "right"},
                                         {"isometric", "isometric"}});
  s.files = read_files(table);
  s.correlation_px = table.number_or("correlation_px", s.correlation_px, {1, 1000});
  s.max_noise_sigmas = table.number_or("max_noise_sigmas", s.max_noise_sigmas, config::positive);
  table.finish();
  return s;
}

void read_place(config::TomlTable& table, RegionDemand& region) {
  if (table.has("low_mm")) region.low_mm = vector_of(table, "low_mm");
  if (table.has("high_mm")) region.high_mm = vector_of(table, "high_mm");
  if (region.low_mm && region.high_mm && (region.low_mm->array() > region.high_mm->array()).any())
    table.refuse("low_mm", "a coordinate is above high_mm's", "the box's lowest corner");
  if (table.has("normal")) {
    const Eigen::Vector3d normal = vector_of(table, "normal");
    if (!(normal.norm() > 1e-6))
      table.refuse("normal", "has no direction", "x, y and z of the outward direction");
    region.normal = normal.normalized();
    region.min_angle_deg = table.number_or("min_angle_deg", region.min_angle_deg, {0, 179});
    region.max_angle_deg = table.number_or("max_angle_deg", region.max_angle_deg, {0.01, 180});
    if (region.min_angle_deg >= region.max_angle_deg)
      table.refuse("min_angle_deg",
                   config::shown(region.min_angle_deg) + " is not below max_angle_deg (" +
                       config::shown(region.max_angle_deg) + ")",
                   "angles in rising order");
  }
  if (!table.has("facets")) return;
  const std::vector<double> ends = table.numbers_between("facets", 2, 2000, {0, 4294967295.0});
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2)
    region.facets.emplace_back(static_cast<std::uint32_t>(ends[i]), static_cast<std::uint32_t>(ends[i + 1]));
  const bool good = ends.size() % 2 == 0 &&
                    std::all_of(ends.begin(), ends.end(), [](double n) { return n == std::floor(n); }) &&
                    std::all_of(region.facets.begin(), region.facets.end(),
                                [](const auto& r) { return r.first <= r.second; });
  if (!good)
    table.refuse("facets", "are no ranges",
                 "first and last number of each range, counted from 0 in the file's order");
}

/// A check's datum by name; resolved when all regions are known.
struct DatumName {
  std::size_t region, check;
  std::string name;
  config::Location where;
  std::string path;
};

bool needs_datum(Characteristic c) {
  return c == Characteristic::parallelism || c == Characteristic::thickness;
}

void read_region(config::TomlTable& table, Recipe& recipe, SurfaceRecipe& surface,
                 std::vector<DatumName>& datums) {
  table.only_keys({"name", "low_mm", "high_mm", "normal", "min_angle_deg", "max_angle_deg", "facets",
                   "min_coverage", "max_gap_mm", "check"});
  RegionDemand region;
  region.name = read_name(table, "name");
  read_place(table, region);
  region.min_coverage = table.number("min_coverage", {0, 1});
  region.max_gap_mm = table.number("max_gap_mm", config::positive);
  if (region.max_gap_mm < surface.settings.reach_mm)
    table.refuse("max_gap_mm", config::shown(region.max_gap_mm) + " is below surface.reach_mm",
                 "at least " + config::shown(surface.settings.reach_mm));
  Component component;
  component.reference = region.name;
  component.package = surface_package;
  std::vector<config::TomlTable> checks = table.tables("check");
  if (checks.empty()) table.refuse("check", "missing", "at least one [[region.check]]");
  for (config::TomlTable& check : checks) {
    const Demand demand = read_surface_demand(check);
    component.checks.push_back(resolve(demand, std::nullopt, std::nullopt, check));
    region.datum.push_back(surface.regions.size());
    if (needs_datum(demand.characteristic))
      datums.push_back({surface.regions.size(), component.checks.size() - 1, check.text("datum"),
                        check.where("datum"), check.path("datum")});
    check.finish();
  }
  table.finish();
  for (const RegionDemand& other : surface.regions)
    if (other.name == region.name)
      table.refuse("name", "'" + region.name + "' is used twice", "a name of its own for each region");
  surface.regions.push_back(std::move(region));
  recipe.components.push_back(std::move(component));
}

void find_datums(SurfaceRecipe& surface, const std::vector<DatumName>& datums) {
  for (const DatumName& d : datums) {
    const auto found = std::find_if(surface.regions.begin(), surface.regions.end(),
                                    [&](const RegionDemand& r) { return r.name == d.name; });
    const auto index = static_cast<std::size_t>(found - surface.regions.begin());
    if (found == surface.regions.end() || index == d.region)
      throw config::ConfigError(d.where, d.path, "'" + d.name + "' is not another region", "the name of one");
    surface.regions[d.region].datum[d.check] = index;
  }
}

std::size_t region_named(const SurfaceRecipe& surface, const std::string& name) {
  for (std::size_t r = 0; r < surface.regions.size(); ++r)
    if (surface.regions[r].name == name) return r;
  return surface.regions.size();
}

/// The share of a tolerance permitted to a gauge.
double tenth_of_tolerance_um(const Recipe& recipe) {
  double least = std::numeric_limits<double>::infinity();
  for (const Component& c : recipe.components)
    for (const Check& check : c.checks)
      if (std::string_view(unit_of(check.characteristic)) == "um" && tolerance_of(check) > 0)
        least = std::min(least, tolerance_of(check) / 10);
  return least;
}

/// `complete`: all regions were read, so an unknown name is no consequence of another fault.
void read_alignment(config::TomlTable table, const Recipe& recipe, SurfaceRecipe& surface, bool complete) {
  table.only_keys({"datums", "search_mm", "max_datum_pull_um", "refinement"});
  AlignmentDemand demand;
  for (const std::string& name : table.texts("datums")) {
    const std::size_t region = region_named(surface, name);
    if (region == surface.regions.size() && !complete) continue;
    if (region == surface.regions.size())
      table.refuse("datums", "'" + name + "' is no region", "names of regions, the first datum first");
    if (std::count(demand.datums.begin(), demand.datums.end(), region) > 0)
      table.refuse("datums", "'" + name + "' is named twice", "each region once");
    demand.datums.push_back(region);
  }
  if (demand.datums.empty() && complete)
    table.refuse("datums", "name no region", "names of regions, the first datum first");
  demand.search_mm = table.number("search_mm", config::positive);
  demand.max_datum_pull_um =
      table.number_if("max_datum_pull_um", config::positive).value_or(tenth_of_tolerance_um(recipe));
  if (auto refinement = table.table_if("refinement")) {
    refinement->only_keys({"max_shift_mm", "max_turn_mrad"});
    demand.refinement = RefinementDemand{refinement->number("max_shift_mm", config::positive),
                                         refinement->number("max_turn_mrad", config::positive)};
    refinement->finish();
  }
  if (surface.uncertainty.placement_mm > 0 || surface.uncertainty.placement_mrad > 0)
    table.refuse("datums", "replace the placement, which has u_mm or u_mrad",
                 "leave those out: the alignment's own uncertainty counts");
  table.finish();
  surface.alignment = std::move(demand);
}

/// A box's numbers do not state whether it belongs to the fixture or to the part.
MaskOf read_mask_of(config::TomlTable& table, bool in_machine) {
  const std::string fixture = in_machine ? "machine" : "sensor";
  const std::string text = table.text_or("coordinates", "");
  if (text != fixture && text != "model")
    table.refuse("coordinates", text.empty() ? "missing" : "'" + text + "' is none of this recipe's",
                 "\"" + fixture +
                     "\" as of [placement], for what the fixture holds (a clamp), or \"model\", "
                     "for what goes with the part where the alignment finds it (a label)");
  return text == "model" ? MaskOf::part : MaskOf::fixture;
}

void read_mask(config::TomlTable& table, bool in_machine, SurfaceRecipe& surface) {
  table.only_keys({"name", "coordinates", "low_mm", "high_mm"});
  SurfaceMask mask;
  mask.name = read_name(table, "name");
  mask.of = read_mask_of(table, in_machine);
  mask.low_mm = vector_of(table, "low_mm");
  mask.high_mm = vector_of(table, "high_mm");
  if ((mask.low_mm.array() >= mask.high_mm.array()).any())
    table.refuse("low_mm", "a coordinate is not below high_mm's",
                 "the lowest corner of a box that has a volume");
  for (const SurfaceMask& other : surface.masks)
    if (other.name == mask.name)
      table.refuse("name", "'" + mask.name + "' is used twice", "a name of its own for each mask");
  table.finish();
  if (surface.masks.size() == most_masks)
    table.refuse("name", "there are more than " + std::to_string(most_masks) + " masks",
                 "fewer, larger boxes");
  surface.masks.push_back(std::move(mask));
}

}  // namespace

namespace {

/// True: every region was read.
bool read_regions(config::TomlTable& file, Recipe& recipe, SurfaceRecipe& surface, RecipeParts& parts) {
  std::vector<DatumName> datums;
  bool complete = parts.read("region", [&] {
    if (file.tables("region").empty()) file.refuse("region", "missing", "at least one [[region]]");
  });
  if (!complete || !file.has("region")) return false;
  for (config::TomlTable& table : file.tables("region"))
    complete &= parts.problems().attempt([&] { read_region(table, recipe, surface, datums); });
  return complete && parts.problems().attempt([&] { find_datums(surface, datums); });
}

FacetMapSettings read_facet_map(config::TomlTable table) {
  table.only_keys({"longest_mm", "gate_mm", "least_points"});
  FacetMapSettings map{table.number("longest_mm", config::positive),
                       table.number("gate_mm", config::positive),
                       static_cast<std::uint32_t>(table.integer_or("least_points", 3, 1, 1000))};
  table.finish();
  return map;
}

/// What facets are judged by: a map that leaves out nothing that was compared.
void demand_facet_map(const config::TomlTable& file, const Recipe& recipe, const SurfaceRecipe& surface) {
  for (const Component& region : recipe.components)
    for (const Check& check : region.checks) {
      if (!is_of_facets(check.characteristic)) continue;
      const std::string who = region.reference + " has the check " + name_of(check.characteristic);
      if (!surface.facet_map)
        file.refuse("facet_map", "missing, and region " + who, "[facet_map] with longest_mm and gate_mm");
      if (surface.facet_map->gate_mm < surface.settings.search_mm)
        file.refuse("facet_map",
                    "gate_mm = " + config::shown(surface.facet_map->gate_mm) +
                        " is below surface.search_mm = " + config::shown(surface.settings.search_mm) +
                        ", and region " + who + ": points between the two would be left out of it",
                    "a gate_mm of at least search_mm");
      return;
    }
}

void read_surface_uncertainty(config::TomlTable table, SurfaceRecipe& surface) {
  table.only_keys({"reproducibility_um"});
  surface.uncertainty.reproducibility_um = table.number_or("reproducibility_um", 0, config::not_negative);
  table.finish();
}

}  // namespace

void read_surface(config::TomlTable& file, Recipe& recipe, RecipeParts& parts) {
  auto surface = std::make_shared<SurfaceRecipe>();
  const std::filesystem::path folder = std::filesystem::path(file.where().file).parent_path();
  parts.read("model", [&] { surface->model = read_model_settings(file.table("model"), folder); });
  const bool placed = parts.read("placement", [&] {
    surface->machine_from_model =
        read_model_placement(file.table("placement"), *surface, recipe.in_machine_coordinates);
  }) && file.has("placement");
  parts.read("surface", [&] { surface->settings = read_settings(file.table("surface")); });
  parts.read("snapshots", [&] { read_snapshots(file, recipe, placed ? "placement" : nullptr); });
  parts.read("uncertainty", [&] {
    if (auto table = file.table_if("uncertainty")) read_surface_uncertainty(std::move(*table), *surface);
  });
  const bool complete = read_regions(file, recipe, *surface, parts);
  parts.read("hole", [&] {
    if (placed && complete) read_holes(file, recipe, *surface);
  });
  parts.read("mask", [&] {
    for (config::TomlTable& table : file.tables("mask"))
      if (placed)  // names the coordinates that a mask may have
        parts.problems().attempt([&] { read_mask(table, recipe.in_machine_coordinates, *surface); });
  });
  parts.read("alignment", [&] {
    if (auto table = file.table_if("alignment"))
      read_alignment(std::move(*table), recipe, *surface, complete);
  });
  parts.read("facet_map", [&] {
    if (auto table = file.table_if("facet_map")) surface->facet_map = read_facet_map(std::move(*table));
    demand_facet_map(file, recipe, *surface);
    const auto& files = surface->settings.files;
    if (!surface->facet_map && std::count(files.begin(), files.end(), PartFiles::facets) > 0)
      file.refuse("facet_map", "missing, and [surface] files names facets",
                  "[facet_map] with longest_mm and gate_mm");
  });
  recipe.surface = std::move(surface);
}

}  // namespace datum
