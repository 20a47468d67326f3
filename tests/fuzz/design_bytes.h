// A design file: its reader returns finite places and a recipe's text can be drafted from them, or it throws DesignError.
#pragma once

#include <cmath>

#include "daemon/design/recipe_text.h"
#include "tests/fuzz/fuzz_target.h"

namespace datum::fuzz {

template <class Read>
void expect_design_or_refusal(Read read) {
  using namespace design;
  using design::Component;
  try {
    const Design d = read();
    for (const Component& c : d.components) {
      expect(c.origin.allFinite() && std::isfinite(c.rotation_deg), "places are numbers");
      expect(c.rotation_deg >= 0 && c.rotation_deg < 360, "rotations are of one turn");
      for (const Point& p : c.body) expect(p.allFinite(), "bodies are numbers");
    }
    const Box board = d.outline.empty() ? Box{} : box_around(d.outline, 0);
    if (d.outline.empty() || board.size.maxCoeff() > 300 || d.components.size() > 300)
      return;  // slow, not different
    DraftSettings settings;
    settings.pitch_mm = 0.5;
    const Draft draft = draft_recipe(d, PackageLibrary(), settings);
    expect(!recipe_text(draft, settings, {"fuzz", "S1", "fuzz", ""}).empty(), "a draft is a text");
  } catch (const DesignError& refused) {
    expect(refused.what()[0] != '\0', "a refusal says why");
  }
}

}  // namespace datum::fuzz
