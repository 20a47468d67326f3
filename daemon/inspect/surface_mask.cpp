#include "daemon/inspect/surface_mask.h"

namespace datum {
namespace {

/// Of a place the first mask that holds it, or their number.
std::size_t mask_at(const std::vector<SurfaceMask>& masks, const Eigen::Vector3d& at) {
  std::size_t m = 0;
  while (m < masks.size() &&
         ((at.array() < masks[m].low_mm.array()).any() || (at.array() > masks[m].high_mm.array()).any()))
    ++m;
  return m;
}

void take_out(HeightFrame& f, const Htm<Model, Sensor>& model_from_sensor,
              const std::vector<SurfaceMask>& masks, std::vector<MaskEvidence>& evidence) {
  const Eigen::Matrix3d r = model_from_sensor.rotation();
  const Eigen::Vector3d t = model_from_sensor.translation_mm();
  std::visit(
      [&](const auto& counts) {
        std::size_t i = 0;
        for (int row = 0; row < f.rows; ++row)
          for (int col = 0; col < f.cols; ++col, ++i) {
            if (f.classes[i] != PixelClass::ok) continue;
            const Eigen::Vector3d sensor(f.x.at(col), f.y.at(row), f.z.at(static_cast<double>(counts[i])));
            const std::size_t m = mask_at(masks, r * sensor + t);
            if (m == masks.size()) continue;
            f.classes[i] = PixelClass::shadow;
            ++evidence[m].pixels;
          }
      },
      f.counts);
}

}  // namespace

MaskedFrames without_masks(const SurfaceRecipe& recipe, std::span<const HeightFrame* const> frames,
                           std::span<const HtmEstimate<Machine, Sensor>> machine_from_sensor) {
  MaskedFrames out;
  for (const SurfaceMask& mask : recipe.masks) out.masks.push_back({mask.name, 0});
  const Htm<Model, Machine> model_from_machine = recipe.machine_from_model.inverse();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    HeightFrame& frame = out.frames.emplace_back(*frames[i]);
    take_out(frame,
             machine_from_sensor.empty() ? Htm<Model, Sensor>(model_from_machine.matrix())
                                         : model_from_machine * machine_from_sensor[i].htm,
             recipe.masks, out.masks);
  }
  return out;
}

}  // namespace datum
