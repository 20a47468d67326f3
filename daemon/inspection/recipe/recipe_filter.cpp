// [filter] of a recipe.
#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/recipe/recipe_file.h"

namespace datum {
namespace {

/// A value of single heights, which a filter changes; of percentiles the outer 5 % on either side.
bool is_extreme(const Check& check) {
  using enum Characteristic;
  const Characteristic c = check.characteristic;
  if (c == percentile) return check.parameter < 0.05 || check.parameter > 0.95;
  return c == maximum || c == minimum || c == top_mean || c == peak_to_valley || c == board_flatness;
}

}  // namespace

void read_filter(config::TomlTable table, Recipe& recipe) {
  table.only_keys({"kind", "conduction", "kappa", "kappa_um", "lambda", "iterations"});
  FilterSettings f;
  table.choice<int>("kind", {{"perona_malik", 0}});
  f.conduction = table.choice_or<Conduction>(
      "conduction", f.conduction,
      {{"rational", Conduction::rational}, {"exponential", Conduction::exponential}});
  f.rule = table.choice_or<KappaRule>("kappa", f.rule,
                                      {{"robust", KappaRule::robust},
                                       {"mean_gradient", KappaRule::mean_gradient},
                                       {"fixed", KappaRule::fixed}});
  const auto kappa = table.number_if("kappa_um", config::positive);
  if (f.rule == KappaRule::fixed && !kappa)
    table.refuse("kappa_um", "missing", "the difference of heights that is an edge");
  if (f.rule != KappaRule::fixed && kappa)
    table.refuse("kappa_um", "is given, but the rule of kappa finds it", "kappa = \"fixed\" beside it");
  f.kappa_um = kappa.value_or(0);
  f.lambda = table.number_or("lambda", f.lambda, {1e-3, 0.25});
  f.iterations = static_cast<std::uint32_t>(table.integer_or("iterations", f.iterations, 1, 1000));
  for (const Component* row : verdict_rows(recipe))
    for (const Check& check : row->checks)
      if (is_extreme(check))
        table.refuse("kind",
                     "would move the " + std::string(name_of(check.characteristic)) + " of " +
                         row->reference + ": a filter lowers peaks and rounds narrow leads",
                     "no [filter], or only mean, median, tilt, presence, percentiles from 0.05 to 0.95, bow "
                     "and twist");
  table.finish();
  recipe.filter = f;
}

}  // namespace datum
