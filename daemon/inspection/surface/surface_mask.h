// Pixels that a recipe's masks hold are taken out of the snapshots before anything is compared: nothing is told of what stands
// there, and nothing of the part behind it, which counts as not seen.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calib/htm_estimate.h"
#include "daemon/inspection/surface/surface_recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// Of one part. Borrows the recipe and the frames; what it hands out lives until its next call.
class SurfaceMasks {
 public:
  /// machine_from_sensor: of each frame; none in sensor coordinates.
  SurfaceMasks(const SurfaceRecipe& recipe, std::span<const HeightFrame* const> frames,
               std::span<const HtmEstimate<Machine, Sensor>> machine_from_sensor);

  /// What the part is found by: less masks of the fixture, and less whatever a mask of the part can hold while the part
  /// lies within the alignment's search_mm of its placement.
  std::vector<const HeightFrame*> to_align();
  /// Behind why the part can't be found by those: what masks kept from it; empty: nothing.
  std::string alignment_words() const;
  /// What is compared with the model: less masks of the fixture, and less those of the part where it lies.
  std::vector<const HeightFrame*> to_compare(const Htm<Machine, Model>& machine_from_model);
  /// Pixels that each mask took out of what was handed out last; none of a recipe without masks.
  std::optional<std::vector<MaskEvidence>> evidence() const;

 private:
  bool has(MaskOf of) const;
  std::vector<HeightFrame> without(MaskOf of, std::span<const HeightFrame* const> frames,
                                   const Htm<Machine, Model>& machine_from_model, double grown_mm);
  std::vector<const HeightFrame*> of_part(const Htm<Machine, Model>& machine_from_model, double grown_mm);

  const SurfaceRecipe& recipe_;
  std::span<const HtmEstimate<Machine, Sensor>> machine_from_sensor_;
  std::vector<HeightFrame> of_fixture_, of_part_;  // less those masks; pixels of a mask are of class shadow
  std::vector<const HeightFrame*> frames_;         // less masks of the fixture
  std::vector<MaskEvidence> evidence_;
};

}  // namespace datum
