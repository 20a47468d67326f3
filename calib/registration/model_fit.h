// Where a measured part lies, by fitting it to its model: from datum features in their order, or by a bounded refinement on
// all of its surface.
//
// Both minimise the weighted squares of the distances along the model's normals (point to plane: Chen and Medioni, "Object
// modelling by registration of multiple range images", Image and Vision Computing 10, 1992). A direction of movement that
// the surface does not tell is not moved along (Zhang, Kaess and Singh, "On degeneracy of optimization-based state
// estimation problems", ICRA 2016): a shaft is not turned about its own axis by the noise on it.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "calib/htm_estimate.h"

namespace datum {

struct Model;  // the coordinate system of a part's model, mm

/// A measured point as the pose under test places it, and the model's surface nearest to it.
struct ModelSample {
  Eigen::Vector3d point_mm, normal;  // model coordinates; |normal| = 1, outwards
  double distance_mm = 0;            // signed, positive outside
  double weight = 1;                 // above 0: the area that the point stands for, or 1 / variance
  std::uint32_t group = 0;           // points that may err alike share one: a tile of the surface
};

/// The samples under a pose. Which points have a sample may change with it.
using ModelSamples = std::function<std::vector<ModelSample>(const Htm<Model, Machine>& model_from_machine)>;

struct ModelFitSettings {
  int most_iterations = 30;  // of each datum feature, or of the refinement
  double settled_mm = 1e-6;  // a step that moves the samples less, root mean square, is the last one
  /// So is one that is no less than half of the step before and below this share of its own standard uncertainty, from the
  /// samples' scatter: points at an edge come and go with the pose. A tenth adds 0.5 % to that uncertainty. Datums that
  /// still move the part in turns, by less than its standard uncertainty, end as well: that movement is added to it.
  double settled_share = 0.1;
  /// A direction is told if the surface resists a movement along it more than normals that are wrong by so much would:
  /// facets of a round surface are. 80 facets around turn by 4.5 degrees each, rms 1.3 degrees or 0.023 rad off.
  double slope_rad = 0.03;
  std::size_t least_groups = 6;  // of each feature: fewer say nothing about its scatter
};

/// Groups of a datum feature that stand off it: their mean distance is farther than 6 standard deviations of the groups'
/// means (1.4826 times the median absolute deviation) from their median. A burr, dirt, damage.
struct OffDatum {
  std::size_t groups = 0;
  double largest_mm = 0;                            // mean distance of the farthest, signed
  Eigen::Vector3d at_mm = Eigen::Vector3d::Zero();  // its middle, model coordinates
  double pull_mm =
      0;  // by how much the feature would lie elsewhere without them, root mean square over the samples
};

/// Of one datum feature, or of the refinement.
struct FitStep {
  std::size_t samples = 0, groups = 0;
  double rms_before_mm = 0, rms_after_mm = 0;  // of the distances, weighted
  int iterations = 0;
  int told = 0;          // directions that it fixed
  double condition = 0;  // least told resistance over the largest, 0 to 1
  OffDatum off;
};

struct ModelFit {
  HtmEstimate<Model, Machine>
      model_from_machine;  // covariance: of the datum features' scatter from tile to tile
  /// From the start to the result: a turn about the samples' middle and that middle's shift.
  double turn_rad = 0, shift_mm = 0;
  std::vector<FitStep> steps;
  std::vector<std::string>
      untold;  // directions that nothing fixed, in words: "turn about (0, 0, 1) through (12, 3, 0) mm"
  std::string refusal;  // why the result must not be used, in words for the operator; empty: it may
};

/// 3-2-1 and its kin: the first feature moves the part as far as it tells, each next one only in what those before it have
/// left free, as datum systems do (ISO 5459; the features associated by least squares). A plane tells three directions, a
/// second one two, a third one one; a cone or a hole beside a plane two. Refused where a direction is left free, a feature
/// tells nothing that was free, has too few samples or groups, or the fit does not settle.
ModelFit fit_datums(const std::vector<ModelSamples>& features, const Htm<Model, Machine>& start,
                    const ModelFitSettings& settings = {});

struct RefinementLimits {
  double shift_mm = 0, turn_rad = 0;
};

/// All samples at once, from a pose that is already good. It minimises what is to be measured: use it only where a part is
/// compared with the model's form and not with its datums. Directions that are not told stay at the start and are named, no
/// refusal; refused where the correction exceeds a limit, and as above.
ModelFit refine(const ModelSamples& surface, const HtmEstimate<Model, Machine>& start,
                const RefinementLimits& limits, const ModelFitSettings& settings = {});

}  // namespace datum
