// Pose of a measured part by a fit to its model: from datum features in order, or by a bounded refinement on
// its whole surface.
//
// Both minimise the weighted squares of distances along the model's normals (point to plane: Chen and
// Medioni, "Object modelling by registration of multiple range images", Image and Vision Computing 10, 1992).
// Directions that the surface does not determine are left unchanged (Zhang, Kaess and Singh, "On degeneracy
// of optimization-based state estimation problems", ICRA 2016): noise does not turn a shaft about its own
// axis.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "calib/htm_estimate.h"

namespace datum {

struct Model;  // the coordinate system of a part's model, mm

/// A measured point under the tested pose, and the model's nearest surface.
struct ModelSample {
  Eigen::Vector3d point_mm, normal;  // model coordinates; |normal| = 1, outwards
  double distance_mm = 0;            // signed, positive outside
  double weight = 1;                 // above 0: area represented by the point, or 1 / variance
  std::uint32_t group = 0;           // points whose errors may correlate share a group: a tile of the surface
};

/// The samples under a pose. The set of points with a sample may change with it.
using ModelSamples = std::function<std::vector<ModelSample>(const Htm<Model, Machine>& model_from_machine)>;

struct ModelFitSettings {
  int most_iterations = 30;  // for each datum feature, or for the refinement
  double settled_mm = 1e-6;  // convergence: a step moves the samples by less, root mean square
  /// Also converged where a step is at least half of the previous one and below this share of its standard
  /// uncertainty from the samples' scatter, because points at an edge come and go with the pose. A tenth adds
  /// 0.5 % to that uncertainty. Datums that still move the part in turns by less than its standard
  /// uncertainty end too, and that movement is added to it.
  double settled_share = 0.1;
  /// A direction is determined where the surface resists a movement along it more than normals wrong by this
  /// angle would, as the facets of a round surface are. 80 facets around differ by 4.5 degrees, rms 1.3
  /// degrees or 0.023 rad.
  double slope_rad = 0.03;
  std::size_t least_groups = 6;  // of each feature: fewer give no standard deviation
};

/// Groups that deviate from their datum feature: their mean distance differs from the median of the groups by
/// more than 6 standard deviations (1.4826 times the median absolute deviation). A burr, dirt, damage.
struct OffDatum {
  std::size_t groups = 0;
  double largest_mm = 0;                            // largest mean distance, signed
  Eigen::Vector3d at_mm = Eigen::Vector3d::Zero();  // its centre, model coordinates
  double pull_mm = 0;  // shift of the feature without them, root mean square over the samples
};

/// Step of one datum feature, or of the refinement.
struct FitStep {
  std::size_t samples = 0, groups = 0;
  double rms_before_mm = 0, rms_after_mm = 0;  // of the distances, weighted
  int iterations = 0;
  int told = 0;          // number of directions that it determined
  double condition = 0;  // smallest determined resistance over the largest, 0 to 1
  OffDatum off;
};

struct ModelFit {
  /// Covariance: from the datum features' scatter between tiles.
  HtmEstimate<Model, Machine> model_from_machine;
  /// From start to result: a rotation about the samples' centroid and that centroid's shift.
  double turn_rad = 0, shift_mm = 0;
  std::vector<FitStep> steps;
  std::vector<std::string>
      untold;           // undetermined directions as text: "turn about (0, 0, 1) through (12, 3, 0) mm"
  std::string refusal;  // why the result must not be used, for the operator; empty: it may be used
};

/// 3-2-1 alignment: the first feature determines as many directions as it can, each further one only those
/// left free, as in datum systems (ISO 5459; features associated by least squares). A plane determines three
/// directions, a second one two, a third one one; a cone, or a hole beside a plane, two. Refuses where a
/// direction remains free, a feature determines no free direction, has too few samples or groups, or the fit
/// does not converge.
ModelFit fit_datums(const std::vector<ModelSamples>& features, const Htm<Model, Machine>& start,
                    const ModelFitSettings& settings = {});

struct RefinementLimits {
  double shift_mm = 0, turn_rad = 0;
};

/// Fits all samples at once from a good start. It minimises the measurand itself, so it is only for parts
/// compared with the model's form and not with its datums. Undetermined directions stay at the start and are
/// named without a refusal. Refuses where the correction exceeds a limit, and as above.
ModelFit refine(const ModelSamples& surface, const HtmEstimate<Model, Machine>& start,
                const RefinementLimits& limits, const ModelFitSettings& settings = {});

}  // namespace datum
