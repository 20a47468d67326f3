#include "daemon/inspection/board/snapshot_foreign.h"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/inspection/defects/foreign_objects.h"
#include "daemon/inspection/recipe/defect_recipe.h"

namespace datum {
namespace {

constexpr double covered_step_mm = 0.5;

bool shows(const BoardLook& look, const Eigen::Vector2d& at_mm) {
  const Eigen::Vector2d px = look.hand.view.pixel_of(at_mm, 0);
  return px.minCoeff() >= 0 && px.x() <= look.frame.cols - 1 && px.y() <= look.frame.rows - 1;
}

double unseen_share(const std::vector<const BoardLook*>& looks, const Eigen::Vector2d& size_mm) {
  std::size_t all = 0, unseen = 0;
  for (double y = covered_step_mm / 2; y < size_mm.y(); y += covered_step_mm)
    for (double x = covered_step_mm / 2; x < size_mm.x(); x += covered_step_mm) {
      ++all;
      unseen += std::none_of(looks.begin(), looks.end(), [&](const BoardLook* look) {
        return shows(*look, {x, y});
      });
    }
  return all == 0 ? 0 : double(unseen) / double(all);
}

/// INVALID: the first look's that is; else the highest one.
ComponentVerdict worse_of(ComponentVerdict a, ComponentVerdict b) {
  const CheckVerdict &of_a = a.checks.front(), &of_b = b.checks.front();
  if (of_a.reason != Reason::none) return a;
  if (of_b.reason != Reason::none || of_b.value > of_a.value) return b;
  return a;
}

}  // namespace

ComponentVerdict foreign_over(const std::vector<const BoardLook*>& looks,
                              const std::vector<std::string>& names,
                              const std::vector<std::optional<BoardForm>>& forms,
                              const std::vector<ComponentVerdict>& rows, const std::string& missing,
                              const InspectionInputs& in) {
  const Recipe& recipe = *in.recipe;
  const unsigned threads = in.threads > 0 ? in.threads : cpu_backend().threads;
  std::optional<ComponentVerdict> row;
  for (std::size_t k = 0; k < looks.size(); ++k) {
    const BoardLook& look = *looks[k];
    ComponentVerdict own = judge_foreign(
        {recipe, *in.sensor, look.frame, look.hand.view, forms[k] ? &*forms[k] : nullptr, rows}, threads);
    CheckVerdict& check = own.checks.front();
    if (check.reason != Reason::none) check.detail = fmt::format("snapshot {}: {}", names[k], check.detail);
    row = row ? worse_of(std::move(*row), std::move(own)) : std::move(own);
  }
  CheckVerdict& v = row->checks.front();
  if (!missing.empty()) {
    CheckVerdict refused;
    refused.check = v.check;
    refused.reason = Reason::snapshots;
    refused.detail = "what lies on the board there was not seen: " + missing;
    v = refused;
    row->defect.reset();
    row->decision = Decision::invalid;
  } else if (const double share = unseen_share(looks, recipe.board_size_mm); share > 0) {
    v.detail +=
        fmt::format("{}{:.2g} % of the board lie in no snapshot", v.detail.empty() ? "" : "; ", 100 * share);
  }
  return *row;
}

}  // namespace datum
