#include "daemon/inspection/board/snapshot_looks.h"

#include "daemon/inspection/board/snapshot_foreign.h"
#include "daemon/inspection/board/snapshot_overlap.h"
#include "daemon/inspection/defects/bare_cells.h"
#include "daemon/inspection/recipe/defect_recipe.h"
#include "daemon/inspection/verdict/decision.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

ComponentVerdict unseen_row(const Recipe& recipe, std::size_t i, const std::string& missing) {
  ComponentVerdict c;
  c.reference = recipe.components[i].reference;
  c.package = recipe.components[i].package;
  c.shown.emplace();
  for (const Check& check : recipe.components[i].checks) {
    CheckVerdict& v = c.checks.emplace_back();
    v.check = check;
    v.reason = missing.empty() ? Reason::out_of_view : Reason::snapshots;
    v.detail = missing.empty()
                   ? "no snapshot shows its ring and its body whole; let neighbouring snapshots "
                     "overlap by more than its ring"
                   : "no snapshot that came shows its ring and its body whole; missing: " + missing;
  }
  return c;
}

}  // namespace

BoardVerdict judge_looks(BoardVerdict v, const std::vector<const BoardLook*>& looks,
                         const std::vector<std::string>& names, const std::string& missing,
                         const InspectionInputs& in) {
  const Recipe& recipe = *in.recipe;
  const unsigned threads = in.threads > 0 ? in.threads : cpu_backend().threads;
  const std::vector<SiteShown> shown = best_looks(looks);
  std::vector<std::size_t> best;
  for (const SiteShown& s : shown) best.push_back(s.best);
  const FloorSteps floors = floor_steps(looks, shown, in);
  if (recipe.snapshots.one_board == OneBoard::overlap)
    if (const std::string why = unproven_board(shown, floors, names); !why.empty())
      return refused(std::move(v), recipe, {Reason::snapshots, why});
  const std::optional<BoardWarp> warp = warp_over(looks, best, in, floors.between, v);

  std::vector<std::optional<BoardForm>> forms(looks.size());
  if (recipe.defects)
    for (std::size_t k = 0; k < looks.size(); ++k)
      forms[k] = bare_form(recipe, looks[k]->frame, looks[k]->hand.view, threads);
  const auto judged_in = [&](std::size_t look, std::size_t i) {
    return judge_component(*looks[look], i, warp, forms[look] ? &*forms[look] : nullptr);
  };
  const std::size_t n = recipe.components.size();
  v.components.resize(n);
  std::vector<ComponentVerdict> seconds(n);
  parallel_for(threads, n, [&](std::size_t i, unsigned) {
    const SiteShown& s = shown[i];
    if (s.best == not_shown) {
      v.components[i] = unseen_row(recipe, i, missing);
      return;
    }
    v.components[i] = judged_in(s.best, i);
    ShownIn& evidence = v.components[i].shown.emplace();
    evidence.snapshot = names[s.best];
    evidence.margin_mm = s.margin_mm;
    if (s.second == not_shown) return;
    evidence.second = names[s.second];
    evidence.floor_step_um = floors.step_um[i];
    evidence.u_floor_step_um = floors.u_um[i];
    seconds[i] = judged_in(s.second, i);
  });
  compare_overlaps(v.components, seconds, recipe);
  std::optional<ComponentVerdict> foreign;
  if (recipe.defects && recipe.defects->foreign)
    foreign = foreign_over(looks, names, forms, v.components, missing, in);
  if (warp) v.components.push_back(judge_warp(recipe, *in.sensor, *warp));
  if (foreign) v.components.push_back(std::move(*foreign));
  v.decision = worst_of(v.components);
  return v;
}

}  // namespace datum
