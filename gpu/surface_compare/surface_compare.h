// Snapshots of a part compared with its model: the distance of each pixel's point from the model, what that is evidence of, and the
// area of the model that the point stands for. C++17: CUDA sources include this header. Lengths in mm, model coordinates relative to
// the model's origin.
//
// A pixel's viewing ray first meets the model at some facet, whose region is charged with the pixel's deviation:
// - by the distance from the nearest place of the model, if the sensor can have seen that place there;
// - else by the deviation along the ray, projected on the normal of the facet that it meets. This judges a
// dent in a thin sheet, whose points are nearest to the sheet's far side, and a post beside a rib, whose
// points are nearest to the rib's wall.
// Beside a step of the model the sensor may see either level: within edge_mm of it, points between both are
// explained and not judged. Farther away, points that continue one level without a gap belong to that level
// and are displaced by their distance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/area_share/area_share.h"
#include "gpu/core/height_map.h"
#include "gpu/model_distance/distance_finder.h"
#include "gpu/surface_match/facet_matcher.h"

namespace datum {

/// offset_mm + scale_mm * index.
struct ShotAxis {
  double scale_mm = 0, offset_mm = 0;
};

/// A facet's plane in sensor coordinates: the place of a corner, z by x and y, and the cosine between its normal and the sensor's z.
struct FacetPlane {
  double x_mm, y_mm, z_mm, slope_x, slope_y, cosine;
};

/// Viewing rays of a snapshot's pixels, and where its sensor stood. Arrays by rows; one element for each pixel.
struct ShotRays {
  std::int32_t rows = 0, cols = 0;
  ShotAxis x, y;                                     // of columns, of rows
  double model_from_sensor[9] = {}, place[3] = {};   // rotation by rows; the sensor's origin
  double sensor_from_model[9] = {}, origin[3] = {};  // likewise; the model's origin
  const std::uint32_t* facet = nullptr;              // the first one on the ray, or no_facet
  const double* z_mm = nullptr;                      // of that intersection
  const std::uint8_t* is_away = nullptr;             // whether that facet looks away from the sensor

  std::size_t pixels() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols); }
};

/// What the sensor measured at them.
struct ShotHeights {
  ShotAxis z;          // of counts
  double edge_mm = 0;  // at a step: pixels nearer to it across the ray can't be assigned to a side
  CountType type = CountType::int16;  // of all snapshots of a part
  const void* counts = nullptr;
  const std::uint8_t* classes = nullptr;  // 0: the pixel has a height, and a point
};

/// All snapshots of a part. Points are those of its pixels with a height, in the order of snapshots, rows, columns. Borrowed.
struct PartShots {
  const ShotRays* rays = nullptr;
  const ShotHeights* heights = nullptr;
  std::size_t count = 0;
  const std::uint32_t* first = nullptr;  // of each row of each snapshot: its first point
  std::size_t points = 0;
};

struct CompareSettings {
  DistanceSettings distance;
  double search_mm = 0;     // farther points are beyond
  double least_cosine = 0;  // of facets visible to the sensor
};

enum class Judgement : std::uint8_t {
  explained,  // not the part's, or beside a step of it: no evidence
  face,       // deviation along a normal
  edge,       // distance from an edge
  beyond,     // farther than the search distance before or behind the ray's facet
  rim,        // beside the border of an open model
};

struct PointJudgement {
  std::uint16_t charged = no_region;  // region of the facet that is charged with the point's deviation
  std::uint16_t region = no_region;   // of the point's facet
  Judgement judgement = Judgement::explained;
  std::uint8_t unused = 0;
};

/// Where the results go.
struct ComparedPoints {
  /// Of each point: its deviation in place of its distance, with the facet of that; no_data where it is no evidence.
  ModelDistance* distances = nullptr;
  PointJudgement* judgements = nullptr;
  AreaShares areas;
};

/// A model with its patches, whose facets' regions are told (AreaModel::region).
struct ComparedModel {
  SearchedModel searched;
  std::shared_ptr<const AreaModel> areas;
};

/// How a comparison's points are matched with the facets of the same model, which has another origin.
struct MatchOfPoints {
  PointMatchSettings settings;
  double origin[3] = {};                       // of the facets' model, in coordinates of the points
  const PointDirection* directions = nullptr;  // of each snapshot, towards its sensor
};

/// All points of a part's snapshots.
std::vector<ModelPoint> points_of(const PartShots& shots, unsigned threads);

/// Element k: number of the first point of row k, rows of all snapshots one after the other; behind them the number of points.
std::vector<std::uint32_t> first_points(const ShotRays* rays, const ShotHeights* heights, std::size_t shots,
                                        unsigned threads);

/// What the facets of each region say of a part's points, on this program's CPU.
void sum_compared(const ModelFacets& facets, std::vector<ModelPoint> points, const PartShots& shots,
                  const MatchOfPoints& how, FacetSums* out);

/// On this program's CPU.
void compare_shots(const ComparedModel& model, const PartShots& shots, const CompareSettings& settings,
                   const Backend& backend, const ComparedPoints& out);

/// A part's snapshots on one device.
class DeviceCompare {
 public:
  virtual ~DeviceCompare() = default;
  /// Rays of the parts that follow. Facets that there are none of are no_facet.
  virtual void take(const ShotRays* rays, std::size_t shots) = 0;
  /// Snapshots with those rays; PartShots::rays is not read. Rows whose first point is wrong write no point that there is none of.
  virtual void compare(const PartShots& shots, const CompareSettings& settings,
                       const ComparedPoints& out) = 0;
  /// What the facets of each region of a model on the same device say of the last comparison's points.
  virtual void sum(DeviceMatch& facets, const MatchOfPoints& how, FacetSums* out) = 0;
};

}  // namespace datum
