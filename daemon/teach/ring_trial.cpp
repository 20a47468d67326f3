#include "daemon/teach/ring_trial.h"

#include <fmt/format.h>

#include <cmath>

#include "calib/linear/median.h"
namespace datum::teach {
namespace {

struct Outcome {
  std::size_t values = 0;
  double u_um = 0;  // median
};

Outcome outcome_of(const std::vector<GoldenBoard>& boards) {
  std::vector<double> u;
  for (const GoldenBoard& board : boards)
    for (const GoldenPart& part : board.parts)
      if (part.value) u.push_back(part.u);
  return {u.size(), u.empty() ? 0 : median_of(u)};
}

double hundredths(double mm) { return std::round(mm * 100) / 100; }

}  // namespace

std::optional<RingProposal> tried_rings(const Recipe& recipe, const MeasureBoards& measure) {
  const Outcome now = outcome_of(measure(recipe));
  const double inner = recipe.floor.inner_margin_mm, width = recipe.floor.outer_margin_mm - inner;
  std::optional<RingProposal> best;
  for (const double a : {0.5, 0.75, 1.0, 1.5, 2.0})
    for (const double b : {0.6, 1.0, 1.4}) {
      Recipe trial = recipe;
      trial.floor.inner_margin_mm = hundredths(a * inner);
      trial.floor.outer_margin_mm = hundredths(a * inner + b * width);
      trial.sha256 += fmt::format("/{:g}/{:g}", a, b);  // another plan
      if (trial.floor.inner_margin_mm <= 0 || (a == 1 && b == 1)) continue;
      const Outcome tried = outcome_of(measure(trial));
      const std::size_t most = best ? best->floors : now.values;
      const double least = best ? best->u_um : 0.95 * now.u_um;
      if (tried.values < most || (tried.values == most && tried.u_um > 0.99 * least)) continue;
      best = RingProposal{trial.floor.inner_margin_mm,
                          trial.floor.outer_margin_mm,
                          tried.values,
                          now.values,
                          tried.u_um,
                          now.u_um};
    }
  return best;
}

}  // namespace datum::teach
