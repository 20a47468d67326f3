#include "daemon/inspection/surface/begun_surface.h"

#include "daemon/inspection/board/pipeline_parts.h"
#include "daemon/inspection/board/snapshot_poses.h"

namespace datum {
namespace {

/// Identity of the snapshots, independent of the measurement.
SurfaceEvidence evidence_of(const Recipe& of, std::span<const SurfaceFrame> frames) {
  const SurfaceRecipe& recipe = *of.surface;
  SurfaceEvidence e;
  e.model = recipe.model.file.filename().string();
  e.mm_per_unit = recipe.model.mm_per_unit;
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(e.machine_from_model.data()) =
      recipe.machine_from_model.matrix();
  for (std::size_t i = 0; i < frames.size(); ++i)
    e.snapshots.push_back(snapshot_evidence(of.snapshots, i, *frames[i].frame, frames[i].pose));
  return e;
}

}  // namespace

BoardVerdict begun_surface(std::span<const SurfaceFrame> frames, const InspectionInputs& in,
                           const std::string& backend) {
  const HeightFrame none;
  InspectionInputs last = in;
  if (!frames.empty()) last.pose = frames.back().pose;
  BoardVerdict v = identity(frames.empty() ? none : *frames.back().frame, last, backend);
  if (frames.empty()) v.sensor_serial = in.sensor->serial;
  v.surface = evidence_of(*in.recipe, frames);
  return v;
}

BoardVerdict refused_surface(std::span<const SurfaceFrame> frames, const InspectionInputs& in, Reason reason,
                             const std::string& detail) {
  return refused(begun_surface(frames, in, describe(cpu_backend(in.threads))), *in.recipe, {reason, detail});
}

}  // namespace datum
