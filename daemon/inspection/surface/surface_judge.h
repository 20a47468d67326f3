// Judgement of each pixel of a snapshot against the model: every valid pixel is explained or judged.
//
// A pixel's viewing ray first meets the model at some facet, whose region is charged with the pixel's
// deviation:
// - by the distance from the nearest place of the model, if the sensor can have seen that place there;
// - else by the deviation along the ray, projected on the normal of the facet that it meets. This judges a
// dent in a thin sheet, whose points are nearest to the sheet's far side, and a post beside a rib, whose
// points are nearest to the rib's wall.
// Beside a step of the model the sensor may see either level: within edge_mm of it, points between both are
// explained and not judged. Farther away, points that continue one level without a gap belong to that level
// and are displaced by their distance.
#pragma once

#include "daemon/inspection/surface/surface_rays.h"

namespace datum {

enum class Judgement : std::uint8_t {
  explained,  // not the part's, or beside a step of it: no evidence
  face,       // deviation along a normal
  edge,       // distance from an edge
  beyond,     // farther than the search distance before or behind the ray's facet
  rim,        // beside the border of an open model
};

struct JudgedPixel {
  Judgement judgement = Judgement::explained;
  double deviation_mm = 0;           // signed, positive outside the material; of a face or edge
  std::uint32_t facet = no_facet;    // facet of the deviation
  std::uint32_t charged = no_facet;  // facet whose region is charged
  bool along_ray = false;            // instead of the nearest place
};

/// Judges the pixels of one snapshot. Borrows its inputs.
class SurfaceJudge {
 public:
  /// least_cosine: of facets visible to the sensor.
  SurfaceJudge(const SurfaceModel& model, const SurfaceRays& rays, const SurfaceShot& shot, double search_mm,
               double least_cosine);

  /// `nearest` is the nearest place to `point`, the pixel's point.
  JudgedPixel judge(int row, int col, const ModelPoint& point, const ModelDistance& nearest) const;

 private:
  struct Seen;    // the pixel
  struct Foot;    // the nearest place as seen by the sensor
  struct Levels;  // of the model around it

  /// In sensor mm; NaN where a pixel is not valid.
  double height(int row, int col) const;
  double off_mm(int row, int col) const;
  Foot foot_of(const Seen& seen, const ModelPoint& point, const ModelDistance& nearest) const;
  Levels levels_at(const Eigen::Vector3d& place, const Eigen::Vector2i& first, int size) const;
  bool is_in_sight(const Eigen::Vector3d& place, const Eigen::Vector2i& pixel) const;
  bool is_beside_own_pixel(const Seen& seen, const Foot& foot) const;
  bool reaches(const Seen& seen, const Foot& foot) const;
  template <class Carries>
  bool all_between(const Seen& seen, const Foot& foot, const Carries& carries) const;
  JudgedPixel along_ray(const Seen& seen) const;
  JudgedPixel by_foot(const Seen& seen, const Foot& foot, const ModelDistance& nearest) const;
  JudgedPixel beside_model(const Seen& seen, const Foot& foot, const ModelDistance& nearest) const;
  JudgedPixel displaced(const Seen& seen, const Foot& foot, const ModelDistance& nearest) const;

  const TriangleModel& model_;
  const std::vector<FacetSide>& sides_;
  const SurfaceRays& rays_;
  const HeightFrame& frame_;
  Eigen::Vector3d towards_;  // direction to the sensor, model coordinates
  double edge_mm_, search_mm_, least_cosine_;
};

}  // namespace datum
