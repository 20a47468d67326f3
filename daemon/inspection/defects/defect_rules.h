// What is wrong with a part, in one word: rules on what stands at its place (daemon/inspection/METROLOGY.md, table of words).
#pragma once

#include <optional>

#include "daemon/inspection/defects/part_place.h"
#include "daemon/inspection/recipe/defect_recipe.h"

namespace datum {

/// What was seen of one part.
struct PartSeen {
  PartSilhouette silhouette;
  PartPlaceResult place;
  double pixel_mm = 0;
};

/// The first word that fits, in the order missing, tombstoned and billboard, lifted side and corner, upside-down, wrong part,
/// wrong height, rotated and shifted; none: the part looks good, or too little of it is
/// seen to say so (fewer than half of its place's pixels, or 2 u of its place beyond the rule's limit). `checks`: where one of
/// them failed, its limit stands for that of the rule.
struct DefectFinding {
  std::optional<DefectEvidence> word = std::nullopt;
  std::string unseen = {};  // why nothing can be said; empty: something can
};
DefectFinding defect_of(const Recipe& recipe, const Component& component, const PartSeen& seen,
                        const std::vector<CheckVerdict>& checks);

/// Looks at one part over its accepted floor.
PartSeen look_at_part(const PartScene& scene);

/// A part that passes its limits and has a word, or can't be looked at: each check becomes INVALID (DEFECT, BODY_EDGES), where the
/// recipe does not say otherwise.
void doubt_passed(ComponentVerdict& row, const DefectFinding& finding, const Recipe& recipe);

}  // namespace datum
