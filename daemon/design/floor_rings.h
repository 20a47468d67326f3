// Rings of floor on a design: what they lie on, and what is cut out of them.
#pragma once

#include "daemon/design/recipe_draft.h"

namespace datum::design {

/// Sets each component's ring, surface_um, and the draft's exclusions and holes. `neighbours` are bodies that the recipe does
/// not name.
void find_rings(const DraftSettings& settings, const std::vector<Box>& neighbours, Draft& draft);

}  // namespace datum::design
