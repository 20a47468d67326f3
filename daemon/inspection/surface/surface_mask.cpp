#include "daemon/inspection/surface/surface_mask.h"

#include <fmt/format.h>

#include <algorithm>

namespace datum {
namespace {

std::vector<const HeightFrame*> pointers_to(const std::vector<HeightFrame>& frames) {
  std::vector<const HeightFrame*> to;
  for (const HeightFrame& f : frames) to.push_back(&f);
  return to;
}

/// Index of the first mask of that kind that contains the place, or their number.
std::size_t mask_at(const std::vector<SurfaceMask>& masks, MaskOf of, const Eigen::Vector3d& at,
                    double grown_mm) {
  std::size_t m = 0;
  while (m < masks.size() && (masks[m].of != of || (at.array() < masks[m].low_mm.array() - grown_mm).any() ||
                              (at.array() > masks[m].high_mm.array() + grown_mm).any()))
    ++m;
  return m;
}

/// Calls found(mask, pixel); `to_box` maps sensor coordinates to those of the boxes.
template <class Found>
void find_masked(const HeightFrame& f, const Eigen::Matrix4d& to_box, const std::vector<SurfaceMask>& masks,
                 MaskOf of, double grown_mm, const Found& found) {
  const Eigen::Matrix3d r = to_box.topLeftCorner<3, 3>();
  const Eigen::Vector3d t = to_box.topRightCorner<3, 1>();
  std::visit(
      [&](const auto& counts) {
        std::size_t i = 0;
        for (int row = 0; row < f.rows; ++row)
          for (int col = 0; col < f.cols; ++col, ++i) {
            if (f.classes[i] != PixelClass::ok) continue;
            const Eigen::Vector3d sensor(f.x.at(col), f.y.at(row), f.z.at(static_cast<double>(counts[i])));
            const std::size_t m = mask_at(masks, of, r * sensor + t, grown_mm);
            if (m < masks.size()) found(m, i);
          }
      },
      f.counts);
}

}  // namespace

SurfaceMasks::SurfaceMasks(const SurfaceRecipe& recipe, std::span<const HeightFrame* const> frames,
                           std::span<const HtmEstimate<Machine, Sensor>> machine_from_sensor)
    : recipe_(recipe), machine_from_sensor_(machine_from_sensor), frames_(frames.begin(), frames.end()) {
  for (const SurfaceMask& mask : recipe.masks) evidence_.push_back({mask.name, 0});
  if (!has(MaskOf::fixture)) return;
  of_fixture_ = without(MaskOf::fixture, frames, recipe.machine_from_model, 0);
  frames_ = pointers_to(of_fixture_);
}

bool SurfaceMasks::has(MaskOf of) const {
  return std::any_of(recipe_.masks.begin(), recipe_.masks.end(),
                     [&](const SurfaceMask& mask) { return mask.of == of; });
}

std::vector<HeightFrame> SurfaceMasks::without(MaskOf of, std::span<const HeightFrame* const> frames,
                                               const Htm<Machine, Model>& machine_from_model,
                                               double grown_mm) {
  for (std::size_t m = 0; m < evidence_.size(); ++m)
    if (recipe_.masks[m].of == of) evidence_[m].pixels = 0;
  const Eigen::Matrix4d box_from_machine =
      of == MaskOf::part ? machine_from_model.inverse().matrix() : Eigen::Matrix4d::Identity();
  std::vector<HeightFrame> out;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    HeightFrame& frame = out.emplace_back(*frames[i]);
    const Eigen::Matrix4d to_box = machine_from_sensor_.empty()
                                       ? box_from_machine
                                       : box_from_machine * machine_from_sensor_[i].htm.matrix();
    find_masked(*frames[i], to_box, recipe_.masks, of, grown_mm, [&](std::size_t mask, std::size_t pixel) {
      frame.classes[pixel] = PixelClass::shadow;
      ++evidence_[mask].pixels;
    });
  }
  return out;
}

std::vector<const HeightFrame*> SurfaceMasks::of_part(const Htm<Machine, Model>& machine_from_model,
                                                      double grown_mm) {
  if (!has(MaskOf::part)) return frames_;
  of_part_ = without(MaskOf::part, frames_, machine_from_model, grown_mm);
  return pointers_to(of_part_);
}

std::vector<const HeightFrame*> SurfaceMasks::to_align() {
  if (!recipe_.alignment) return frames_;
  return of_part(recipe_.machine_from_model, recipe_.alignment->search_mm);
}

std::string SurfaceMasks::alignment_words() const {
  std::uint64_t pixels = 0;
  for (std::size_t m = 0; m < evidence_.size(); ++m)
    if (recipe_.masks[m].of == MaskOf::part) pixels += evidence_[m].pixels;
  if (pixels == 0) return "";
  return fmt::format(
      "; masks in model coordinates keep {} pixels from it, their boxes being wider by alignment.search_mm = "
      "{:g} mm "
      "each way; make the boxes smaller, or search_mm",
      pixels, recipe_.alignment->search_mm);
}

std::vector<const HeightFrame*> SurfaceMasks::to_compare(const Htm<Machine, Model>& machine_from_model) {
  return of_part(machine_from_model, 0);
}

std::optional<std::vector<MaskEvidence>> SurfaceMasks::evidence() const {
  if (recipe_.masks.empty()) return std::nullopt;
  return evidence_;
}

}  // namespace datum
