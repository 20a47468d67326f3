// Surface recipe: the model of a part, the part's placement, and requirements on its regions.
//
// Model coordinates: mm, converted from the file's unit. Deviations are positive where there is more material
// than in the model.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calib/htm.h"

namespace datum {

struct Model;  // the coordinate system of a part's model

/// The formats do not state their unit, so the recipe does; the size of the model's box reveals a mistake.
struct SurfaceModelSettings {
  std::filesystem::path folder;  // of the recipe
  std::filesystem::path file;    // below it
  std::string sha256;            // of the file, lower-case hex
  double mm_per_unit = 1;
  Eigen::Vector3d size_mm = Eigen::Vector3d::Zero();
  double size_tolerance_mm = 0;
};

/// Selects facets that lie within a box, have a direction, or are listed; an absent criterion does not
/// restrict. A facet belongs to at most one region.
struct RegionDemand {
  std::string name;
  std::optional<Eigen::Vector3d> low_mm, high_mm;
  std::optional<Eigen::Vector3d> normal;         // of length 1, outwards
  double min_angle_deg = 0, max_angle_deg = 20;  // between it and a facet's normal
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      facets;               // first and last, numbered from 0 in the file's order
  double min_coverage = 0;  // least measured share of the region's area
  double max_gap_mm = 0;    // largest distance of a place of the region from the nearest measured one
  /// Datum region of each of its checks; the region itself where there is none.
  std::vector<std::size_t> datum;
};

/// Files written beside a part's picture.
enum class PartFiles : std::uint8_t { points_ply, points_csv, statistics, histogram, facets };

struct SurfaceSettings {
  double search_mm = 0;      // a farther point belongs to no place of the model
  double edge_deg = 30;      // sharper edges have no normal: points there are not compared
  double max_view_deg = 75;  // between a facet's normal and the sensor; steeper facets count as not visible
  int window_px = 3;         // a deviation counts where all of window_px x window_px pixels have it
  double reach_mm = 0;       // a place is covered where a point was measured within this distance
  std::string view = "top";  // direction of its picture
  std::vector<PartFiles> files;
  double correlation_px = 5;  // nearer pixels are not independent
  /// Largest noise of a region about the planes of its tiles, as a multiple of the profile's sigma.
  double max_noise_sigmas = 3;
};

struct SurfaceUncertainty {
  double reproducibility_um = 0;  // standard uncertainty from a repeatability study
  /// Standard uncertainty of the part's place along each axis (placement without alignment).
  double placement_mm = 0;
  double placement_mrad = 0;  // and of its rotation about each
};

/// Largest motion of the part by a fit to all of the alignment's regions, from its pose by datums.
struct RefinementDemand {
  double max_shift_mm = 0, max_turn_mrad = 0;
};

/// Regions that locate a part near its placement.
struct AlignmentDemand {
  std::vector<std::size_t> datums;  // in their order
  double search_mm = 0;             // largest distance of the part from its placement
  /// Largest shift of the part by deviating tiles of a datum. Default in a recipe: a tenth of its narrowest
  /// tolerance in um.
  double max_datum_pull_um = std::numeric_limits<double>::infinity();
  std::optional<RefinementDemand> refinement;  // none: the datums decide
};

/// Settings of the model's subdivided facets with the measurements at each.
struct FacetMapSettings {
  double longest_mm = 0;    // longest edge of a facet
  double gate_mm = 0;       // farther points and surfaces are ignored
  std::uint32_t least = 3;  // fewer points give no data
};

/// Owner of a mask's box: the fixture, in the coordinates of the placement (machine, or sensor), at a fixed
/// place; or the part, in the model's coordinates, at its aligned pose.
enum class MaskOf : std::uint8_t { fixture, part };

/// Object before or on the part that is not judged: a clamp, a pin, a cable; a label, a sprue.
struct SurfaceMask {
  std::string name;
  MaskOf of = MaskOf::fixture;
  Eigen::Vector3d low_mm = Eigen::Vector3d::Zero(), high_mm = Eigen::Vector3d::Zero();
};

/// A hole that is found in a snapshot, then touched by the machine's probe. Model coordinates.
struct HoleDemand {
  std::string name;
  std::size_t snapshot = 0;                             // that shows it, from 0
  Eigen::Vector3d center_mm = Eigen::Vector3d::Zero();  // on the surface; the hole's axis is the model's z
  double diameter_mm = 0;
  double search_mm = 0;           // largest distance of the scanned centre from its place
  double diameter_search_mm = 0;  // largest deviation of the scanned diameter
};

/// How the probe gets from hole to hole.
struct TouchingDemand {
  double travel_z_mm = 0;  // the tip is free everywhere above this height; machine coordinates, of its centre
  int timeout_ms = 0;      // from the last snapshot to the trigger that lets the probe move
};

struct SurfaceRecipe {
  SurfaceModelSettings model;
  Htm<Machine, Model> machine_from_model;  // Machine means Sensor where the recipe is in sensor coordinates
  SurfaceSettings settings;
  SurfaceUncertainty uncertainty;
  std::optional<AlignmentDemand> alignment;  // none: the placement is used
  std::optional<FacetMapSettings> facet_map;
  std::vector<SurfaceMask> masks;
  std::vector<RegionDemand> regions;  // region i is component i of the recipe
  std::vector<HoleDemand> holes;      // hole k is component regions.size() + k
  TouchingDemand touching;            // of the holes
};

}  // namespace datum
