// What each pixel of a snapshot says of the model: every valid pixel is explained or judged.
//
// A pixel's viewing ray meets the model first at some facet, and the region of that facet is charged with what the pixel saw:
// - by the distance from the nearest place of the model, where the sensor can have seen that place there;
// - else by the deviation along the ray, projected on the normal of the facet that it meets. So a dent in a thin sheet counts,
//   whose points are nearest to the sheet's far side, and a post beside a rib, whose points are nearest to the rib's wall.
// Beside a step of the model the sensor may see either level: within edge_mm of it, whatever lies between both is explained
// and not judged. Farther from it, what continues one level without a gap is that level's, displaced by its distance.
#pragma once

#include "daemon/inspection/surface/surface_rays.h"

namespace datum {

enum class Judgement : std::uint8_t {
  explained,  // not the part's, or beside a step of it: nothing is told
  face,       // a deviation along a normal
  edge,       // a distance from an edge
  beyond,     // more than the search distance before or behind what the ray meets
  rim,        // beside the end of an open model
};

struct JudgedPixel {
  Judgement judgement = Judgement::explained;
  double deviation_mm = 0;           // signed, positive outside the material; of a face or edge
  std::uint32_t facet = no_facet;    // that it is a deviation from
  std::uint32_t charged = no_facet;  // whose region is charged
  bool along_ray = false;            // not by the nearest place
};

/// Judges the pixels of one snapshot. Borrows all.
class SurfaceJudge {
 public:
  /// `heights` in sensor mm, NaN where a pixel is not valid. least_cosine: of facets that the sensor can see.
  SurfaceJudge(const TriangleModel& model, const SurfaceRays& rays, const std::vector<double>& heights_mm,
               const SurfaceShot& shot, double search_mm, double least_cosine);

  /// `nearest` to `point`, which the pixel gave.
  JudgedPixel judge(int row, int col, const ModelPoint& point, const ModelDistance& nearest) const;

 private:
  struct Seen;    // the pixel
  struct Foot;    // the nearest place, as the sensor would see it
  struct Levels;  // of the model about it

  double height(int row, int col) const;
  double off_mm(int row, int col) const;
  Foot foot_of(const Seen& seen, const ModelPoint& point, const ModelDistance& nearest) const;
  Levels levels_at(const Eigen::Vector3d& place, const Eigen::Vector2i& first, int size) const;
  bool is_beside_own_pixel(const Seen& seen, const Foot& foot) const;
  bool reaches(const Seen& seen, const Foot& foot) const;
  template <class Carries>
  bool all_between(const Seen& seen, const Foot& foot, const Carries& carries) const;
  JudgedPixel along_ray(const Seen& seen) const;
  JudgedPixel by_foot(const Seen& seen, const Foot& foot, const ModelDistance& nearest) const;
  JudgedPixel beside_model(const Seen& seen, const Foot& foot, const ModelDistance& nearest) const;
  JudgedPixel displaced(const Seen& seen, const Foot& foot, const ModelDistance& nearest) const;

  const TriangleModel& model_;
  const SurfaceRays& rays_;
  const std::vector<double>& heights_;
  Eigen::Vector3d towards_;  // the sensor, model coordinates
  int rows_, cols_;
  double edge_mm_, search_mm_, least_cosine_;
};

}  // namespace datum
