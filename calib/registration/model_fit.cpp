#include "calib/registration/model_fit.h"

#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>
#include <limits>

#include "calib/linear/linear_algebra.h"
#include "calib/registration/model_fit_step.h"

namespace datum {
namespace {

using namespace model_fit;

constexpr int cycles =
    12;  // cycles through all features: each is refitted after later ones have rotated the part

Htm<Model, Machine> moved(const Htm<Model, Machine>& pose, const Eigen::Matrix4d& motion) {
  const Eigen::Matrix4d m = motion * pose.matrix();
  // orthogonalised, so that many small motions remain rigid
  const Eigen::Quaterniond q = Eigen::Quaterniond(Eigen::Matrix3d(m.topLeftCorner<3, 3>())).normalized();
  Eigen::Matrix4d rigid = m;
  rigid.topLeftCorner<3, 3>() = q.toRotationMatrix();
  return Htm<Model, Machine>(rigid);
}

std::string in_mm(double mm) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g mm", mm);
  return text;
}

/// State of a feature after its last evaluation.
struct Feature {
  Equations equations;
  Told told;
  Eigen::Matrix<double, 6, Eigen::Dynamic> free;  // directions that were free for it
};

/// Root of the sum of a movement's variances.
double deviation_of(const Matrix6d& covariance) { return std::sqrt(std::max(0.0, covariance.trace())); }

class Fitter {
 public:
  Fitter(const Htm<Model, Machine>& start, const ModelFitSettings& settings)
      : pose_(start), settings_(settings) {}

  /// Sets the reference of movements; common to all features.
  void hold(const Lever& lever) { lever_ = lever; }
  const Lever& lever() const { return lever_; }
  const Htm<Model, Machine>& pose() const { return pose_; }

  /// Moves the part until a step is small; true: converged. `moved_mm` is the length of all steps.
  bool settle(const ModelSamples& samples, const Eigen::Matrix<double, 6, Eigen::Dynamic>& free,
              Feature& feature, FitStep& step) {
    feature.free = free;
    double before_mm = std::numeric_limits<double>::infinity();
    for (int i = 0; i < settings_.most_iterations; ++i) {
      feature.equations = equations_of(samples(pose_), lever_);
      const Equations& e = feature.equations;
      feature.told = told_by(e, free, settings_.slope_rad);
      step.samples = e.samples;
      step.groups = e.groups;
      step.told = static_cast<int>(feature.told.directions.cols());
      step.condition = feature.told.condition;
      step.rms_after_mm = e.rms_mm;
      if (step.iterations++ == 0) step.rms_before_mm = e.rms_mm;
      if (e.groups < settings_.least_groups || step.told == 0) return true;
      const Vector6d movement = -(feature.told.inverse * e.pull);
      const double step_mm = movement.norm();
      if (!(step_mm > settings_.settled_mm)) return true;
      const Matrix6d scatter = feature.told.inverse * e.scatter * feature.told.inverse;
      if (step_mm >= before_mm / 2 && step_mm <= settings_.settled_share * deviation_of(scatter)) return true;
      before_mm = step_mm;
      pose_ = moved(pose_, motion_of(lever_, movement));
    }
    return false;
  }

 private:
  Htm<Model, Machine> pose_;
  const ModelFitSettings& settings_;
  Lever lever_;
};

/// Covariance of the joint movement of all features. A feature's scatter moves the part by the inverse of its
/// normal matrix; each later feature cancels the part visible to it.
Matrix6d covariance_of(const std::vector<Feature>& features) {
  Matrix6d sum = Matrix6d::Zero();
  for (std::size_t f = 0; f < features.size(); ++f) {
    Matrix6d response = features[f].told.inverse;
    for (std::size_t later = f + 1; later < features.size(); ++later)
      response -= features[later].told.inverse * features[later].equations.normal * response;
    sum += response * features[f].equations.scatter * response.transpose();
  }
  return sum;
}

void finish(ModelFit& fit, const Fitter& fitter, const std::vector<Feature>& features, const Matrix6d& wander,
            const Htm<Model, Machine>& start) {
  const Matrix6d j = as_estimate(fitter.lever(), fitter.pose().translation_mm());
  fit.model_from_machine = {fitter.pose(), covariance_through(j, covariance_of(features) + wander)};
  const Eigen::Matrix4d motion = fitter.pose().matrix() * start.inverse().matrix();
  fit.turn_rad = vector_from_rotation(motion.topLeftCorner<3, 3>()).norm();
  fit.shift_mm =
      ((motion * fitter.lever().center_mm.homogeneous()).head<3>() - fitter.lever().center_mm).norm();
}

std::string too_little(const FitStep& step, std::size_t least_groups, const std::string& name) {
  if (step.groups >= least_groups) return {};
  return name + ": " + std::to_string(step.samples) + " points in " + std::to_string(step.groups) +
         " tiles; " + std::to_string(least_groups) +
         " tiles are needed: is the start near enough, was it scanned?";
}

}  // namespace

