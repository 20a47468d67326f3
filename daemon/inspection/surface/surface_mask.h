// Removal of the pixels inside a recipe's masks from the snapshots before comparison. An object in a mask is
// not judged, and the part behind it counts as not seen.
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

/// Masks of one part. Borrows the recipe and the frames; returned pointers are valid until its next call.
class SurfaceMasks {
 public:
  /// machine_from_sensor: of each frame; empty in sensor coordinates.
  SurfaceMasks(const SurfaceRecipe& recipe, std::span<const HeightFrame* const> frames,
               std::span<const HtmEstimate<Machine, Sensor>> machine_from_sensor);

  /// Frames for the alignment: without masks of the fixture, and without the space that a mask of the part
  /// can occupy while the part lies within the alignment's search_mm of its placement.
  std::vector<const HeightFrame*> to_align();
  /// Addition to the alignment's refusal: pixels that masks removed; empty: none.
  std::string alignment_words() const;
  /// Frames for the comparison: without masks of the fixture and, at its pose, of the part.
  std::vector<const HeightFrame*> to_compare(const Htm<Machine, Model>& machine_from_model);
  /// Pixels that each mask removed from the frames returned last; none for a recipe without masks.
  std::optional<std::vector<MaskEvidence>> evidence() const;

 private:
  bool has(MaskOf of) const;
  std::vector<HeightFrame> without(MaskOf of, std::span<const HeightFrame* const> frames,
                                   const Htm<Machine, Model>& machine_from_model, double grown_mm);
  std::vector<const HeightFrame*> of_part(const Htm<Machine, Model>& machine_from_model, double grown_mm);

  const SurfaceRecipe& recipe_;
  std::span<const HtmEstimate<Machine, Sensor>> machine_from_sensor_;
  std::vector<HeightFrame> of_fixture_, of_part_;  // without those masks; masked pixels have class shadow
  std::vector<const HeightFrame*> frames_;         // without masks of the fixture
  std::vector<MaskEvidence> evidence_;
};

}  // namespace datum
