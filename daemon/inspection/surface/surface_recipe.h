// Surface recipe: which model a part is compared with, where it lies, and what is demanded of its regions.
//
// Model coordinates: mm, as the model's file has them after its unit. Deviations are positive where there is more material
// than the model has.
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

/// None of the formats states its unit, so the recipe does; the size of the model's box shows a mistake.
struct SurfaceModelSettings {
  std::filesystem::path folder;  // of the recipe
  std::filesystem::path file;    // below it
  std::string sha256;            // of the file, lower-case hex
  double mm_per_unit = 1;
  Eigen::Vector3d size_mm = Eigen::Vector3d::Zero();
  double size_tolerance_mm = 0;
};

/// Facets that lie within a box, face a direction, are listed; what is not given restricts nothing. A facet belongs to one
/// region at most.
struct RegionDemand {
  std::string name;
  std::optional<Eigen::Vector3d> low_mm, high_mm;
  std::optional<Eigen::Vector3d> normal;         // of length 1, outwards
  double min_angle_deg = 0, max_angle_deg = 20;  // between it and a facet's own
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      facets;               // first and last, numbered from 0 in the file's order
  double min_coverage = 0;  // share of the region's area that must have been measured
  double max_gap_mm = 0;    // no place of the region may be farther from the nearest measured one
  std::vector<std::size_t>
      datum;  // for each of its checks the region that is its datum; itself where there is none
};

/// Where the stage must stand for a snapshot.
struct SnapshotPose {
  std::string name;
  Eigen::Vector3d position_mm = Eigen::Vector3d::Zero();
  double tolerance_mm = 0;
};

/// What is written beside a part's picture.
enum class PartFiles : std::uint8_t { points_ply, points_csv, statistics, histogram, facets };

struct SurfaceSettings {
  double search_mm = 0;  // a point farther from the model belongs to none of its places
  double edge_deg = 30;  // edges that turn by more have no normal: points there are not compared
  double max_view_deg =
      75;               // between a facet's normal and the sensor: beyond it a facet can't be what was seen
  int window_px = 3;    // a deviation counts where window_px x window_px pixels all have it
  double reach_mm = 0;  // a place is covered where a point was measured not farther from it
  std::string view = "top";  // from where its picture is drawn
  std::vector<PartFiles> files;
  double correlation_px = 5;  // pixels nearer than that are not independent
  double max_noise_sigmas =
      3;  // of a region's pixels about the planes of its tiles, as a multiple of the profile's sigma
};

struct SurfaceUncertainty {
  double reproducibility_um = 0;  // standard uncertainty from a repeatability study
  double placement_mm = 0;        // standard uncertainty of the part's place along each axis
  double placement_mrad = 0;      // and of its turn about each
};

/// How far a fit to all of the alignment's regions may move the part from where its datums put it.
struct RefinementDemand {
  double max_shift_mm = 0, max_turn_mrad = 0;
};

/// By which regions a part is found near its placement.
struct AlignmentDemand {
  std::vector<std::size_t> datums;  // in their order
  double search_mm = 0;             // how far the part may lie from its placement
  /// What stands off a datum may move the part by so much. Left out of a recipe: a tenth of its narrowest tolerance in um.
  double max_datum_pull_um = std::numeric_limits<double>::infinity();
  std::optional<RefinementDemand> refinement;  // none: the datums decide
};

/// The model's facets, cut, each with what was measured at it.
struct FacetMapSettings {
  double longest_mm = 0;    // edge of a facet
  double gate_mm = 0;       // farther points and surfaces belong to no facet
  std::uint32_t least = 3;  // fewer points are no data
};

/// Whose box a mask is: the fixture's, in the coordinates of the placement (machine, or sensor), which stays where it is; or the
/// part's, in the model's coordinates, which lies where the alignment finds the part.
enum class MaskOf : std::uint8_t { fixture, part };

/// What stands before the part when it is measured, or on it, and is not judged: a clamp, a pin, a cable; a label, a sprue.
struct SurfaceMask {
  std::string name;
  MaskOf of = MaskOf::fixture;
  Eigen::Vector3d low_mm = Eigen::Vector3d::Zero(), high_mm = Eigen::Vector3d::Zero();
};

struct SurfaceRecipe {
  SurfaceModelSettings model;
  Htm<Machine, Model> machine_from_model;  // Machine read as Sensor where the recipe is in sensor coordinates
  std::size_t snapshots = 1;
  std::vector<SnapshotPose> poses;  // none, or one for each snapshot
  int snapshot_timeout_ms = 0;      // from one snapshot to the next
  SurfaceSettings settings;
  SurfaceUncertainty uncertainty;
  std::optional<AlignmentDemand> alignment;  // none: the placement holds
  std::optional<FacetMapSettings> facet_map;
  std::vector<SurfaceMask> masks;
  std::vector<RegionDemand> regions;  // region i is component i of the recipe
};

}  // namespace datum