ModelFit fit_datums(const std::vector<ModelSamples>& features, const Htm<Model, Machine>& start,
                    const ModelFitSettings& settings) {
  ModelFit fit;
  fit.model_from_machine.htm = start;
  fit.steps.resize(features.size());
  Fitter fitter(start, settings);
  std::vector<ModelSample> all;
  for (const ModelSamples& f : features)
    for (const ModelSample& s : f(start)) all.push_back(s);
  fitter.hold(lever_of(all));
  std::vector<Feature> found(features.size());
  Eigen::Matrix<double, 6, Eigen::Dynamic> free;
  bool settled = false;
  Vector6d last = Vector6d::Zero();  // movement of a cycle
  double before_mm = std::numeric_limits<double>::infinity();
  for (int cycle = 0; cycle < cycles && !settled; ++cycle) {
    free = Matrix6d::Identity();
    const Htm<Model, Machine> before = fitter.pose();
    settled = true;
    for (std::size_t f = 0; f < features.size(); ++f) {
      const std::string name = "datum " + std::to_string(f + 1);
      settled = fitter.settle(features[f], free, found[f], fit.steps[f]) && settled;
      fit.refusal = too_little(fit.steps[f], settings.least_groups, name);
      if (fit.refusal.empty() && fit.steps[f].told == 0)
        fit.refusal = name + " determines nothing that the datums before it have left free: name another one";
      if (!fit.refusal.empty()) return fit;
      free = found[f].told.left;
    }
    last << difference(fitter.pose(), before).head<3>() * fitter.lever().arm_mm,
        fitter.pose().inverse() * fitter.lever().center_mm - before.inverse() * fitter.lever().center_mm;
    const bool stands = last.norm() <= settings.settled_mm ||
                        (last.norm() >= before_mm / 2 &&
                         last.norm() <= settings.settled_share * deviation_of(covariance_of(found)));
    settled = settled && stands;
    before_mm = last.norm();
  }
  Matrix6d wander = Matrix6d::Zero();
  if (!settled && last.norm() <= deviation_of(covariance_of(found))) {
    settled = true;
    wander = last * last.transpose();
  }
  finish(fit, fitter, found, wander, start);
  for (std::size_t f = 0; f < features.size(); ++f)
    fit.steps[f].off =
        off_datum(features[f](fitter.pose()), fitter.lever(), found[f].free, settings.slope_rad);
  for (Eigen::Index k = 0; k < free.cols(); ++k) fit.untold.push_back(words_of(fitter.lever(), free.col(k)));
  if (!fit.untold.empty()) {
    fit.refusal =
        "the datums leave the part free to move: " + fit.untold.front() + "; name a datum that holds it";
  } else if (!settled) {
    fit.refusal = "the fit to the datums does not settle: is the start near enough?";
  }
  return fit;
}

ModelFit refine(const ModelSamples& surface, const HtmEstimate<Model, Machine>& start,
                const RefinementLimits& limits, const ModelFitSettings& settings) {
  ModelFit fit;
  fit.steps.resize(1);
  Fitter fitter(start.htm, settings);
  fitter.hold(lever_of(surface(start.htm)));
  std::vector<Feature> found(1);
  const bool settled = fitter.settle(surface, Matrix6d::Identity(), found[0], fit.steps[0]);
  finish(fit, fitter, found, Matrix6d::Zero(), start.htm);
  // undetermined directions keep their uncertainty
  const Matrix6d j = as_estimate(fitter.lever(), fitter.pose().translation_mm()), back = inverse_matrix(j);
  const auto& left = found[0].told.left;
  const Matrix6d kept = left * left.transpose();
  fit.model_from_machine.covariance +=
      covariance_through(j, covariance_through(kept, covariance_through(back, start.covariance)));
  for (Eigen::Index k = 0; k < left.cols(); ++k) fit.untold.push_back(words_of(fitter.lever(), left.col(k)));
  fit.refusal = too_little(fit.steps[0], settings.least_groups, "refinement");
  if (!fit.refusal.empty()) return fit;
  if (fit.steps[0].told == 0) {
    fit.refusal = "refinement: the surface determines no direction";
  } else if (!settled) {
    fit.refusal = "refinement: it does not settle";
  } else if (fit.shift_mm > limits.shift_mm) {
    fit.refusal = "refinement: a shift by " + in_mm(fit.shift_mm) + " is beyond the recipe's limit of " +
                  in_mm(limits.shift_mm);
  } else if (fit.turn_rad > limits.turn_rad) {
    char text[120];
    std::snprintf(text, sizeof text,
                  "refinement: a turn by %.4g rad is beyond the recipe's limit of %.4g rad", fit.turn_rad,
                  limits.turn_rad);
    fit.refusal = text;
  }
  return fit;
}

}  // namespace datum
